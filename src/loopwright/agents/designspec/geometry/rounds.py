"""Round primitives as polyhedra that have the volume of what they stand for and touch its bounds.

The corners on the axes stay where they are, so the bounds are exact; the others stand out by as much as the volume
between corners lacks (4e-4 of it at 128 sections).
"""

import math
from collections.abc import Callable

import numpy as np
from manifold3d import Manifold

from loopwright.agents.designspec.network.network import Floats

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
