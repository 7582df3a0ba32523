"""Domains as bodies."""

from pathlib import Path

import numpy as np
from manifold3d import Error, Manifold, OpType

from loopwright.agents.designspec.document.domains import (
    BoxDomain,
    CapsuleDomain,
    CompositeDomain,
    CylinderDomain,
    Domain,
    EllipsoidDomain,
    FrustumDomain,
    ImplicitDomain,
    MeshDomain,
    SphereDomain,
    TransformDomain,
)
from loopwright.agents.designspec.document.pointers import join
from loopwright.agents.designspec.document.spec import DesignSpec
from loopwright.agents.designspec.geometry import rounds
from loopwright.agents.designspec.geometry.mesh_files import read_body
from loopwright.agents.designspec.geometry.surfaces import implicit_body
from loopwright.kernel.errors import InvalidInput

OPERATIONS = {"union": OpType.Add, "intersection": OpType.Intersect, "difference": OpType.Subtract}
DEEPEST = 32
"""Domains may refer to domains, but not deeper than this."""
AXIS_TURNS = {"x": (0.0, 90.0, 0.0), "y": (90.0, 0.0, 0.0), "z": (0.0, 0.0, 0.0)}
LEAST_DETERMINANT = 1e-9


def build_domain(spec: DesignSpec, name: str, project_dir: Path) -> Manifold:
    """The body of a domain, in metres: closed, oriented, with the bounds and the volume of what it stands for.

    Args:
        spec: normalised to metres.
        name: which domain.
        project_dir: where mesh files lie; nothing outside is read.

    Raises:
        InvalidInput: the domain or one that it refers to cannot be built; the message has the pointer of the culprit.
    """
    body = _Builder(spec, project_dir).named(name, "/domains", ())
    if body.status() != Error.NoError:
        raise InvalidInput(f"{join('/domains', name)}: the body is not closed ({body.status().name}).")
    if body.is_empty() or body.volume() <= 0:
        raise InvalidInput(f"{join('/domains', name)}: nothing is left of the body; its volume is zero.")
    return body.as_original()


class _Builder:
    """Builds domains of one document."""

    def __init__(self, spec: DesignSpec, project_dir: Path) -> None:
        self.spec, self.project_dir = spec, project_dir
        self.sections = spec.policies.domain_meshing.primitive_policy.sections_radial

    def named(self, name: str, pointer: str, path: tuple[str, ...]) -> Manifold:
        """The domain of this name; `pointer` is where the name is written."""
        if name not in self.spec.domains:
            known = ", ".join(self.spec.domains) or "none"
            raise InvalidInput(f"{pointer}: there is no domain {name!r}.", hint=f"The domains are: {known}.")
        if name in path:
            raise InvalidInput(f"{pointer}: a domain is made of itself ({' → '.join((*path, name))}).")
        return self.built(self.spec.domains[name], join("/domains", name), (*path, name))

    def built(self, domain: Domain, pointer: str, path: tuple[str, ...]) -> Manifold:
        """The body of a domain that is written at the pointer."""
        if len(path) > DEEPEST:
            raise InvalidInput(f"{pointer}: domains refer to domains more than {DEEPEST} deep.")
        if isinstance(domain, TransformDomain):
            return self.moved(domain, pointer, path)
        if isinstance(domain, CompositeDomain):
            parts = [self.child(child, join(pointer, "children", i), path) for i, child in enumerate(domain.children)]
            return Manifold.batch_boolean(parts, OPERATIONS[domain.operation])
        if isinstance(domain, MeshDomain):
            return read_body(
                self.project_dir,
                domain.path,
                join(pointer, "path"),
                scale=domain.scale,
                policy=self.spec.policies.domain_meshing.mesh_policy,
            )
        if isinstance(domain, ImplicitDomain):
            budget = self.spec.policies.resolution.max_voxels
            return implicit_body(domain, pointer, self.sections, budget).translate(domain.center)
        return self.primitive(domain, pointer)

    def child(self, child: "str | Domain", pointer: str, path: tuple[str, ...]) -> Manifold:
        """A domain by its name, or written at the place."""
        if isinstance(child, str):
            return self.named(child, pointer, path)
        return self.built(child, pointer, (*path, f"({child.type})"))

    def primitive(self, domain: Domain, pointer: str) -> Manifold:
        """A box or a round body."""
        sections = self.sections
        if isinstance(domain, BoxDomain):
            return _box(domain, pointer)
        if isinstance(domain, CylinderDomain):
            return rounds.cylinder(domain.radius, domain.radius, domain.height, sections).translate(domain.center)
        if isinstance(domain, FrustumDomain):
            body = rounds.cylinder(domain.radius_bottom, domain.radius_top, domain.height, sections)
            return body.translate(domain.center)
        if isinstance(domain, SphereDomain):
            return rounds.ellipsoid(np.full(3, domain.radius), sections).translate(domain.center)
        if isinstance(domain, EllipsoidDomain):
            return rounds.ellipsoid(np.array(domain.semi_axes), sections).translate(domain.center)
        if isinstance(domain, CapsuleDomain):
            body = rounds.capsule(domain.radius, domain.length, sections).rotate(AXIS_TURNS[domain.axis])
            return body.translate(domain.center)
        raise AssertionError(f"no body is known for {domain.type}")

    def moved(self, domain: TransformDomain, pointer: str, path: tuple[str, ...]) -> Manifold:
        """Another domain, scaled, turned and shifted."""
        body = self.child(domain.base_domain, join(pointer, "base_domain"), path)
        if domain.matrix is None:
            scale = (domain.scale,) * 3 if isinstance(domain.scale, float | int) else domain.scale
            return body.scale(scale).rotate(domain.rotation).translate(domain.translation)
        matrix = np.array(domain.matrix, dtype=np.float64)
        if matrix.shape != (4, 4) or not np.allclose(matrix[3], (0, 0, 0, 1)):
            raise InvalidInput(
                f"{join(pointer, 'matrix')}: it must be four rows of four numbers, the last one 0 0 0 1."
            )
        if abs(np.linalg.det(matrix[:3, :3])) < LEAST_DETERMINANT:
            raise InvalidInput(f"{join(pointer, 'matrix')}: it flattens the body; its determinant is zero.")
        return body.transform(matrix[:3])


def _box(domain: BoxDomain, pointer: str) -> Manifold:
    low = np.array([domain.x_min, domain.y_min, domain.z_min])
    high = np.array([domain.x_max, domain.y_max, domain.z_max])
    for axis, name in enumerate("xyz"):
        if high[axis] <= low[axis]:
            raise InvalidInput(
                f"{join(pointer, f'{name}_max')}: it must be larger than {name}_min"
                f" ({high[axis]:g} m is not above {low[axis]:g} m)."
            )
    # Corners are set and not shifted, so that they are exactly those of the document.
    return Manifold.cube((1, 1, 1)).warp_batch(lambda corners: np.where(corners > 0.5, high, low))
