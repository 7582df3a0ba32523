"""Circles as polygons, and the frames in which they stand."""

import math

import numpy as np

from loopwright.agents.designspec.network.network import Floats


def area_factor(sections: int) -> float:
    """By how much the corners of a regular polygon must stand out so that it has the area of the circle.

    An inscribed polygon of n corners has n/2·sin(2π/n) of the π of its circle: 4.5 % too little at 12 corners, which
    would be missing from every channel's flow.
    """
    step = 2 * math.pi / sections
    return math.sqrt(step / math.sin(step))


def perpendicular_frame(direction: Floats) -> tuple[Floats, Floats]:
    """Two unit vectors that stand upright on `direction` and on each other, right-handed with it.

    They depend on nothing but the direction, so that two tubes of one direction have their corners at the same angles;
    along a main axis the corners lie on the other two.
    """
    unit = direction / np.linalg.norm(direction)
    aside = np.zeros(3)
    aside[int(np.argmin(np.abs(unit)))] = 1.0
    first = aside - unit * (aside @ unit)
    first /= np.linalg.norm(first)
    return first, np.cross(unit, first)


def unit_circle(direction: Floats, sections: int) -> Floats:
    """(sections, 3): corners of the unit circle around `direction`, anticlockwise for who looks against it."""
    first, second = perpendicular_frame(direction)
    angles = np.arange(sections) * (2 * math.pi / sections)
    return np.asarray(np.outer(np.cos(angles), first) + np.outer(np.sin(angles), second))


def turned(vectors: Floats, before: Floats, after: Floats) -> Floats:
    """Vectors that stand upright on `before`, turned by the smallest rotation that takes it to `after`."""
    share = (vectors @ after) / (1.0 + before @ after)
    return np.asarray(vectors - np.outer(share, before + after))
