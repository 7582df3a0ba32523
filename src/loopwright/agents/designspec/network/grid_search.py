"""A* on a grid of cubic cells."""

import heapq
import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.ndimage import label

from loopwright.agents.designspec.network.network import Floats, Ints

STEPS = np.array(
    [(x, y, z) for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1) if (x, y, z) != (0, 0, 0)], dtype=np.int64
)


@dataclass(frozen=True)
class Grid:
    """Cubic cells of edge `pitch` (metres) from the corner `low` (3,) on, `shape` of them along the axes."""

    low: Floats
    pitch: float
    shape: tuple[int, int, int]

    @classmethod
    def of(cls, low: Floats, high: Floats, most: int, least: float) -> "Grid":
        """Cells over a box: as small as the number of cells permits, but no smaller than `least`."""
        size = np.maximum(high - low, 1e-12)
        pitch = max(float(np.prod(size) / most) ** (1 / 3), least)
        while True:
            shape = np.maximum(np.ceil(size / pitch), 1).astype(np.int64)
            if int(shape.prod()) <= most:
                return cls(np.asarray(low), pitch, (int(shape[0]), int(shape[1]), int(shape[2])))
            # thin boxes round up to more cells than their volume has
            pitch *= 1.1

    @property
    def cells(self) -> int:
        """How many there are."""
        return self.shape[0] * self.shape[1] * self.shape[2]

    def finer(self, factor: int) -> "Grid":
        """The same cells cut in so many along each edge."""
        x, y, z = self.shape
        return Grid(self.low, self.pitch / factor, (x * factor, y * factor, z * factor))

    def centres(self, cells: Ints | None = None) -> Floats:
        """(n, 3): the middles of cells given by number; of all where none are given."""
        numbers = np.arange(self.cells) if cells is None else cells
        index = np.stack(np.unravel_index(numbers, self.shape), axis=1)
        return np.asarray(self.low + (index + 0.5) * self.pitch)

    def cell_of(self, point: Floats) -> int:
        """The number of the cell that holds a point (3,), or of the one next to it."""
        index = np.clip(np.floor((point - self.low) / self.pitch).astype(np.int64), 0, np.array(self.shape) - 1)
        return int(np.ravel_multi_index(tuple(index), self.shape))

    def around(self, path: Floats, reach: float) -> Ints:
        """The numbers of the cells within about `reach` of a path (n, 3), in order."""
        found = []
        span = int(np.ceil(reach / self.pitch))
        steps = np.stack(np.meshgrid(*[np.arange(-span, span + 1)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
        steps = steps[(steps**2).sum(axis=1) <= (span + 0.5) ** 2]
        for start, end in pairwise(path):
            count = int(np.linalg.norm(end - start) / max(reach, self.pitch)) + 2
            points = start + np.linspace(0.0, 1.0, count)[:, None] * (end - start)
            index = np.floor((points - self.low) / self.pitch).astype(np.int64)
            index = (index[:, None] + steps[None]).reshape(-1, 3)
            inside = ((index >= 0) & (index < np.array(self.shape))).all(axis=1)
            found.append(np.unique(np.ravel_multi_index(tuple(index[inside].T), self.shape)))
        return np.unique(np.concatenate(found))


def search_grid(grid: Grid, start: Floats, end: Floats, free: Ints) -> Floats | None:
    """The shortest way over the free cells (given by number) from one point's cell to another's.

    The cells of the two points themselves count as free. Ties are settled by the cells' numbers, so that the same grid
    gives the same way.

    Returns:
        (k, 3): the middles of the cells passed; None where there is no way.
    """
    first, last = grid.cell_of(start), grid.cell_of(end)
    if not _connected(grid, free, first, last):
        return None
    steps = [(int(x), int(y), int(z), math.sqrt(x * x + y * y + z * z)) for x, y, z in STEPS]
    width, height, depth = grid.shape
    goal = [int(value) for value in np.unravel_index(last, grid.shape)]
    open_cells = {*free.tolist(), last}
    cost = {first: 0.0}
    before = {first: first}
    waiting = [(0.0, first)]
    settled: set[int] = set()
    while waiting:
        _, cell = heapq.heappop(waiting)
        if cell == last:
            return grid.centres(_way(before, last))
        if cell in settled:
            continue
        settled.add(cell)
        x, rest = divmod(cell, height * depth)
        y, z = divmod(rest, depth)
        here = cost[cell]
        for dx, dy, dz, size in steps:
            if not (0 <= x + dx < width and 0 <= y + dy < height and 0 <= z + dz < depth):
                continue
            other = ((x + dx) * height + y + dy) * depth + z + dz
            if other not in open_cells or other in settled:
                continue
            new = here + size
            if new < cost.get(other, np.inf):
                cost[other], before[other] = new, cell
                ahead = math.dist((x + dx, y + dy, z + dz), goal)
                heapq.heappush(waiting, (new + ahead, other))
    return None


def _connected(grid: Grid, free: Ints, first: int, last: int) -> bool:
    """Whether there is any way: a search that has to look at every cell to find none is slow."""
    open_cells = np.zeros(grid.cells, dtype=bool)
    open_cells[free] = open_cells[[first, last]] = True
    labels, _ = label(open_cells.reshape(grid.shape), structure=np.ones((3, 3, 3)))
    return bool(labels.flat[first] == labels.flat[last])


def _way(before: dict[int, int], last: int) -> Ints:
    way = [last]
    while before[way[-1]] != way[-1]:
        way.append(before[way[-1]])
    return np.asarray(way[::-1], dtype=np.int64)
