"""How thick the solid's walls are, measured with rays through them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from loopwright.agents.designspec.network.collisions import find_collisions
from loopwright.agents.designspec.network.network import Floats
from loopwright.agents.designspec.validity.centre_lines import CentreLines
from loopwright.agents.designspec.validity.contacts import share_port
from loopwright.agents.designspec.validity.line_index import LineIndex
from loopwright.agents.designspec.validity.rays import RayScene
from loopwright.agents.designspec.validity.subject import Subject

SAMPLES = 20_000
"""Rays: half of them spread over the area, half over the triangles, so that fine channels are not missed."""
FACING = -0.5
"""Cosine between two sides' normals up to which they make a wall; else they meet in an edge."""
ON_WALL = 1.3
"""A point this many radii from a centre line still lies on that channel's wall."""


@dataclass(frozen=True)
class Walls:
    """Thicknesses (k,) in metres, and the points (k, 3) on both sides."""

    thickness: Floats
    near: Floats
    far: Floats

    def take(self, rows: NDArray[np.bool_]) -> "Walls":
        """These only."""
        return Walls(self.thickness[rows], self.near[rows], self.far[rows])


def measure_walls(scene: RayScene, required: float, random: np.random.Generator) -> Walls:
    """Rays into the solid from its surface to the side that faces it."""
    surface = scene.surface
    parts = [surface.sample(SAMPLES // 2, random, evenly=evenly) for evenly in (True, False)]
    points = np.concatenate([points for points, _ in parts])
    triangles = np.concatenate([chosen for _, chosen in parts])
    corners = surface.corners[triangles]
    longest = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).max(axis=1)
    sound = 2 * surface.areas[triangles] / np.maximum(longest, 1e-18) > 1e-5 * surface.extent
    points, triangles = points[sound], triangles[sound]
    normals = surface.normals[triangles] / (2 * surface.areas[triangles])[:, None]
    step = max(2e-6 * surface.extent, 1e-2 * required)
    hits = scene.cast(points - step * normals, -normals)
    met = surface.normals[hits.triangle] / np.maximum(2 * surface.areas[hits.triangle], 1e-30)[:, None]
    facing = hits.leaving & (np.einsum("ij,ij->i", met, normals) < FACING)
    thickness = hits.distance[facing] + step
    near = points[facing]
    return Walls(thickness, near, near - thickness[:, None] * normals[facing])


def without_edges(thin: Walls, lines: CentreLines, index: LineIndex, subject: Subject) -> Walls:
    """Thin places less those that belong to the design: where branches part, and the rims of ports.

    Between two channels of one network it is the network's own rule which of them are neighbours; components that
    share a port may meet anywhere.
    """
    required = subject.required_feature
    keep = np.ones(len(thin.thickness), dtype=bool)
    for opening in subject.openings:
        reach = 2 * opening.radius + required
        keep &= np.linalg.norm(thin.near - np.array(opening.position), axis=1) > reach
    first, first_at = index.nearest(thin.near)
    second, second_at = index.nearest(thin.far)
    between = keep & (first_at <= ON_WALL) & (second_at <= ON_WALL)
    one, other = lines.component[first], lines.component[second]
    friends = np.zeros((len(lines.components),) * 2, dtype=bool)
    for row, column in np.argwhere(~np.eye(len(friends), dtype=bool)):
        friends[row, column] = bool(share_port(subject, lines.components[row], lines.components[column]))
    keep &= ~(between & friends[one, other])
    together = between & (one == other)
    guilty = {
        (component, *sorted((hit.first, hit.second)))
        for component in {lines.components[int(number)] for number in one[together]}
        for hit in find_collisions(subject.networks[component], required)
    }
    for row in np.flatnonzero(together):
        pair = sorted((int(lines.number[first[row]]), int(lines.number[second[row]])))
        keep[row] = (lines.components[int(one[row])], *pair) in guilty
    return thin.take(keep)
