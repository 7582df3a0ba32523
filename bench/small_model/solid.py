"""Measures a solid from its mesh alone: its sizes, what cuts through it show, where its channels end. Millimetres."""

from collections import deque
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import trimesh
from manifold3d import Manifold, Mesh
from numpy.typing import NDArray
from scipy import ndimage

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class Hole:
    """A hole in a cut: the diameter of a circle of its area, and its centre in the plane of the cut."""

    diameter: float
    centre: tuple[float, float]


class Solid:
    """A closed mesh; `extents` and `low` are its box."""

    def __init__(self, mesh: trimesh.Trimesh) -> None:
        mesh.merge_vertices()
        self.mesh = mesh
        self.extents: Floats = np.asarray(mesh.extents, dtype=float)
        self.low: Floats = np.asarray(mesh.bounds[0], dtype=float)
        self.hull_volume = float(mesh.convex_hull.volume)

    @classmethod
    def read(cls, path: Path) -> "Solid":
        """Read a mesh file.

        Raises:
            ValueError: it holds no closed surface.
        """
        mesh = trimesh.load_mesh(path)
        if not len(getattr(mesh, "faces", ())):
            raise ValueError(f"{path.name} holds no surface")
        solid = cls(mesh)
        if not solid.mesh.is_watertight:
            raise ValueError(f"{path.name} is no closed surface")
        return solid

    def holes(self, axis: int, share: float) -> list[Hole]:
        """The holes of the cut across an axis, at a share of the length, where the solid surrounds them."""
        contours = self._cut(axis, float(self.low[axis] + share * self.extents[axis]))
        return [_hole(contour) for contour in contours if _area(contour) < 0]

    def openings(self, axis: int, side: int) -> list[Hole]:
        """The openings in a face of the box: the holes of a cut a hundredth of a millimetre or so below it."""
        below = min(0.05, 0.002 * float(self.extents[axis]))
        share = below / float(self.extents[axis])
        return self.holes(axis, share if side < 0 else 1 - share)

    def void_parts(self, pitch: float) -> int:
        """Into how many separate parts the hollow in the box falls; crumbs of a few cubes are none."""
        labels, count = ndimage.label(self.void(pitch))
        return int(np.sum(np.bincount(labels.ravel())[1:] > 8)) if count else 0

    def ends(self, pitch: float, least: float) -> int:
        """How many ends the hollow has, counted from its largest opening.

        An end is a place from which every way on leads back; the way back to where it meets another must be longer
        than `least`, or it is a bulge in a wall.

        Args:
            pitch: side of the cubes that the hollow is cut into, mm.
            least: mm.
        """
        void = self.void(pitch)
        ways = _ways(void, _mouth(void))
        cells = np.argwhere(ways >= 0)
        order = np.argsort(-ways[tuple(cells.T)], kind="stable")
        return _maxima([tuple(cell) for cell in cells[order]], ways, least / pitch)

    def void(self, pitch: float) -> Bools:
        """The hollow in the box as cubes, with a rim of full ones around it, but for the openings."""
        counts = np.maximum(np.ceil(self.extents / pitch).astype(int), 1)
        middles = [self.low[axis] + (np.arange(counts[axis]) + 0.5) * pitch for axis in range(3)]
        planes = [_filled(self._cut(2, float(z)), middles[0], middles[1]) for z in middles[2]]
        return ~np.stack(planes, axis=2)

    def _cut(self, axis: int, at: float) -> list[Floats]:
        # The two other axes keep their order, and the cut is made across z.
        order = [each for each in range(3) if each != axis] + [axis]
        points = np.asarray(self.mesh.vertices)[:, order].astype(np.float32)
        faces = np.asarray(self.mesh.faces, dtype=np.uint32)
        faces = faces if axis != 1 else faces[:, ::-1]
        body = Manifold(Mesh(vert_properties=points, tri_verts=np.ascontiguousarray(faces)))
        return [np.asarray(each, dtype=float) for each in body.slice(at).to_polygons()]


def _area(contour: Floats) -> float:
    x, y = contour[:, 0], contour[:, 1]
    return float(np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y) / 2)


def _hole(contour: Floats) -> Hole:
    middle = contour.mean(axis=0)
    return Hole(2 * float(np.sqrt(abs(_area(contour)) / np.pi)), (float(middle[0]), float(middle[1])))


def _filled(contours: list[Floats], xs: Floats, ys: Floats) -> Bools:
    """Which middles of squares lie inside, by the number of borders to their left."""
    inside = np.zeros((len(xs), len(ys)), dtype=bool)
    if not contours:
        return inside
    starts = np.concatenate(contours)
    ends = np.concatenate([np.roll(each, -1, axis=0) for each in contours])
    for row, y in enumerate(ys):
        crossed = (starts[:, 1] > y) != (ends[:, 1] > y)
        first, second = starts[crossed], ends[crossed]
        at = np.sort(first[:, 0] + (y - first[:, 1]) * (second[:, 0] - first[:, 0]) / (second[:, 1] - first[:, 1]))
        inside[:, row] = np.searchsorted(at, xs) % 2 == 1
    return inside


def _mouth(void: Bools) -> list[tuple[int, int, int]]:
    """The cubes of the largest opening in a face of the box."""
    best: list[tuple[int, int, int]] = []
    for axis in range(3):
        for at in (0, void.shape[axis] - 1):
            labels, count = ndimage.label(np.take(void, at, axis=axis))
            for label in range(1, count + 1):
                cells = [list(cell) for cell in np.argwhere(labels == label)]
                if len(cells) > len(best):
                    best = [tuple(int(n) for n in [*cell[:axis], at, *cell[axis:]]) for cell in cells]  # type: ignore[misc]
    return best


def _ways(void: Bools, mouth: list[tuple[int, int, int]]) -> NDArray[np.int32]:
    """Steps from the mouth to each cube of the hollow; -1 where no way leads."""
    steps = np.full(void.shape, -1, dtype=np.int32)
    queue = deque(mouth)
    for cell in mouth:
        steps[cell] = 0
    while queue:
        x, y, z = queue.popleft()
        after = steps[x, y, z] + 1
        for near in ((x + 1, y, z), (x - 1, y, z), (x, y + 1, z), (x, y - 1, z), (x, y, z + 1), (x, y, z - 1)):
            if all(0 <= n < m for n, m in zip(near, void.shape, strict=True)) and void[near] and steps[near] < 0:
                steps[near] = after
                queue.append(near)
    return steps


def _maxima(cells: list[tuple[int, ...]], ways: NDArray[np.int32], least: float) -> int:
    """Tops of the way that lie more than `least` above where they meet a higher one; `cells` from the highest down."""
    parent: dict[tuple[int, ...], tuple[int, ...]] = {}
    count = 1 if cells else 0

    def top(cell: tuple[int, ...]) -> tuple[int, ...]:
        while parent[cell] != cell:
            parent[cell] = parent[parent[cell]]
            cell = parent[cell]
        return cell

    for x, y, z in cells:
        parent[x, y, z] = (x, y, z)
        for near in ((x + 1, y, z), (x - 1, y, z), (x, y + 1, z), (x, y - 1, z), (x, y, z + 1), (x, y, z - 1)):
            if near not in parent:
                continue
            one, other = sorted((top(near), top((x, y, z))), key=lambda each: int(ways[each]))
            if one != other:
                parent[one] = other
                count += int(ways[one]) - int(ways[x, y, z]) > least
    return count
