"""How wide channels are, measured with rays across them."""

from dataclasses import dataclass

import numpy as np

from loopwright.agents.designspec.network.network import Floats, Ints
from loopwright.agents.designspec.validity.centre_lines import CentreLines
from loopwright.agents.designspec.validity.rays import RayScene, across
from loopwright.agents.designspec.validity.surface import Surface

STATIONS = 4_000
"""Stations along the centre lines, evenly spaced, and at least one in each segment."""
SPOKES = 6
"""Diameters at each station."""
SAMPLES = 10_000
"""Rays through a void that has no centre line."""
FACING = -0.5
"""Cosine between two walls' normals up to which they face each other: below, the ray has met an edge."""


@dataclass(frozen=True)
class Widths:
    """Widths (k,) in metres at places (k, 3), with the segment (k,) each was measured in (−1: none)."""

    width: Floats
    place: Floats
    segment: Ints


def widths_along(lines: CentreLines, walls: tuple[RayScene, bool], body: RayScene) -> Widths:
    """The smallest of `SPOKES` diameters at each station that lies in a channel.

    Args:
        lines: the centre lines.
        walls: a surface, and whether the channels are its inner side.
        body: the domain.
    """
    scene, channel_inside = walls
    spacing = max(float(lines.lengths.sum()) / STATIONS, 1e-12)
    counts = np.where(lines.lengths > 0, np.ceil(lines.lengths / spacing).astype(int), 0)
    segment = np.repeat(np.arange(len(counts)), counts)
    step = np.arange(len(segment)) - np.repeat(np.cumsum(counts) - counts, counts)
    share = np.clip((step + 0.5) / counts[segment], 0.02, 0.98)
    along = (lines.ends - lines.starts)[segment]
    place = lines.starts[segment] + share[:, None] * along
    within = body.inside(place)
    segment, place, along = segment[within], place[within], along[within]
    unit = along / np.linalg.norm(along, axis=1, keepdims=True)
    first = across(along)
    second = np.cross(unit, first)
    width = np.full(len(place), np.inf)
    in_channel = np.zeros(len(place), dtype=int)
    for spoke in range(SPOKES):
        turn = np.pi * spoke / SPOKES
        direction = np.cos(turn) * first + np.sin(turn) * second
        there, back = scene.cast(place, direction), scene.cast(place, -direction)
        width = np.minimum(width, there.distance + back.distance)
        in_channel += (there.leaving == channel_inside).astype(int) + (back.leaving == channel_inside).astype(int)
    measured = np.isfinite(width) & (in_channel > SPOKES)
    return Widths(width[measured], place[measured], segment[measured])


def widths_of(void: Surface, random: np.random.Generator) -> Widths:
    """The widths of a void without centre lines: rays inwards from its wall to the wall that faces it."""
    points, triangles = void.sample(SAMPLES, random)
    normals = void.normals[triangles] / np.linalg.norm(void.normals[triangles], axis=1, keepdims=True)
    hits = RayScene(void).cast(points - 1e-5 * void.extent * normals, -normals)
    met = void.normals[hits.triangle] / np.linalg.norm(void.normals[hits.triangle], axis=1, keepdims=True)
    facing = hits.leaving & (np.einsum("ij,ij->i", met, normals) < FACING)
    width = hits.distance[facing] + 1e-5 * void.extent
    return Widths(width, points[facing] - width[:, None] / 2 * normals[facing], np.full(len(width), -1))
