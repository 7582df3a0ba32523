"""Probing domains: formulas where the domain has one, its mesh elsewhere."""

import numpy as np
from manifold3d import Manifold
from numpy.typing import NDArray

from loopwright.agents.designspec.document.domains import (
    BoxDomain,
    CapsuleDomain,
    CylinderDomain,
    Domain,
    EllipsoidDomain,
    FrustumDomain,
    SphereDomain,
)
from loopwright.agents.designspec.document.spec import DesignSpec
from loopwright.agents.designspec.geometry.distances import (
    Depth,
    box_depth,
    capsule_depth,
    ellipsoid_depth,
    frustum_depth,
    sphere_depth,
)
from loopwright.agents.designspec.geometry.mesh_probe import MeshProbe
from loopwright.agents.designspec.geometry.sampling import sampled
from loopwright.agents.designspec.network.network import Floats
from loopwright.agents.designspec.network.probe import DomainProbe

ON_BOUNDARY = 1e-9
"""Share of the domain's size within which a point counts as on the boundary."""


class FormulaProbe:
    """Asks a domain with a formula about points, in metres."""

    def __init__(self, center: Floats, half: Floats, depth: Depth) -> None:
        self._center, self._depth = center, depth
        self._bounds = np.stack([center - half, center + half])
        self._slack = ON_BOUNDARY * float(np.linalg.norm(2 * half))

    @property
    def bounds(self) -> Floats:
        """(2, 3): the lowest and the highest corner."""
        return self._bounds

    def depth(self, points: Floats) -> Floats:
        """(n,): distance of each point to the boundary, positive inside."""
        return self._depth(np.asarray(points, dtype=np.float64).reshape(-1, 3) - self._center)

    def inside(self, points: Floats) -> NDArray[np.bool_]:
        """(n,): whether each point lies inside or on the boundary."""
        return np.asarray(self.depth(points) >= -self._slack)

    def sample(self, count: int, random: np.random.Generator) -> Floats:
        """(count, 3): points spread evenly over the volume."""
        return sampled(self._bounds, self.inside, count, random)


def make_probe(spec: DesignSpec, name: str, body: Manifold) -> DomainProbe:
    """What answers questions about a domain.

    Args:
        spec: normalised to metres.
        name: which domain.
        body: its body, without a ridge; asked where the domain has no formula.
    """
    return _by_formula(spec.domains[name]) or MeshProbe(body)


def _by_formula(domain: Domain) -> FormulaProbe | None:
    if isinstance(domain, BoxDomain):
        low = np.array([domain.x_min, domain.y_min, domain.z_min])
        high = np.array([domain.x_max, domain.y_max, domain.z_max])
        half = (high - low) / 2
        return FormulaProbe((low + high) / 2, half, box_depth(half))
    if isinstance(domain, CylinderDomain):
        depth = frustum_depth(domain.radius, domain.radius, domain.height)
        return FormulaProbe(np.array(domain.center), np.array([domain.radius] * 2 + [domain.height / 2]), depth)
    if isinstance(domain, FrustumDomain):
        widest = max(domain.radius_bottom, domain.radius_top)
        depth = frustum_depth(domain.radius_bottom, domain.radius_top, domain.height)
        return FormulaProbe(np.array(domain.center), np.array([widest, widest, domain.height / 2]), depth)
    if isinstance(domain, SphereDomain):
        return FormulaProbe(np.array(domain.center), np.full(3, domain.radius), sphere_depth(domain.radius))
    if isinstance(domain, EllipsoidDomain):
        axes = np.array(domain.semi_axes)
        return FormulaProbe(np.array(domain.center), axes, ellipsoid_depth(axes))
    if isinstance(domain, CapsuleDomain):
        axis = "xyz".index(domain.axis)
        half = np.full(3, domain.radius)
        half[axis] += domain.length / 2
        return FormulaProbe(np.array(domain.center), half, capsule_depth(domain.radius, domain.length, axis))
    return None
