"""Printable meshes: bodies in the single precision and the units of the files that slicers read."""

from dataclasses import dataclass

import numpy as np
from manifold3d import Manifold
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from loopwright.agents.designspec.document.spec import METRES, Units
from loopwright.agents.designspec.network import Ints

TOLERANCES = (0.0, 1e-7, 3e-7, 1e-6, 3e-6, 1e-5)
"""Shares of the size by which a surface may be simplified so that no two of its corners become one."""
WELD = 1e-8
"""What readers of files take for one place, in units of the file (trimesh's own limit)."""


@dataclass(frozen=True)
class PrintableMesh:
    """Corners (n, 3) in single precision and faces (m, 3), closed even after a reader has joined equal corners.

    `tolerance` in metres is by how much the surface was simplified to come to that; 0 where it was not needed.
    """

    vertices: NDArray[np.float32]
    faces: Ints
    units: Units
    tolerance: float


class NotPrintable(Exception):
    """The body cannot be written in single precision without losing its topology."""


def printable(body: Manifold, units: Units) -> PrintableMesh:
    """The body's mesh in single precision: every edge between two faces, and as many handles and parts as the body.

    Booleans leave edges that are shorter than single precision can tell; joined, they may open the surface for who
    reads the file. So what a reader will see is checked here, and the surface is simplified a little when it has to be.

    Raises:
        NotPrintable: no tolerance was enough.
    """
    low, high = np.array(body.bounding_box()).reshape(2, 3)
    size = float((high - low).max())
    wanted = _shape_of(*_arrays(body))
    for share in TOLERANCES:
        simpler = body.simplify(share * size) if share else body
        vertices, faces = _arrays(simpler)
        single = (vertices / METRES[units]).astype(np.float32)
        mesh = welded(single, faces)
        if mesh is not None and _shape_of(*mesh) == wanted:
            return PrintableMesh(mesh[0], mesh[1], units, share * size)
    raise NotPrintable(f"a body of {body.num_tri()} faces cannot be written in single precision in {units}")


def welded(vertices: NDArray[np.float32], faces: Ints) -> tuple[NDArray[np.float32], Ints] | None:
    """The mesh with those corners joined that a reader joins, without the faces that lose their area by it.

    None where it is not closed then. Joining the two ends of a very short edge is what `simplify` should have done:
    it leaves some of them, and in metres they are shorter than what readers tell apart.
    """
    cells = np.round(vertices.astype(np.float64) / WELD)
    order = np.lexsort([*vertices.T[::-1], *cells.T[::-1]])
    fresh = np.ones(len(cells), dtype=bool)
    fresh[1:] = (cells[order[1:]] != cells[order[:-1]]).any(axis=1)
    index = np.empty(len(cells), dtype=np.int64)
    index[order] = np.cumsum(fresh) - 1
    unique = vertices[order[fresh]]
    joined = index[faces]
    proper = (joined[:, 0] != joined[:, 1]) & (joined[:, 1] != joined[:, 2]) & (joined[:, 2] != joined[:, 0])
    joined = joined[proper].astype(np.int64)
    halves = np.concatenate([joined[:, [0, 1]], joined[:, [1, 2]], joined[:, [2, 0]]])
    keys = halves[:, 0] * len(unique) + halves[:, 1]
    reverse = halves[:, 1] * len(unique) + halves[:, 0]
    # Sorted by hand: NumPy's `unique` of such keys works by hashing, and takes ten times as long.
    keys.sort()
    reverse.sort()
    if (keys[1:] == keys[:-1]).any() or not np.array_equal(keys, reverse):
        return None
    used, joined = _renumbered(joined, len(unique))
    # Equal bodies give equal files, whatever order their faces come in.
    first = np.argmin(joined, axis=1)
    joined = np.take_along_axis(joined, (first[:, None] + np.arange(3)) % 3, axis=1)
    return unique[used], joined[np.lexsort(joined.T[::-1])]


def _arrays(body: Manifold) -> tuple[NDArray[np.float64], Ints]:
    mesh = body.to_mesh64()
    return np.asarray(mesh.vert_properties)[:, :3], np.asarray(mesh.tri_verts).astype(np.int64)


def _shape_of(vertices: NDArray[np.floating], faces: Ints) -> tuple[int, int]:
    """The number of parts and the Euler characteristic, of the corners that are used."""
    used, index = _renumbered(faces, len(vertices))
    edges = np.concatenate([index[:, [0, 1]], index[:, [1, 2]], index[:, [2, 0]]]).T
    graph = coo_array((np.ones(edges.shape[1], dtype=np.int8), edges), shape=(len(used), len(used)))
    parts, _ = connected_components(graph, directed=False)
    return int(parts), len(used) - edges.shape[1] // 2 + len(faces)


def _renumbered(faces: Ints, count: int) -> tuple[Ints, Ints]:
    """The corners that are used, in order, and the faces (m, 3) by their numbers among these."""
    present = np.zeros(count, dtype=bool)
    present[faces] = True
    return np.flatnonzero(present), (np.cumsum(present) - 1)[faces]
