"""Directions and bends that programs are made of."""

import numpy as np

from loopwright.agents.designspec.network.network import Floats

BEND_STEP_DEG = 7.5
"""A bend has a corner every so many degrees."""


def upright(heading: Floats, given: Floats | None) -> Floats:
    """The axis to turn about: the given one, else z, else y where the heading runs along z; a unit vector."""
    if given is None:
        given = np.array([0.0, 0.0, 1.0]) if abs(float(heading[2])) < 0.9 else np.array([0.0, 1.0, 0.0])
    return np.asarray(given / max(float(np.linalg.norm(given)), 1e-30))


def turned(heading: Floats, axis: Floats, angle_deg: float) -> Floats:
    """A direction turned about an axis, right-handed (Rodrigues' formula)."""
    angle = np.radians(angle_deg)
    along = axis * (axis @ heading) * (1 - np.cos(angle))
    return np.asarray(heading * np.cos(angle) + np.cross(axis, heading) * np.sin(angle) + along)


def fan(heading: Floats, axis: Floats, angle_deg: float, count: int) -> list[Floats]:
    """Directions spread evenly from minus to plus the angle about the axis."""
    return [turned(heading, axis, angle) for angle in np.linspace(angle_deg, -angle_deg, count)]


def between(before: Floats, after: Floats) -> tuple[Floats, float]:
    """The axis and the angle in degrees that turn one direction into another."""
    across = np.cross(before, after)
    size = float(np.linalg.norm(across))
    axis = across / size if size > 1e-9 else np.cross(upright(before, None), before)
    axis = axis / max(float(np.linalg.norm(axis)), 1e-30)
    return np.asarray(axis), float(np.degrees(np.arctan2(size, before @ after)))


def bend(start: Floats, before: Floats, axis: Floats, angle_deg: float, radius: float | None, length: float) -> Floats:
    """(k, 3): a bend of the radius by an angle about an axis, then straight on for the length.

    Without a radius there is a corner instead of a bend.
    """
    points = [start]
    if radius is not None and angle_deg:
        count = max(int(np.ceil(abs(angle_deg) / BEND_STEP_DEG)), 1)
        chord = 2 * radius * np.sin(np.radians(abs(angle_deg) / count) / 2)
        for part in range(count):
            points.append(points[-1] + chord * turned(before, axis, angle_deg * (part + 0.5) / count))
    points.append(points[-1] + turned(before, axis, angle_deg) * length)
    return np.asarray(points)
