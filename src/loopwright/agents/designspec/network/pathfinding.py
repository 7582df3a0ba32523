"""Routes between two points of a domain: straight, curved, or found around what is in the way."""

import heapq
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import label
from scipy.spatial import cKDTree

from loopwright.agents.designspec.document.policies import PathfindingPolicy
from loopwright.agents.designspec.network import DomainProbe, Floats, Ints, Network, Opening
from loopwright.agents.designspec.network.collision_repair import downstream, keep_segments, keep_with_ports, ports_stay
from loopwright.agents.designspec.network.proximity import Rods, join_rods, near_pairs, rods_of, surface_gaps

# Other components' channels, as something that growth goes around.

SHARED_REACH = 3.0
"""Around a port that two components share, so many of its radii are no obstacle."""
SHRINK_ROUNDS = 8


def obstacle_rods(networks: Sequence[Network]) -> Rods:
    """All segments of some networks."""
    return join_rods([rods_of(network) for network in networks if len(network.segments)])


def beyond_shared_ports(rods: Rods, openings: Sequence[Opening]) -> Rods:
    """The rods less what lies around ports where they too begin: there the channels are one, and must be."""
    if not len(rods):
        return rods
    for opening in openings:
        place = np.asarray(opening.position)
        ends = np.stack([rods.starts, rods.ends])
        if (np.linalg.norm(ends - place, axis=2) <= opening.radius).any():
            rods = _outside_ball(rods, place, SHARED_REACH * opening.radius)
    return rods


def _outside_ball(rods: Rods, place: Floats, reach: float) -> Rods:
    """What is left of the rods outside of a ball."""
    along, off = rods.ends - rods.starts, rods.starts - place
    a = np.maximum((along * along).sum(1), 1e-18)
    b, c = (along * off).sum(1), (off * off).sum(1) - reach**2
    root = b * b - a * c
    meets = root > 0
    half = np.sqrt(np.maximum(root, 0.0))
    enter, leave = np.clip((-b - half) / a, 0.0, 1.0), np.clip((-b + half) / a, 0.0, 1.0)
    enter[~meets], leave[~meets] = 1.0, 1.0
    before = _stretch(rods, np.zeros(len(rods)), enter).take(enter > 1e-9)
    after = _stretch(rods, leave, np.ones(len(rods))).take(leave < 1 - 1e-9)
    return join_rods([before, after])


def _stretch(rods: Rods, first: Floats, last: Floats) -> Rods:
    along, taper = rods.ends - rods.starts, (rods.radii[:, 1] - rods.radii[:, 0])[:, None]
    shares = np.stack([first, last], axis=1)
    return Rods(
        rods.starts + along * first[:, None], rods.starts + along * last[:, None], rods.radii[:, :1] + taper * shares
    )


def clear_of_obstacles(
    network: Network, obstacles: Rods, clearance: float, smallest: float, shrink_factor: float
) -> tuple[Network, list[str]]:
    """Make branches that touch obstacles thinner, and cut off with all that follows them those that still do.

    Returns:
        The network and what was done, in words; a branch that a port needs stays, and the words say so.
    """
    if not len(obstacles) or not len(network.segments):
        return network, []
    touching = _touching(network, obstacles, clearance)
    before, notes = len(network.segments), []
    for _ in range(SHRINK_ROUNDS if len(touching) else 0):
        rows = downstream(network, touching)
        radii = network.radii.copy()
        radii[rows] = np.maximum(radii[rows] * shrink_factor, np.minimum(radii[rows], smallest))
        thinner = replace(network, radii=radii)
        left = _touching(thinner, obstacles, clearance)
        if len(left) < len(touching):
            network, touching = thinner, left
    kept = 0
    while len(touching) > kept:
        lost = downstream(network, touching[kept : kept + 1])
        if ports_stay(network, lost):
            network = keep_with_ports(keep_segments(network, ~lost))
            touching = _touching(network, obstacles, clearance)
        else:
            kept += 1
    if before > len(network.segments):
        notes.append(f"{before - len(network.segments)} segments were cut off because they met other components")
    if len(touching):
        notes.append(f"{len(touching)} segments touch other components and could not be cut off: their ports need them")
    return network, notes


def _touching(network: Network, obstacles: Rods, clearance: float) -> Ints:
    own = rods_of(network)
    pairs = near_pairs(own, obstacles, clearance)
    gaps, _, _ = surface_gaps(own.take(pairs[:, 0]), obstacles.take(pairs[:, 1]))
    return np.unique(pairs[gaps < clearance - 1e-9, 0])


class AvoidingProbe:
    """A domain less the rods that stand in it, for backends that know domains only.

    The distance to the rods is measured to balls strung along them, which is at most a tenth of a radius too large;
    `clearance` is kept on top.
    """

    def __init__(self, probe: DomainProbe, rods: Rods, clearance: float) -> None:
        self._probe, self._clearance = probe, clearance
        points, radii = [], []
        for start, stop, (first, last) in zip(rods.starts, rods.ends, rods.radii, strict=True):
            count = max(2, int(np.ceil(np.linalg.norm(stop - start) / (0.8 * min(first, last)))) + 1)
            share = np.linspace(0.0, 1.0, min(count, 10_000))[:, None]
            points.append(start + share * (stop - start))
            radii.append((first + (last - first) * share[:, 0]) * 1.1)
        self._balls, self._radii = np.concatenate(points), np.concatenate(radii)
        self._classes = []
        size = np.ceil(np.log2(self._radii) * 4)
        for value in np.unique(size):
            rows = np.flatnonzero(size == value)
            self._classes.append((float(self._radii[rows].max()), cKDTree(self._balls[rows])))

    @property
    def bounds(self) -> Floats:
        """(2, 3): those of the domain."""
        return self._probe.bounds

    def inside(self, points: Floats) -> NDArray[np.bool_]:
        """(n,): inside the domain and not in an obstacle."""
        return np.asarray(self._probe.inside(points) & (self._free(points) >= 0))

    def depth(self, points: Floats) -> Floats:
        """(n,): distance to the boundary or to the nearest obstacle, whichever is nearer."""
        return np.minimum(self._probe.depth(points), self._free(points))

    def sample(self, count: int, random: np.random.Generator) -> Floats:
        """(count, 3): points spread evenly over what is free."""
        found, have = [], 0
        for _ in range(64):
            points = self._probe.sample(count, random)
            points = points[self._free(points) >= 0]
            found.append(points)
            have += len(points)
            if have >= count:
                break
        return np.concatenate(found)[:count]

    def _free(self, points: Floats) -> Floats:
        nearest = np.full(len(points), np.inf)
        for radius, tree in self._classes:
            nearest = np.minimum(nearest, tree.query(points)[0] - radius)
        return nearest - self._clearance


# A* on a grid of cubic cells.

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


MOST_COARSE_CELLS, MOST_FINE_CELLS = 16_000, 60_000
"""The policy's budgets hold where they are smaller: more cells make no better route."""
FINER = 4
"""Fine cells along the edge of a coarse one."""
REFINEMENTS = 2
"""How often a way is looked for, with cells of half the size the next time."""
OPENING_SLOPE = 0.5
"""How fast a route must come away from the wall where it begins or ends nearer to it than it may be elsewhere."""
SIGHT_SHARE = 1 / 6
"""The spacing, in shares of the wanted distance, at which a straight way is probed."""
CURVE_PIECES = 16


@dataclass(frozen=True)
class Clearings:
    """Where a route may go: `keep` metres from walls and obstacles, less where it begins or ends nearer to them."""

    probe: DomainProbe
    keep: float
    ends: Floats
    end_depths: Floats

    def free(self, points: Floats) -> NDArray[np.bool_]:
        """(n,): whether the route may pass the points (n, 3)."""
        if not len(points):
            return np.zeros(0, dtype=bool)
        apart = np.linalg.norm(points[:, None] - self.ends[None], axis=2)
        eased = (np.maximum(self.end_depths, 0.0) + OPENING_SLOPE * apart).min(axis=1)
        return np.asarray(self.probe.depth(points) >= np.minimum(self.keep, eased) - 1e-9)

    def sees(self, start: Floats, end: Floats) -> bool:
        """Whether the straight way between two points is free."""
        length = float(np.linalg.norm(end - start))
        count = int(np.clip(length / max(self.keep * SIGHT_SHARE, length / 2_000), 2, 2_000)) + 1
        return bool(self.free(start + np.linspace(0.0, 1.0, count)[:, None] * (end - start)).all())


def find_route(
    start: Floats,
    end: Floats,
    probe: DomainProbe,
    clearance: float,
    obstacles: Rods,
    policy: PathfindingPolicy,
    *,
    radius: float | None = None,
) -> Floats | None:
    """The way from one point to another that keeps clear of walls and obstacles.

    A* (Hart, Nilsson and Raphael 1968) on a coarse grid, again on a fine one within a corridor around that way, then
    corners are cut wherever the straight way is free.

    Args:
        start: (3,) in metres, inside the domain or on its boundary.
        end: (3,) likewise.
        probe: the domain.
        clearance: between the channel's surface and everything else, in metres.
        obstacles: what to keep clear of; not what the route is meant to touch.
        policy: budgets, and what the clearance is counted from.
        radius: the channel's radius; the policy's `local_radius` where it is None.

    Returns:
        (k, 3) points from start to end; None where there is no such way at the finest grid within the budget.
    """
    start, end = np.asarray(start, dtype=np.float64), np.asarray(end, dtype=np.float64)
    around = AvoidingProbe(probe, obstacles, 0.0) if len(obstacles) else probe
    keep = _kept(policy, clearance, policy.local_radius if radius is None else radius)
    ends = np.stack([start, end])
    clearings = Clearings(around, keep, ends, around.depth(ends))
    if clearings.sees(start, end):
        return ends
    low, high = probe.bounds
    budget = min(policy.max_voxels_coarse, MOST_COARSE_CELLS)
    for finer in range(REFINEMENTS):
        grid = Grid.of(low, high, budget * 8**finer, least=max(keep, 1e-9) / 2 ** (finer + 1))
        if finer and grid.cells > policy.max_voxels_coarse:
            break
        coarse = search_grid(grid, start, end, np.flatnonzero(clearings.free(grid.centres())))
        fine = None if coarse is None else _refined(coarse, grid, start, end, clearings, policy)
        if fine is not None:
            return fine
    return None


def _kept(policy: PathfindingPolicy, clearance: float, radius: float) -> float:
    if policy.inflation_mode == "none":
        return 0.0
    return clearance + (radius if policy.inflation_mode == "clearance_plus_local_radius" else 0.0)


def _refined(
    coarse: Floats, grid: Grid, start: Floats, end: Floats, clearings: Clearings, policy: PathfindingPolicy
) -> Floats | None:
    """The coarse way searched again with small cells in a corridor around it; straightened."""
    corridor = policy.corridor_radius_factor * grid.pitch
    budget = min(policy.max_voxels_fine, MOST_FINE_CELLS)
    for finer in (FINER, FINER // 2, 1):
        fine = grid.finer(finer)
        cells = fine.around(np.concatenate([start[None], coarse, end[None]]), corridor)
        if len(cells) > budget:
            continue
        found = search_grid(fine, start, end, cells[clearings.free(fine.centres(cells))])
        if found is not None:
            path = np.concatenate([start[None], found, end[None]])
            return _straightened(path, clearings)
    return None


def _straightened(path: Floats, clearings: Clearings) -> Floats | None:
    """Each point led straight to the farthest one that it sees (halving); None where two neighbours do not see."""
    kept, at, last = [0], 0, len(path) - 1
    while at < last:
        low, high = at + 1, last
        if not clearings.sees(path[at], path[high]):
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (middle, high) if clearings.sees(path[at], path[middle]) else (low, middle)
            if low == at + 1 and not clearings.sees(path[at], path[low]):
                return None
        else:
            low = high
        kept.append(low)
        at = low
    return np.asarray(path[kept])


def curved_route(start: Floats, end: Floats, leaving: Floats | None, arriving: Floats | None, bend: float) -> Floats:
    """A cubic Bézier curve, (17, 3).

    Args:
        start: (3,).
        end: (3,).
        leaving: the direction in which it begins; None where it is free.
        arriving: the direction in which it ends; None where it is free.
        bend: how far its control points lie from the ends, in shares of their distance; where both directions are
            free they lie so far beside the straight line.
    """
    way = end - start
    length = float(np.linalg.norm(way))
    first, second = start + way / 3, end - way / 3
    if leaving is None and arriving is None:
        beside = np.cross([0.0, 0.0, 1.0] if abs(way[2]) < 0.9 * length else [1.0, 0.0, 0.0], way)
        beside *= bend * length / max(float(np.linalg.norm(beside)), 1e-30)
        first, second = first + beside, second + beside
    if leaving is not None:
        first = start + leaving * abs(bend) * length
    if arriving is not None:
        second = end - arriving * abs(bend) * length
    t = np.linspace(0.0, 1.0, CURVE_PIECES + 1)[:, None]
    curve = (1 - t) ** 3 * start + 3 * (1 - t) ** 2 * t * first + 3 * (1 - t) * t**2 * second + t**3 * end
    return np.asarray(curve)
