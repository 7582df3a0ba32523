"""A closed surface as arrays: its shells, their Euler characteristics and volumes."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from manifold3d import Manifold
from numpy.typing import NDArray
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from loopwright.agents.designspec.network.network import Floats, Ints
from loopwright.agents.designspec.validity.wording import Place, place


@dataclass(frozen=True)
class Shell:
    """One connected piece of a surface. `volume` (m³) is negative for a shell that bounds a hollow from within.

    `euler` is V − E + F; a closed surface of genus g has 2 − 2g. `size` is the diagonal of its box, in metres.
    """

    number: int
    volume: float
    euler: int
    place: Place
    size: float

    @property
    def genus(self) -> float:
        """The number of handles."""
        return (2 - self.euler) / 2


@dataclass(frozen=True)
class Surface:
    """Vertices (n, 3) in metres and triangles (m, 3), whose normals point out of the material."""

    vertices: Floats
    triangles: Ints

    @classmethod
    def of(cls, manifold: Manifold) -> "Surface":
        """The surface of a manifold, with vertices that were split for its properties merged again."""
        mesh = manifold.to_mesh64()
        vertices = np.asarray(mesh.vert_properties, dtype=np.float64)[:, :3]
        triangles = np.asarray(mesh.tri_verts).astype(np.int64)
        if len(mesh.merge_from_vert):
            names = np.arange(len(vertices))
            names[np.asarray(mesh.merge_from_vert, dtype=np.int64)] = np.asarray(mesh.merge_to_vert, dtype=np.int64)
            triangles = names[triangles]
        return cls(vertices, triangles)

    @cached_property
    def corners(self) -> Floats:
        """(m, 3, 3): the triangles' corners."""
        return self.vertices[self.triangles]

    @cached_property
    def normals(self) -> Floats:
        """(m, 3): the triangles' normals, as long as twice their area."""
        a, b, c = (self.corners[:, corner] for corner in range(3))
        return np.asarray(np.cross(b - a, c - a))

    @cached_property
    def areas(self) -> Floats:
        """(m,): the triangles' areas."""
        return np.asarray(np.linalg.norm(self.normals, axis=1) / 2)

    @cached_property
    def shell_of(self) -> NDArray[np.int32]:
        """(m,): the shell of each triangle; Manifold's own `decompose` is quadratic in the number of shells."""
        first, second, third = self.triangles.T
        links = (np.ones(2 * len(first), dtype=bool), (np.r_[first, second], np.r_[second, third]))
        size = len(self.vertices)
        _, labels = connected_components(coo_matrix(links, shape=(size, size)), directed=False)
        _, numbers = np.unique(labels[first], return_inverse=True)
        return np.asarray(numbers, dtype=np.int32)

    @cached_property
    def shells(self) -> list[Shell]:
        """The connected pieces, largest first."""
        if not len(self.triangles):
            return []
        shell_of = self.shell_of
        count = int(shell_of.max()) + 1
        middle = self.vertices.mean(axis=0)
        signed = np.einsum("ij,ij->i", self.corners[:, 0] - middle, self.normals) / 6
        volumes = np.bincount(shell_of, weights=signed, minlength=count)
        faces = np.bincount(shell_of, minlength=count)
        owner = np.full(len(self.vertices), -1)
        owner[self.triangles] = shell_of[:, None]
        points = np.bincount(owner[owner >= 0], minlength=count)
        lowest, highest = np.full((count, 3), np.inf), np.full((count, 3), -np.inf)
        np.minimum.at(lowest, shell_of, self.corners.min(axis=1))
        np.maximum.at(highest, shell_of, self.corners.max(axis=1))
        size = np.linalg.norm(highest - lowest, axis=1)
        return [
            Shell(
                number=int(number),
                volume=float(volumes[number]),
                euler=int(points[number] - faces[number] // 2),
                place=place((lowest[number] + highest[number]) / 2),
                size=float(size[number]),
            )
            for number in np.argsort(-np.abs(volumes), kind="stable")
        ]

    def sample(self, count: int, random: np.random.Generator, *, evenly: bool = True) -> tuple[Floats, Ints]:
        """Points (count, 3) on the surface and their triangles (count,).

        Args:
            count: how many.
            random: where they come from.
            evenly: over the area; else every triangle is as likely, so that fine parts are not missed.
        """
        weights = self.areas / self.areas.sum() if evenly else None
        chosen = random.choice(len(self.triangles), size=count, p=weights)
        first, second = np.sqrt(random.random(count))[:, None], random.random(count)[:, None]
        a, b, c = (self.corners[chosen, corner] for corner in range(3))
        return np.asarray((1 - first) * a + first * (1 - second) * b + first * second * c), np.asarray(chosen)

    @property
    def euler(self) -> int:
        """V − E + F of all shells together."""
        return sum(shell.euler for shell in self.shells)

    @property
    def extent(self) -> float:
        """The diagonal of the box around it, in metres."""
        return float(np.linalg.norm(np.ptp(self.vertices, axis=0))) if len(self.vertices) else 0.0
