"""Rays against a surface, in metres (Embree)."""

from dataclasses import dataclass

import numpy as np
from embreex import rtcore_scene
from embreex.mesh_construction import TriangleMesh
from numpy.typing import NDArray

from loopwright.agents.designspec.network.network import Floats, Ints
from loopwright.agents.designspec.validity.surface import Surface

ODD_DIRECTIONS = np.array([(0.267, 0.535, 0.802), (-0.871, 0.218, 0.440), (0.123, -0.862, -0.492)])
"""Directions that no edge of a usual body runs along."""


@dataclass(frozen=True)
class Hits:
    """What rays met first: distance (n,) in metres, infinite for nothing; triangle (n,), −1 for nothing.

    `leaving` (n,) tells rays that met a surface from its inner side, so that they started within the material.
    """

    distance: Floats
    triangle: Ints
    leaving: NDArray[np.bool_]


class RayScene:
    """A surface prepared for rays.

    Embree works in single precision: the surface is moved and scaled to about 1, so that distances are exact to some
    10⁻⁷ of its size whatever the design's own scale is.
    """

    def __init__(self, surface: Surface) -> None:
        """Build the search tree.

        Args:
            surface: it must have triangles.
        """
        self.surface = surface
        self._middle = surface.vertices.mean(axis=0)
        self._scale = surface.extent
        self._scene = rtcore_scene.EmbreeScene()
        self._mesh = TriangleMesh(self._scene, ((surface.corners - self._middle) / self._scale).astype(np.float32))

    def cast(self, origins: Floats, directions: Floats) -> Hits:
        """Send one ray from each of the (n, 3) origins along its (n, 3) direction of length 1."""
        if not len(origins):
            empty = np.zeros(0)
            return Hits(empty, empty.astype(np.int64), empty.astype(bool))
        answer = self._scene.run(
            np.ascontiguousarray((origins - self._middle) / self._scale, dtype=np.float32),
            np.ascontiguousarray(directions, dtype=np.float32),
            query="INTERSECT",
            output=1,
        )
        triangle = answer["primID"].astype(np.int64)
        met = triangle >= 0
        distance = np.where(met, answer["tfar"].astype(np.float64) * self._scale, np.inf)
        leaving = met & (np.einsum("ij,ij->i", self.surface.normals[triangle], directions) > 0)
        return Hits(distance, triangle, leaving)

    def inside(self, points: Floats) -> NDArray[np.bool_]:
        """(n,): whether points lie within the material, by the vote of three rays each."""
        votes = np.zeros(len(points), dtype=int)
        for direction in ODD_DIRECTIONS:
            unit = direction / np.linalg.norm(direction)
            votes += self.cast(points, np.broadcast_to(unit, points.shape)).leaving
        return np.asarray(votes >= 2)


def across(along: Floats) -> Floats:
    """(m, 3): a direction of length 1 at right angles to each of (m, 3) directions."""
    least = np.eye(3)[np.argmin(np.abs(along), axis=1)]
    sideways = np.cross(along, least)
    size = np.linalg.norm(sideways, axis=1, keepdims=True)
    return np.asarray(np.where(size > 0, sideways / np.where(size > 0, size, 1.0), [1.0, 0.0, 0.0]))
