"""Routes between two points of a domain: straight, curved, or found around what is in the way."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from loopwright.agents.designspec.document.policies.growth import PathfindingPolicy
from loopwright.agents.designspec.network.grid_search import Grid, search_grid
from loopwright.agents.designspec.network.network import Floats
from loopwright.agents.designspec.network.obstacles import AvoidingProbe
from loopwright.agents.designspec.network.probe import DomainProbe
from loopwright.agents.designspec.network.proximity import Rods

RouteMode = Literal["straight", "astar", "bezier"]
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
