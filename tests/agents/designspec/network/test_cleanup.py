"""Cleaning: fewer segments for the same shape, short ends cut, near nodes joined, ports never lost."""

import numpy as np
import pytest

from loopwright.agents.designspec.document.policies import NetworkCleanupPolicy
from loopwright.agents.designspec.network.collision_repair import graph_facts
from loopwright.agents.designspec.network.growth import clean_network
from tests.agents.designspec.network.shapes import binary_tree, network


def policy(**fields):
    return NetworkCleanupPolicy.model_validate(fields)


def test_straight_runs_become_one_segment_and_bends_stay():
    points = [(0, 0, 0), (1, 0, 0), (2, 0, 0), (3, 0, 0), (3, 1, 0), (3, 2, 0)]
    cleaned = clean_network(network(points, [(k, k + 1) for k in range(5)]), policy())
    assert cleaned.positions[cleaned.segments].tolist() == [[[0, 0, 0], [3, 0, 0]], [[3, 0, 0], [3, 2, 0]]]


def test_even_tapers_are_kept_and_uneven_ones_are_no_taper():
    tapering = network([(0, 0, 0), (1, 0, 0), (2, 0, 0), (3, 0, 0)], [(0, 1), (1, 2), (2, 3)])
    tapering.radii[:] = [[0.4, 0.3], [0.3, 0.2], [0.2, 0.1]]
    assert clean_network(tapering, policy()).radii.tolist() == [[0.4, 0.1]]
    tapering.radii[:] = [[0.4, 0.4], [0.3, 0.3], [0.3, 0.3]]
    assert clean_network(tapering, policy()).radii.tolist() == [[0.4, 0.4], [0.3, 0.3]]


def test_cleaning_a_tree_keeps_its_facts():
    tree = binary_tree(4)
    cleaned = clean_network(tree, policy(enable_merge=True, enable_snap=True, enable_prune=True))
    assert graph_facts(cleaned) == graph_facts(tree)


def test_short_ends_are_cut_back_to_their_junction():
    points = [(0, 0, 0), (0, 0, -1), (0, 0, -2), (0.01, 0, -1), (0.02, 0, -1)]
    stub = network(points, [(0, 1), (1, 2), (1, 3), (3, 4)])
    cleaned = clean_network(stub, policy(enable_prune=True, min_segment_length=0.03))
    assert cleaned.positions[cleaned.segments].tolist() == [[[0, 0, 0], [0, 0, -2]]]
    assert graph_facts(clean_network(stub, policy(enable_prune=True, min_segment_length=0.005))).terminals == 2


def test_snapping_joins_ends_and_the_facts_count_the_ring():
    points = [(0, 0, 0), (0, 0, -1), (1, 0, -2), (-1, 0, -2), (0.999, 0, -2.001)]
    open_ring = network(points, [(0, 1), (1, 2), (1, 3), (3, 4)])
    assert graph_facts(open_ring).cycle_rank == 0
    cleaned = clean_network(open_ring, policy(enable_snap=True, snap_tol=0.01))
    assert graph_facts(cleaned).cycle_rank == 1


def test_merging_joins_doubled_nodes():
    doubled = network([(0, 0, 0), (1, 0, 0), (1, 0, 1e-7), (2, 1, 0)], [(0, 1), (2, 3)], ports={"in": 0})
    assert graph_facts(doubled).components == 2
    assert graph_facts(clean_network(doubled, policy(enable_merge=True, merge_tol=1e-5))).components == 1


def test_facts_of_a_known_network():
    points = [(0, 0, 0), (0, 0, -1), (1, 0, -2), (-1, 0, -2), (0, 0, -3), (9, 9, 9), (9, 9, 8)]
    net = network(points, [(0, 1), (1, 2), (1, 3), (2, 4), (3, 4), (5, 6)], 0.1, ports={"in": 0, "out": 4, "in_2": 5})
    facts = graph_facts(net)
    assert (facts.components, facts.cycle_rank, facts.junctions, facts.terminals) == (2, 1, 1, 1)
    assert facts.ports_by_component == (("in", "out"), ("in_2",))
    assert facts.total_length == pytest.approx(2 + 4 * np.sqrt(2))
    assert facts.bounds[0] == pytest.approx((-1.1, -0.1, -3.1))
