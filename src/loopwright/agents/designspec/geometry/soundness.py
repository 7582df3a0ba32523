"""Soundness of surfaces that come from outside: what is wrong with them, and where."""

from dataclasses import dataclass

import numpy as np

from loopwright.agents.designspec.geometry.crossings import first_crossing
from loopwright.agents.designspec.network.network import Floats, Ints
from loopwright.kernel.errors import InvalidInput

SAME_PLACE = 1e-7
"""Corners nearer than this share of the size are one; single-precision files place them no better."""


@dataclass(frozen=True)
class Surface:
    """Triangles: `vertices` (n, 3) in metres, `faces` (m, 3)."""

    vertices: Floats
    faces: Ints

    def tidied(self) -> "Surface":
        """The same shape with corners at one place joined, and without faces that have no area or are there twice."""
        low, high = self.vertices.min(axis=0), self.vertices.max(axis=0)
        grid = np.round((self.vertices - low) / (SAME_PLACE * max(float((high - low).max()), 1e-30)))
        _, first, index = np.unique(grid, axis=0, return_index=True, return_inverse=True)
        vertices, faces = self.vertices[first], index.reshape(-1)[self.faces]
        proper = (faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 2] != faces[:, 0])
        faces = faces[proper]
        _, kept = np.unique(np.sort(faces, axis=1), axis=0, return_index=True)
        tidy = Surface(vertices, faces[np.sort(kept)])
        return Surface(vertices, tidy.faces[:, ::-1]) if tidy.volume < 0 else tidy

    @property
    def volume(self) -> float:
        """What the surface encloses, in cubic metres; negative when it is inside out."""
        a, b, c = (self.vertices[self.faces[:, i]] for i in range(3))
        return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6)


def check_surface(surface: Surface, name: str, pointer: str) -> None:
    """See that the surface is closed, oriented, a 2-manifold along its edges, and crosses itself nowhere.

    Raises:
        InvalidInput: with what is wrong, how often, and where first, in metres.
    """
    halves = np.concatenate([surface.faces[:, [0, 1]], surface.faces[:, [1, 2]], surface.faces[:, [2, 0]]])
    edges, index, count = np.unique(np.sort(halves, axis=1), axis=0, return_inverse=True, return_counts=True)
    forward = np.bincount(index.reshape(-1), weights=halves[:, 0] < halves[:, 1], minlength=len(edges))
    faults = (
        (count == 1, "is open: {} edges belong to one face only", "Close the holes in the program that made the file."),
        (count > 2, "is not a manifold: {} edges belong to more than two faces", "Unite the parts that touch there."),
        ((count == 2) & (forward != 1), "has faces that look to different sides along {} edges", "Unify the normals."),
    )
    for wrong, words, hint in faults:
        if wrong.any():
            place = surface.vertices[edges[np.argmax(wrong)]].mean(axis=0)
            raise InvalidInput(
                f"{pointer}: {name!r} {words.format(int(wrong.sum()))}, the first near {_shown(place)}.", hint=hint
            )
    crossing = first_crossing(surface.vertices, surface.faces)
    if crossing is not None:
        raise InvalidInput(
            f"{pointer}: {name!r} cuts through itself near {_shown(crossing)}.",
            hint="Resolve the self-intersection (a boolean union of the parts) in the program that made the file.",
        )


def _shown(place: Floats) -> str:
    return "(" + ", ".join(f"{value:.6g}" for value in place) + ") m"
