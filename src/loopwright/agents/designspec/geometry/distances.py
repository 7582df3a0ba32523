"""Signed distances to the boundaries of primitives around the origin: positive inside, in the points' unit."""

from collections.abc import Callable

import numpy as np

from loopwright.agents.designspec.network.network import Floats

Depth = Callable[[Floats], Floats]


def box_depth(half: Floats) -> Depth:
    """Of a box with these half sizes."""

    def depth(points: Floats) -> Floats:
        over = np.abs(points) - half
        outside = np.linalg.norm(np.maximum(over, 0.0), axis=1)
        return np.asarray(-outside - np.minimum(over.max(axis=1), 0.0))

    return depth


def sphere_depth(radius: float) -> Depth:
    """Of a sphere."""
    return lambda points: np.asarray(radius - np.linalg.norm(points, axis=1))


def capsule_depth(radius: float, length: float, axis: int) -> Depth:
    """Of a capsule whose straight part has this length along an axis."""

    def depth(points: Floats) -> Floats:
        away = points.copy()
        away[:, axis] -= np.clip(points[:, axis], -length / 2, length / 2)
        return np.asarray(radius - np.linalg.norm(away, axis=1))

    return depth


def frustum_depth(radius_bottom: float, radius_top: float, height: float) -> Depth:
    """Of a truncated cone along z, and so of a cylinder: in the plane of radius and height it is a trapezium."""
    bottom, top = np.array([radius_bottom, -height / 2]), np.array([radius_top, height / 2])
    slope = top - bottom
    outward = np.array([slope[1], -slope[0]]) / np.linalg.norm(slope)

    def depth(points: Floats) -> Floats:
        flat = np.stack([np.linalg.norm(points[:, :2], axis=1), points[:, 2]], axis=1)
        share = np.clip((flat - bottom) @ slope / (slope @ slope), 0.0, 1.0)
        wall = np.linalg.norm(flat - bottom - share[:, None] * slope, axis=1)
        nearest = wall
        for radius, level in ((radius_bottom, -height / 2), (radius_top, height / 2)):
            beyond = np.maximum(flat[:, 0] - radius, 0.0)
            nearest = np.minimum(nearest, np.hypot(beyond, flat[:, 1] - level))
        within = ((flat - bottom) @ outward <= 0) & (np.abs(flat[:, 1]) <= height / 2)
        return np.asarray(np.where(within, nearest, -nearest))

    return depth


def ellipsoid_depth(semi_axes: Floats) -> Depth:
    """Of an ellipsoid: the foot of the perpendicular by bisection (Eberly, Distance from a Point to an Ellipsoid)."""
    axes = np.asarray(semi_axes, dtype=np.float64)
    least = float(axes.min())

    def depth(points: Floats) -> Floats:
        # A point on a plane of symmetry may have its foot off that plane; a hair beside it the foot is found.
        place = np.maximum(np.abs(points), 1e-12 * least)
        low = np.max(axes * place - axes**2, axis=1)
        high = np.linalg.norm(axes * place, axis=1) - least**2
        for _ in range(80):
            middle = (low + high) / 2
            outside = np.sum((axes * place / (middle[:, None] + axes**2)) ** 2, axis=1) > 1.0
            low, high = np.where(outside, middle, low), np.where(outside, high, middle)
        foot = axes**2 * place / (((low + high) / 2)[:, None] + axes**2)
        distance = np.linalg.norm(place - foot, axis=1)
        return np.asarray(np.where(np.sum((place / axes) ** 2, axis=1) <= 1.0, distance, -distance))

    return depth
