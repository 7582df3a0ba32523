"""Where a surface cuts through itself."""

import numpy as np
from rtree import index

from loopwright.agents.designspec.network.network import Floats, Ints

BATCH = 50_000
"""Triangles that are asked about at a time, which bounds the memory."""
MARGIN = 1e-9
"""Share of an edge near its ends in which a contact is a touch and no crossing."""


def first_crossing(vertices: Floats, faces: Ints) -> Floats | None:
    """The place, in metres, where two faces cross that share no edge; None where none do.

    Faces that touch, or lie on one another in one plane, do not cross.
    """
    triangles = vertices[faces]
    low, high = triangles.min(axis=1), triangles.max(axis=1)
    tree = index.Index((np.arange(len(faces)), low, high), properties=index.Property(dimension=3))
    for start in range(0, len(faces), BATCH):
        rows = np.arange(start, min(start + BATCH, len(faces)))
        found, counts = tree.intersection_v(low[rows], high[rows])  # type: ignore[no-untyped-call]  # rtree has no types
        first, second = np.repeat(rows, counts.astype(np.int64)), found.astype(np.int64)
        pairs = np.stack([first, second], axis=1)[first != second]
        shared = np.sum(faces[pairs[:, 0]][:, :, None] == faces[pairs[:, 1]][:, None, :], axis=(1, 2))
        pairs = pairs[shared < 2]
        order = np.lexsort(pairs.T[::-1])
        place = _pierced(vertices, faces, pairs[order])
        if place is not None:
            return place
    return None


def _pierced(vertices: Floats, faces: Ints, pairs: Ints) -> Floats | None:
    """Where an edge of the first face of a pair goes through the second; edges with a common corner cannot."""
    best: tuple[int, Floats] | None = None
    for one, two in ((0, 1), (1, 2), (2, 0)):
        edge = faces[pairs[:, 0]][:, [one, two]]
        apart = ~np.any(edge[:, :, None] == faces[pairs[:, 1]][:, None, :], axis=(1, 2))
        rows = np.flatnonzero(apart)
        hit, place = _edge_through_face(vertices[edge[rows]], vertices[faces[pairs[rows, 1]]])
        if hit.any():
            where = int(np.argmax(hit))
            if best is None or rows[where] < best[0]:
                best = int(rows[where]), place[where]
    return None if best is None else best[1]


def _edge_through_face(edges: Floats, triangles: Floats) -> tuple[np.ndarray, Floats]:
    """Whether each edge (n, 2, 3) pierces its triangle (n, 3, 3), and where (Möller and Trumbore, 1997)."""
    origin, along = edges[:, 0], edges[:, 1] - edges[:, 0]
    side_one, side_two = triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]
    across = np.cross(along, side_two)
    determinant = np.einsum("ij,ij->i", side_one, across)
    size = np.linalg.norm(along, axis=1) * np.linalg.norm(np.cross(side_one, side_two), axis=1)
    upright = np.abs(determinant) > 1e-9 * size
    inverse = 1.0 / np.where(upright, determinant, 1.0)
    offset = origin - triangles[:, 0]
    first = np.einsum("ij,ij->i", offset, across) * inverse
    turned = np.cross(offset, side_one)
    second = np.einsum("ij,ij->i", along, turned) * inverse
    share = np.einsum("ij,ij->i", side_two, turned) * inverse
    inside = (first > -1e-12) & (second > -1e-12) & (first + second < 1 + 1e-12)
    hit = upright & inside & (share > MARGIN) & (share < 1 - MARGIN)
    return hit, np.asarray(origin + share[:, None] * along)
