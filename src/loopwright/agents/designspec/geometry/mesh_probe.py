"""Probing a body by its mesh."""

from collections.abc import Callable

import numpy as np
import trimesh
from manifold3d import Manifold
from numpy.typing import NDArray
from vtkmodules.util.numpy_support import numpy_to_vtk, vtk_to_numpy
from vtkmodules.vtkCommonCore import vtkDataArray, vtkDoubleArray, vtkPoints
from vtkmodules.vtkCommonDataModel import vtkCellArray, vtkPolyData
from vtkmodules.vtkFiltersCore import vtkImplicitPolyDataDistance

from loopwright.agents.designspec.network.orientation import Floats, Ints
from loopwright.kernel.errors import InvalidInput

# --------------------------------------------------------------------------------------------------------------------
# Points spread evenly over a volume.
# --------------------------------------------------------------------------------------------------------------------

LEAST_SHARE = 1e-5
"""Share of its bounds below which a body is too thin to be sampled."""
LARGEST_BATCH = 2_000_000


def sampled(
    bounds: Floats, inside: Callable[[Floats], NDArray[np.bool_]], count: int, random: np.random.Generator
) -> Floats:
    """(count, 3): points drawn within the bounds and kept where they lie inside.

    Raises:
        InvalidInput: so few lie inside that it would not end.
    """
    parts: list[Floats] = []
    found = drawn = 0
    while found < count:
        share = max(LEAST_SHARE, found / drawn) if drawn else 0.5
        batch = int(min(LARGEST_BATCH, 1.1 * (count - found) / share + 64))
        points = random.uniform(bounds[0], bounds[1], (batch, 3))
        kept = points[inside(points)]
        parts.append(kept)
        found, drawn = found + len(kept), drawn + batch
        if drawn > 64 / LEAST_SHARE and found < LEAST_SHARE * drawn:
            raise InvalidInput("The domain is too thin for points to be drawn in it.")
    return np.concatenate(parts)[:count] if parts else np.zeros((0, 3))


ON_BOUNDARY = 1e-9
"""Share of the body's size within which a point counts as on the boundary."""


class MeshProbe:
    """Asks any closed body about points: exact distances to its faces, in double precision."""

    def __init__(self, body: Manifold) -> None:
        mesh = body.to_mesh64()
        vertices = np.ascontiguousarray(np.asarray(mesh.vert_properties)[:, :3])
        faces = np.asarray(mesh.tri_verts).astype(np.int64)
        self._bounds = np.stack([vertices.min(axis=0), vertices.max(axis=0)])
        self._size = float(np.linalg.norm(self._bounds[1] - self._bounds[0]))
        self._distance = vtkImplicitPolyDataDistance()
        self._distance.SetInput(_poly_data(vertices, faces))
        # Rays are cast in single precision: around the origin and at size 1 they lose the least.
        self._rays = trimesh.Trimesh((vertices - self._bounds.mean(axis=0)) / self._size, faces, process=False)

    @property
    def bounds(self) -> Floats:
        """(2, 3): the lowest and the highest corner."""
        return self._bounds

    def depth(self, points: Floats) -> Floats:
        """(n,): distance of each point to the nearest face, positive inside."""
        queried = np.ascontiguousarray(np.asarray(points, dtype=np.float64).reshape(-1, 3))
        if not len(queried):
            return np.zeros(0)
        found = vtkDoubleArray()
        self._distance.FunctionValue(_array(queried), found)
        return -np.array(vtk_to_numpy(found), dtype=np.float64)  # type: ignore[no-untyped-call]  # VTK's Python is untyped

    def inside(self, points: Floats) -> NDArray[np.bool_]:
        """(n,): whether each point lies inside or on the boundary."""
        queried = np.asarray(points, dtype=np.float64).reshape(-1, 3)
        slack = ON_BOUNDARY * self._size
        found = np.all((queried >= self._bounds[0] - slack) & (queried <= self._bounds[1] + slack), axis=1)
        found[found] = self.depth(queried[found]) >= -slack
        return np.asarray(found, dtype=np.bool_)

    def sample(self, count: int, random: np.random.Generator) -> Floats:
        """(count, 3): points spread evenly over the volume."""
        return sampled(self._bounds, self._struck, count, random)

    def _struck(self, points: Floats) -> NDArray[np.bool_]:
        """Whether points lie inside, by rays: many times faster than distances, and unsure on the boundary only."""
        return np.asarray(self._rays.contains((points - self._bounds.mean(axis=0)) / self._size))


def _poly_data(vertices: Floats, faces: Ints) -> vtkPolyData:
    points = vtkPoints()
    points.SetDataTypeToDouble()
    points.SetData(_array(vertices))
    starts = np.arange(0, 3 * len(faces) + 1, 3, dtype=np.int64)
    cells = vtkCellArray()
    cells.SetData(_array(starts), _array(faces.ravel()))
    surface = vtkPolyData()
    surface.SetPoints(points)
    surface.SetPolys(cells)
    return surface


def _array(values: Floats | Ints) -> vtkDataArray:
    """A copy that VTK owns."""
    copied: vtkDataArray = numpy_to_vtk(values, deep=True)  # type: ignore[no-untyped-call]  # VTK's Python is untyped
    return copied
