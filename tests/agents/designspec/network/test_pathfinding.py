"""Routes: they arrive, keep their distance, and are found again the same."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.agents.designspec.document.policies import PathfindingPolicy
from loopwright.agents.designspec.network.pathfinding import Grid, curved_route, find_route, search_grid
from loopwright.agents.designspec.network.proximity import Rods
from tests.agents.designspec.network.analytic_probes import BoxProbe

BOX = BoxProbe((0.02, 0.02, 0.01))
NOTHING = Rods(np.zeros((0, 3)), np.zeros((0, 3)), np.zeros((0, 2)))
START, END = np.array([-0.008, 0.0, 0.0]), np.array([0.008, 0.0, 0.0])


def wall_of_posts(gap_at=None):
    """Upright posts across the middle, 1.2 mm thick and 1 mm apart, but for a gap."""
    places = [y for y in np.arange(-0.0095, 0.01, 0.001) if gap_at is None or abs(y - gap_at) > 0.0021]
    low = np.array([[0.0, y, -0.005] for y in places])
    return Rods(low, low + np.array([0, 0, 0.01]), np.full((len(low), 2), 0.0006))


def dense(path):
    share = np.linspace(0, 1, 200)[:, None]
    return np.concatenate([a + share * (b - a) for a, b in pairwise(path)])


def distance_to(rods, points):
    """To upright posts."""
    across = np.linalg.norm(points[:, None, :2] - rods.starts[None, :, :2], axis=2)
    return (across - rods.radii[:, 0]).min(axis=1)


def test_free_way_is_straight():
    assert np.array_equal(find_route(START, END, BOX, 2e-4, NOTHING, PathfindingPolicy()), np.stack([START, END]))


def test_goes_through_the_gap_and_keeps_its_distance():
    posts = wall_of_posts(gap_at=0.006)
    path = find_route(START, END, BOX, 2e-4, posts, PathfindingPolicy(), radius=3e-4)
    assert np.array_equal(path[[0, -1]], np.stack([START, END]))
    points = dense(path)
    # probed at a sixth of the distance, so a twelfth of it may be missing between two probes
    assert distance_to(posts, points).min() >= 5e-4 * 11 / 12
    assert BOX.depth(points).min() >= 5e-4 * 11 / 12
    shortest = 2 * np.linalg.norm([0.008, 0.0045])
    assert np.linalg.norm(np.diff(path, axis=0), axis=1).sum() < 1.25 * shortest
    assert np.array_equal(path, find_route(START, END, BOX, 2e-4, posts, PathfindingPolicy(), radius=3e-4))


def test_says_when_there_is_no_way():
    assert find_route(START, END, BOX, 2e-4, wall_of_posts(), PathfindingPolicy()) is None


def test_leaves_a_port_on_the_surface():
    top, side = np.array([0.0, 0.0, 0.005]), np.array([0.01, 0.0, 0.0])
    path = find_route(top, side, BOX, 2e-4, wall_of_posts(gap_at=0.0), PathfindingPolicy(), radius=3e-4)
    assert np.array_equal(path[[0, -1]], np.stack([top, side]))
    assert BOX.depth(dense(path)).min() >= -1e-9


@pytest.mark.parametrize(
    ("mode", "wanted"), [("none", 0.0), ("clearance", 2e-4), ("clearance_plus_local_radius", 7e-4)]
)
def test_inflation_modes(mode, wanted):
    posts = Rods(np.array([[0.0, 0.0, -0.005]]), np.array([[0.0, 0.0, 0.005]]), np.full((1, 2), 0.001))
    path = find_route(START, END, BOX, 2e-4, posts, PathfindingPolicy(inflation_mode=mode), radius=5e-4)
    assert distance_to(posts, dense(path)).min() >= wanted * 11 / 12 - 1e-9


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=15, deadline=None)
def test_search_is_shortest(seed):
    random = np.random.default_rng(seed)
    grid = Grid(np.zeros(3), 1.0, (5, 4, 3))
    free = np.flatnonzero(random.random(grid.cells) < 0.7)
    start, end = grid.centres(random.integers(0, grid.cells, 2))
    found = search_grid(grid, start, end, free)
    expected = dijkstra(grid, free, grid.cell_of(start), grid.cell_of(end))
    if expected is None:
        assert found is None
    else:
        assert np.linalg.norm(np.diff(found, axis=0), axis=1).sum() == pytest.approx(expected)


def dijkstra(grid, free, first, last):
    """By relaxing every pair until nothing changes."""
    cells = np.unique([*free, first, last])
    centres = grid.centres(cells)
    apart = np.abs(centres[:, None] - centres[None]).max(axis=2)
    step = np.where(apart <= 1.0, np.linalg.norm(centres[:, None] - centres[None], axis=2), np.inf)
    entered = np.isin(cells, [*free, last])
    step[:, ~entered] = np.inf
    cost = np.where(cells == first, 0.0, np.inf)
    for _ in range(len(cells)):
        cost = np.minimum(cost, (cost[:, None] + step).min(axis=0))
    result = cost[np.searchsorted(cells, last)]
    return None if np.isinf(result) else result


def test_curve_begins_and_ends_in_its_directions():
    up, along = np.array([0.0, 0.0, 1.0]), np.array([1.0, 0.0, 0.0])
    curve = curved_route(START, END, up, along, 0.3)
    first, last = curve[1] - curve[0], curve[-1] - curve[-2]
    assert first @ up > 0.9 * np.linalg.norm(first)
    assert last @ along > 0.9 * np.linalg.norm(last)
    bowed = curved_route(START, END, None, None, 0.25)
    assert np.abs(bowed[8, 1]) == pytest.approx(0.75 * 0.25 * 0.016)
