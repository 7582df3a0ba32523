"""Domains as bodies; where a domain is only a function, its surface is marched."""

import math
from collections.abc import Callable
from itertools import permutations
from pathlib import Path

import numpy as np
from manifold3d import Error, Manifold, Mesh64, OpType

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
    join,
)
from loopwright.agents.designspec.document.spec import DesignSpec
from loopwright.agents.designspec.geometry.mesh_files import read_body
from loopwright.agents.designspec.network import Floats, Ints
from loopwright.kernel.errors import InvalidInput

# Marching tetrahedra: where a function is negative, as a closed surface.
#
# Cubes have cases in which neighbours may disagree; tetrahedra have none. Every cube is cut into six along one
# diagonal, alike everywhere, so neighbouring faces match, and the surface is an oriented 2-manifold by construction.
#
# Round primitives as polyhedra that have the volume of what they stand for and touch its bounds.

LEAST_SECTIONS = 8


def whole_sections(sections: int) -> int:
    """The next multiple of four, so that a corner lies on each axis; eight at least."""
    return max(LEAST_SECTIONS, 4 * math.ceil(sections / 4))


def cylinder(radius_bottom: float, radius_top: float, height: float, sections: int) -> Manifold:
    """A cylinder or a truncated cone along z around the origin, in metres."""
    count = whole_sections(sections)
    step = 2 * math.pi / count
    # Twice the area: 8 triangles between a corner on an axis and one beside it, the others between two beside.
    quadratic, linear = (count - 8) * math.sin(step), 8 * math.sin(step)
    out = (
        (-linear + math.sqrt(linear**2 + 8 * math.pi * quadratic)) / (2 * quadratic)
        if quadratic
        else (2 * math.pi / linear)
    )
    body = Manifold.cylinder(1.0, 1.0, 1.0, count, True)

    def place(points: Floats) -> Floats:
        radius = np.where(points[:, 2] > 0, radius_top, radius_bottom)
        across = points[:, :2] * (radius * np.where(_on_axis(points[:, :2]), 1.0, out))[:, None]
        return np.column_stack([across, points[:, 2] * height])

    return body.warp_batch(place)


def ellipsoid(semi_axes: Floats, sections: int) -> Manifold:
    """An ellipsoid around the origin, in metres; a sphere has three equal semi-axes."""
    ball = Manifold.sphere(1.0, whole_sections(sections))
    out = filled(lambda share: ball.warp_batch(lambda points: _stood_out(points, share)), 4 / 3 * math.pi)
    return ball.warp_batch(lambda points: _stood_out(points, out) * semi_axes)


def capsule(radius: float, length: float, sections: int) -> Manifold:
    """A cylinder of `length` along z with half balls at its ends, around the origin, in metres."""
    ball = np.asarray(Manifold.sphere(1.0, whole_sections(sections)).to_mesh64().vert_properties)[:, :3]
    half = length / 2 / radius
    shift = np.array([0, 0, half])

    def build(out: float) -> Manifold:
        points = _stood_out(ball, out)
        upper, lower = points[points[:, 2] > -1e-9], points[points[:, 2] < 1e-9]
        return Manifold.hull_points(np.concatenate([upper + shift, lower - shift]))

    out = filled(build, math.pi * (4 / 3 + 2 * half))
    return build(out).scale((radius, radius, radius))


def _on_axis(points: Floats) -> np.ndarray:
    """Which points have but one coordinate."""
    return np.asarray(np.sum(np.abs(points) > 1e-9, axis=1) == 1)


def _stood_out(points: Floats, share: float) -> Floats:
    return np.asarray(points * np.where(_on_axis(points), 1.0, share)[:, None])


def filled(build: Callable[[float], Manifold], volume: float) -> float:
    """The share by which corners must stand out to give the volume; the volume is nearly linear in it."""
    low, high = 1.0, 1.01
    at_low, at_high = build(low).volume(), build(high).volume()
    for _ in range(6):
        guess = low + (volume - at_low) * (high - low) / (at_high - at_low)
        if abs(guess - high) < 1e-12:
            break
        low, at_low, high = high, at_high, guess
        at_high = build(high).volume()
    return high


_CORNERS = np.array([[i & 1, i >> 1 & 1, i >> 2 & 1] for i in range(8)])


def _tetrahedra() -> Ints:
    """(6, 4): corners of the six tetrahedra of a cube, each positively oriented."""
    found = []
    for order in permutations(range(3)):
        corner, path = 0, [0]
        for axis in order:
            corner |= 1 << axis
            path.append(corner)
        edges = _CORNERS[path[1:]] - _CORNERS[path[0]]
        if np.linalg.det(edges) < 0:
            path[1], path[2] = path[2], path[1]
        found.append(path)
    return np.array(found)


TETRAHEDRA = _tetrahedra()


def closed_surface(field: Callable[[Floats], Floats], low: Floats, high: Floats, pitch: float) -> Mesh64:
    """The boundary of `field < 0` between two corners of a box, facing outwards.

    What reaches the box is closed by its outermost cells, so the box should be a cell larger than what is wanted.

    Args:
        field: of (n, 3) points the (n,) values.
        low: the lowest corner, in metres.
        high: the highest corner.
        pitch: the side of a cube.
    """
    shape = np.maximum(2, np.ceil((high - low) / pitch).astype(np.int64) + 1)
    axes = [low[i] + (high[i] - low[i]) * np.arange(shape[i]) / (shape[i] - 1) for i in range(3)]
    values = np.empty(shape)
    for i, x in enumerate(axes[0]):
        y, z = np.meshgrid(axes[1], axes[2], indexing="ij")
        points = np.column_stack([np.full(y.size, x), y.ravel(), z.ravel()])
        values[i] = field(points).reshape(y.shape)
    for axis in range(3):
        values[(slice(None),) * axis + ([0, -1],)] = np.abs(values).max() + 1e-12
    scale = float(np.abs(values).max())
    # No corner lies on the surface: triangles without area would be collapsed, and could pinch it.
    values[np.abs(values) < 1e-6 * scale] = 1e-6 * scale
    return _triangles(values, axes)


def _triangles(values: Floats, axes: list[Floats]) -> Mesh64:
    shape = np.array(values.shape)
    strides = np.array([shape[1] * shape[2], shape[2], 1])
    inside = values < 0
    cells = _active_cells(inside)
    corners = (cells @ strides)[:, None] + _CORNERS @ strides
    flat, flat_inside = values.reshape(-1), inside.reshape(-1)
    edges: list[Ints] = []
    for tetrahedron in TETRAHEDRA:
        edges += _cut(corners[:, tetrahedron], flat_inside)
    pairs = np.sort(np.concatenate(edges).reshape(-1, 2), axis=1)
    keys, index = np.unique(pairs[:, 0] * len(flat) + pairs[:, 1], return_inverse=True)
    start, end = keys // len(flat), keys % len(flat)
    share = (flat[start] / (flat[start] - flat[end]))[:, None]
    grid = [
        np.stack([axes[0][i // strides[0]], axes[1][i // strides[1] % shape[1]], axes[2][i % shape[2]]], axis=1)
        for i in (start, end)
    ]
    vertices = grid[0] + share * (grid[1] - grid[0])
    return Mesh64(np.ascontiguousarray(vertices), index.reshape(-1, 3).astype(np.uint64))


def _active_cells(inside: np.ndarray) -> Ints:
    parts = [
        inside[x : x + inside.shape[0] - 1, y : y + inside.shape[1] - 1, z : z + inside.shape[2] - 1]
        for x, y, z in _CORNERS
    ]
    total = np.sum(parts, axis=0, dtype=np.int8)
    return np.argwhere((total > 0) & (total < 8))


def _cut(corners: Ints, inside: np.ndarray) -> list[Ints]:
    """Triangles, as three edges of two grid points each, of one kind of tetrahedron in all cells.

    With a b c d positively oriented, the triangle around a lone inside corner faces away from it.
    """
    within = inside[corners]
    count = within.sum(axis=1)
    found: list[Ints] = []
    even = {0: (1, 2, 3), 1: (0, 3, 2), 2: (0, 1, 3), 3: (0, 2, 1)}
    for lone, (b, c, d) in even.items():
        for many, flip in ((1, False), (3, True)):
            rows = corners[(count == many) & (within[:, lone] != flip)]
            order = (b, d, c) if flip else (b, c, d)
            found.append(np.stack([rows[:, [lone, other]] for other in order], axis=1))
    for a, b, c, d in ((0, 1, 2, 3), (0, 2, 3, 1), (0, 3, 1, 2), (2, 3, 0, 1), (3, 1, 0, 2), (1, 2, 0, 3)):
        rows = corners[(count == 2) & within[:, a] & within[:, b]]
        quad = [rows[:, [a, c]], rows[:, [a, d]], rows[:, [b, d]], rows[:, [b, c]]]
        found.append(np.stack([quad[0], quad[1], quad[2]], axis=1))
        found.append(np.stack([quad[0], quad[2], quad[3]], axis=1))
    return [part for part in found if len(part)]


# Domains.
#
# Implicit surfaces by name: sheets of triply periodic minimal surfaces, the torus, the superellipsoid.

Field = Callable[[Floats], tuple[Floats, Floats]]
"""Of (n, 3) phases, the (n,) values of a periodic function and its (n, 3) gradient."""


def _gyroid(phase: Floats) -> tuple[Floats, Floats]:
    (sx, sy, sz), (cx, cy, cz) = np.sin(phase).T, np.cos(phase).T
    value = sx * cy + sy * cz + sz * cx
    return value, np.stack([cx * cy - sz * sx, -sx * sy + cy * cz, -sy * sz + cz * cx], axis=1)


def _schwarz_p(phase: Floats) -> tuple[Floats, Floats]:
    return np.cos(phase).sum(axis=1), -np.sin(phase)


def _diamond(phase: Floats) -> tuple[Floats, Floats]:
    (sx, sy, sz), (cx, cy, cz) = np.sin(phase).T, np.cos(phase).T
    value = cx * cy * cz - sx * sy * sz
    along_x, along_y = -sx * cy * cz - cx * sy * sz, -cx * sy * cz - sx * cy * sz
    return value, np.stack([along_x, along_y, -cx * cy * sz - sx * sy * cz], axis=1)


FIELDS: dict[str, Field] = {"gyroid": _gyroid, "schwarz_p": _schwarz_p, "diamond": _diamond}
"""Level-set approximations of the minimal surfaces (von Schnering and Nesper, 1991)."""
CELLS_ACROSS_SHEET = 3
CELLS_ACROSS_PERIOD = 24
ISLAND = 0.01
"""Share of the volume below which a separate part of a sheet is a splinter."""


def implicit_body(domain: ImplicitDomain, pointer: str, sections: int, most_cells: int) -> Manifold:
    """The body around the origin, in metres.

    Args:
        domain: the surface.
        pointer: where the domain stands in the document, for errors.
        sections: of a round, for those that have one.
        most_cells: budget of the grid; where it is not enough, the cells become larger.

    Raises:
        InvalidInput: a length that this surface needs is missing or too small.
    """
    box = Manifold.cube(domain.bounds, True)
    if domain.surface == "torus":
        return torus(domain, pointer, sections) ^ box
    if domain.surface == "superellipsoid":
        return superellipsoid(domain, sections)
    return _without_islands(_sheet(domain, pointer, most_cells) ^ box)


def _without_islands(sheet: Manifold) -> Manifold:
    """The sheet without the splinters that the bounds cut off at corners."""
    parts = sheet.decompose()
    least = ISLAND * sheet.volume()
    kept = [part for part in parts if part.volume() >= least]
    return sheet if len(kept) == len(parts) else Manifold.batch_boolean(kept, OpType.Add)


def torus(domain: ImplicitDomain, pointer: str, sections: int) -> Manifold:
    """A torus around z; the bounds and volume are exact."""
    major = _needed(domain.major_radius, pointer, "major_radius", "torus")
    minor = _needed(domain.minor_radius, pointer, "minor_radius", "torus")
    if minor >= major:
        raise InvalidInput(f"{pointer}/minor_radius: it must be smaller than major_radius ({major:g} m).")
    count = whole_sections(sections)
    faces = _ring_faces(count)

    def build(share: float) -> Manifold:
        return Manifold(Mesh64(_ring_points(major, minor, share, count), faces))

    return build(filled(build, 2 * math.pi**2 * major * minor**2))


def _ring_points(major: float, minor: float, share: float, count: int) -> Floats:
    """Corners of a torus; `share` is how far those that touch no bound stand out."""
    angle = np.arange(count) * (2 * math.pi / count)
    pinned = np.arange(count) % (count // 4) == 0
    tube = minor * np.where(pinned, 1.0, share)
    radius, height = major + tube * np.cos(angle), tube * np.sin(angle)
    stretch = np.where(pinned[:, None], 1.0, share)
    across = stretch * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    points = np.concatenate(
        [across[:, None, :] * radius[None, :, None], np.broadcast_to(height[None, :, None], (count, count, 1))], axis=2
    )
    return np.ascontiguousarray(points.reshape(-1, 3))


def _ring_faces(count: int) -> Ints:
    here = np.arange(count * count).reshape(count, count)
    ahead, up = np.roll(here, -1, axis=0), np.roll(here, -1, axis=1)
    both = np.roll(ahead, -1, axis=1)
    faces = np.concatenate([np.stack([here, ahead, both], -1), np.stack([here, both, up], -1)])
    return faces.reshape(-1, 3).astype(np.uint64)


def superellipsoid(domain: ImplicitDomain, sections: int) -> Manifold:
    """|x/a|^e + |y/b|^e + |z/c|^e = 1 with half the bounds as a, b, c: corners of a ball moved along their rays."""
    half, power = np.array(domain.bounds) / 2, domain.exponent

    def place(points: Floats) -> Floats:
        size = np.sum(np.abs(points) ** power, axis=1) ** (1 / power)
        return np.asarray(points / size[:, None] * half)

    return Manifold.sphere(1.0, whole_sections(sections)).warp_batch(place)


def _sheet(domain: ImplicitDomain, pointer: str, most_cells: int) -> Manifold:
    period = _needed(domain.period, pointer, "period", domain.surface)
    thickness = _needed(domain.thickness, pointer, "thickness", domain.surface)
    field, wave = FIELDS[domain.surface], 2 * math.pi / period

    def distance(points: Floats) -> Floats:
        value, gradient = field(points * wave)
        return np.asarray(np.abs(value) - thickness / 2 * wave * np.linalg.norm(gradient, axis=1))

    size = np.array(domain.bounds)
    pitch = domain.pitch or min(thickness / CELLS_ACROSS_SHEET, period / CELLS_ACROSS_PERIOD)
    pitch = max(pitch, float(np.cbrt(np.prod(size) / most_cells)))
    if pitch > thickness / 1.5:
        raise InvalidInput(
            f"{pointer}/thickness: a sheet of {thickness:g} m cannot be made from cells of {pitch:g} m.",
            hint="Make the sheet thicker, the pitch finer, or policies.resolution.max_voxels larger.",
        )
    body = Manifold(closed_surface(distance, -size / 2 - 1.5 * pitch, size / 2 + 1.5 * pitch, pitch))
    if body.status() != Error.NoError or body.is_empty():
        raise InvalidInput(f"{pointer}: the {domain.surface} has no body within its bounds ({body.status()}).")
    return body


def _needed(value: float | None, pointer: str, name: str, surface: str) -> float:
    if value is None:
        raise InvalidInput(f"{pointer}/{name}: the surface {surface} needs it.")
    return value


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
            return cylinder(domain.radius, domain.radius, domain.height, sections).translate(domain.center)
        if isinstance(domain, FrustumDomain):
            body = cylinder(domain.radius_bottom, domain.radius_top, domain.height, sections)
            return body.translate(domain.center)
        if isinstance(domain, SphereDomain):
            return ellipsoid(np.full(3, domain.radius), sections).translate(domain.center)
        if isinstance(domain, EllipsoidDomain):
            return ellipsoid(np.array(domain.semi_axes), sections).translate(domain.center)
        if isinstance(domain, CapsuleDomain):
            body = capsule(domain.radius, domain.length, sections).rotate(AXIS_TURNS[domain.axis])
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
