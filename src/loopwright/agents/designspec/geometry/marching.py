"""Marching tetrahedra: where a function is negative, as a closed surface.

Cubes have cases in which neighbours may disagree; tetrahedra have none. Every cube is cut into six along one diagonal,
alike everywhere, so neighbouring faces match, and the surface is an oriented 2-manifold by construction.
"""

import math
from collections.abc import Callable
from itertools import permutations

import numpy as np
from manifold3d import Manifold, Mesh64

from loopwright.agents.designspec.network.orientation import Floats, Ints

# --------------------------------------------------------------------------------------------------------------------
# Round primitives as polyhedra that have the volume of what they stand for and touch its bounds.
# --------------------------------------------------------------------------------------------------------------------

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
