"""Collisions: what touches without belonging together, told from what grows out of one junction."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.agents.designspec.network.collision_repair import RepairPlan, graph_facts, resolve_collisions
from loopwright.agents.designspec.network.proximity import closest_parameters, find_collisions
from tests.agents.designspec.network.analytic_probes import BoxProbe
from tests.agents.designspec.network.shapes import binary_tree, network, side_by_side

PROBE = BoxProbe((1.0, 1.0, 1.0))
PLAN = RepairPlan(("reroute", "shrink", "terminate"), 1e-4, 0.0, 0.9, 5, 3, 1e-5)


def fork(half_angle, pieces=6, length=0.01, radius=0.0005):
    """A stem and two straight children in pieces."""
    positions, segments = [(0, 0, length), (0, 0, 0)], [(0, 1)]
    for side in (-1, 1):
        previous = 1
        for k in range(1, pieces + 1):
            way = length * k / pieces
            segments.append((previous, len(positions)))
            previous = len(positions)
            positions.append((side * way * np.sin(half_angle), 0, -way * np.cos(half_angle)))
    return network(positions, segments, radius)


@given(st.lists(st.floats(-1, 1), min_size=12, max_size=12))
@settings(max_examples=60, deadline=None)
def test_closest_points_are_not_farther_than_any_sampled_pair(numbers):
    a, b, c, d = (np.array([numbers[k : k + 3]]) for k in (0, 3, 6, 9))
    s, t = closest_parameters(a, b, c, d)
    best = np.linalg.norm((a + (b - a) * s[:, None]) - (c + (d - c) * t[:, None]))
    share = np.linspace(0, 1, 21)
    one, two = a + (b - a) * share[:, None], c + (d - c) * share[:, None]
    assert best <= np.linalg.norm(one[:, None] - two[None], axis=2).min() + 1e-9


@pytest.mark.parametrize("degrees", [16, 25, 45, 80])
def test_a_fork_is_no_collision_however_finely_it_is_cut(degrees):
    assert find_collisions(fork(np.radians(degrees)), 1e-4) == []


def test_children_that_hardly_part_collide_and_so_does_a_branch_that_comes_back():
    assert find_collisions(fork(np.radians(4)), 1e-4)
    ring = [(0, 0, 0), (0.01, 0, 0), (0.01, 0.01, 0), (0, 0.01, 0), (0, 0.0011, 0)]
    hits = find_collisions(network(ring, [(0, 1), (1, 2), (2, 3), (3, 4)], 0.0006), 1e-4)
    assert [(hit.first, hit.second) for hit in hits] == [(0, 3)]
    assert hits[0].gap == pytest.approx(0.0011 - 0.0012)
    assert hits[0].place == pytest.approx((0, 0.00055, 0))


def test_the_gap_of_tapering_rods_is_that_of_their_surfaces():
    rods = network([(0, 0, 0), (0.01, 0, 0), (0, 0.002, 0), (0.01, 0.003, 0)], [(0, 1), (2, 3)], ports={})
    rods.radii[0] = (0.0001, 0.0018)
    hit = find_collisions(rods, 0.0015)[0]
    assert hit.gap == pytest.approx(0.003 - 0.0001 - 0.0018, abs=2e-5)


def test_the_search_finds_what_brute_force_finds():
    random = np.random.default_rng(1)
    count = 700
    starts = random.random((count, 3)) * 0.3
    ends = starts + random.normal(size=(count, 3)) * random.choice([0.002, 0.02], (count, 1))
    pairs = np.stack([np.arange(count), np.arange(count) + count], axis=1)
    rods = network(np.concatenate([starts, ends]), pairs, random.choice([0.0003, 0.002], count), ports={})
    one, two = np.triu_indices(count, 1)
    s, t = closest_parameters(starts[one], ends[one], starts[two], ends[two])
    a, b = starts[one] + (ends - starts)[one] * s[:, None], starts[two] + (ends - starts)[two] * t[:, None]
    touching = np.linalg.norm(a - b, axis=1) - rods.radii[one, 0] - rods.radii[two, 0] < 1e-3 - 1e-9
    found = {(hit.first, hit.second) for hit in find_collisions(rods, 1e-3)}
    assert found == set(zip(one[touching].tolist(), two[touching].tolist(), strict=True))
    assert len(found) > 20


def crossing(offset, radius=0.0005):
    """Two trees whose branches cross at a distance."""
    points = [(0, 0, 0.1), (0, 0, 0), (-0.05, 0, -0.05), (0.05, 0, -0.05), (0.05, offset, 0.1), (0.03, offset, -0.06)]
    return network(points, [(0, 1), (1, 2), (1, 3), (4, 5)], radius, ports={"in": 0, "in_2": 4})


@pytest.mark.parametrize(("offset", "way"), [(0.00105, "reroute"), (0.00105, "shrink"), (0.0001, "terminate")])
def test_each_way_of_repair_leaves_no_collision(offset, way):
    clashing = crossing(offset)
    assert find_collisions(clashing, PLAN.clearance)
    plan = RepairPlan((way,), 1e-4, 0.0, 0.9, 5, 5, 1e-5)
    repaired, notes = resolve_collisions(clashing, PROBE, plan)
    assert find_collisions(repaired, PLAN.clearance) == []
    assert len(notes) == 1
    assert set(repaired.ports) == {"in", "in_2"}
    assert graph_facts(repaired).components == 2


def test_termination_takes_whole_subtrees_and_never_a_port():
    tree = binary_tree(3)
    rod = network([(0.035, 0.0, 1.0), (0.035, 0.0, -1.0)], [(0, 1)], ports={"other": 0})
    both = side_by_side(tree, rod)
    repaired, _ = resolve_collisions(both, PROBE, RepairPlan(("terminate",), 1e-4, 0.0, 0.9, 5, 3, 1e-5))
    facts = graph_facts(repaired)
    assert find_collisions(repaired, 1e-4) == []
    assert facts.ports_by_component == (("in",), ("other",))
    assert facts.components == 2


def test_what_cannot_be_repaired_is_said():
    ports = {"in": 0, "out": 1, "in_2": 2, "out_2": 3}
    cross = network([(-1, 0, 0), (1, 0, 0), (0, -1, 0), (0, 1, 0)], [(0, 1), (2, 3)], ports=ports)
    same, notes = resolve_collisions(cross, PROBE, PLAN)
    assert len(same.segments) == 2
    assert "1 collisions are left" in notes[-1]


def test_a_crotch_that_opens_a_little_and_closes_again_is_a_ring():
    points = [(6.8158, -2.3186, -5.0136), (7.0172, -2.2378, -4.075), (6.9887, -1.4892, -3.1558)]
    points += [(6.9719, -0.141, -2.1563), (6.5186, 4.1049, 2.9144), (7.284, -2.4101, -4.1642)]
    points += [(7.8843, -2.0492, -3.3209), (8.6203, -1.2522, -2.4538), (7.5939, 1.1035, 4.0733)]
    thin, thick = 0.5434, 0.9407
    ways = [(0, 1), (1, 2), (2, 3), (3, 4), (0, 5), (5, 6), (6, 7), (7, 8)]
    net = network(points, ways, [thin, thin, thin, thick, thin, thin, thin, thick])
    assert (3, 7) in {(hit.first, hit.second) for hit in find_collisions(net, 0.3)}
