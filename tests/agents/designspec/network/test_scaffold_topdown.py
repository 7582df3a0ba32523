"""Top-down scaffolds: full trees that keep the law, with the same bytes for the same seed."""

import numpy as np
import pytest

from loopwright.agents.designspec.document.policies import Policies
from loopwright.agents.designspec.network import Opening, silent
from loopwright.agents.designspec.network.collision_repair import graph_facts
from loopwright.agents.designspec.network.growth import grow_scaffold
from loopwright.agents.designspec.network.proximity import Rods, find_collisions, near_pairs, rods_of, surface_gaps
from loopwright.kernel.errors import InvalidInput
from tests.agents.designspec.network.analytic_probes import BoxProbe, CylinderProbe

BOX = BoxProbe((0.02, 0.04, 0.03))
DISC = CylinderProbe(0.005, 0.002)
TOP = Opening("in", "net", (0.0, 0.0, 0.015), (0.0, 0.0, -1.0), 0.001)
CLEARANCE, WALL = 1e-4, 1e-4


def policies(target=None, **params):
    growth = {"target_terminals": target, "backend_params": params}
    return Policies.model_validate({"growth": growth, "collision": {"collision_clearance": CLEARANCE}})


def grow(probe=BOX, openings=(TOP,), seed=7, target=None, obstacles=None, **params):
    return grow_scaffold(list(openings), probe, policies(target, **params), seed, silent, obstacles)


def off_the_stems(network):
    """Segments that do not begin at a port's channel through the wall."""
    stems = stem_nodes(network)
    return np.array([k for k, (start, _) in enumerate(network.segments) if start not in stems])


def stem_nodes(network):
    nodes = set(network.ports.values())
    degree = np.bincount(network.segments.ravel())
    for start, stop in network.segments:
        if start in nodes and degree[stop] == 2:
            nodes.add(stop)
    return nodes


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize(("probe", "target"), [(BOX, 30), (BOX, 120)])
def test_trees_keep_the_law(probe, target, seed):
    grown = grow(probe, seed=seed, target=target, splits=2)
    network = grown.network
    facts = graph_facts(network)
    assert (facts.components, facts.cycle_rank) == (1, 0)
    assert facts.terminals == grown.grown
    assert target * 0.9 <= facts.terminals <= target * 1.15
    assert find_collisions(network, CLEARANCE) == []
    free = off_the_stems(network)
    share = np.linspace(0, 1, 9)[:, None, None]
    points = network.starts[free] + share * (network.ends - network.starts)[free]
    depth = probe.depth(points.reshape(-1, 3)).reshape(9, -1)
    assert (depth - network.radii[free].max(axis=1)).min() >= WALL - 1e-9


def test_the_same_seed_gives_the_same_bytes_and_another_seed_another_tree():
    first, again, other = grow(seed=3, target=40), grow(seed=3, target=40), grow(seed=4, target=40)
    for name in ("positions", "segments", "radii"):
        assert getattr(first.network, name).tobytes() == getattr(again.network, name).tobytes()
    assert first.network.positions.tobytes() != other.network.positions.tobytes()


@pytest.mark.parametrize(("splits", "levels", "ends"), [(2, 3, 8), (3, 2, 9), (1, 4, 1), (4, 1, 4), (2, 0, 1)])
def test_splits_and_levels_say_how_many_ends(splits, levels, ends):
    assert grow(splits=splits, levels=levels).wanted == ends
    assert graph_facts(grow(splits=splits, levels=levels).network).terminals == ends


def test_ends_spread_over_the_whole_tissue():
    network = grow(target=64).network
    ends = network.positions[[kind == "terminal" for kind in network.node_types]]
    quadrants = {(bool(x > 0), bool(y > 0), bool(z > 0)) for x, y, z in ends}
    assert len(quadrants) == 8
    assert np.ptp(ends, axis=0) == pytest.approx(np.array([0.02, 0.04, 0.03]), rel=0.3)


def test_trees_share_the_tissue_and_stay_apart():
    ports = [Opening(f"p{k}", "net", (0.0, y, 0.015), (0, 0, -1.0), 0.0008) for k, y in enumerate((-0.01, 0.01))]
    network = grow(openings=ports, target=60).network
    facts = graph_facts(network)
    assert facts.ports_by_component == (("p0",), ("p1",))
    assert find_collisions(network, CLEARANCE) == []


def test_obstacles_are_kept_clear_of():
    bar = Rods(np.array([[-0.01, 0.004, 0.0]]), np.array([[0.01, 0.004, 0.0]]), np.full((1, 2), 0.002))
    network = grow(target=60, obstacles=bar).network
    own = rods_of(network)
    pairs = near_pairs(own, bar, 0.01)
    gaps, _, _ = surface_gaps(own.take(pairs[:, 0]), bar.take(pairs[:, 1]))
    assert gaps.min() >= CLEARANCE - 1e-9
    assert graph_facts(network).terminals >= 50
    assert find_collisions(grow(target=60).network, CLEARANCE) == []


def test_radii_follow_the_ratio_down_to_the_smallest():
    grown = grow(splits=2, levels=4, ratio=0.5, min_radius=1e-4)
    assert grown.end_radii["in"] == pytest.approx(1e-4)
    assert grow(splits=2, levels=3, ratio=0.7).end_radii["in"] == pytest.approx(0.001 * 0.7**3)


@pytest.mark.parametrize("mode", ["shrink_step", "project", "terminate"])
def test_every_clamp_mode_stays_inside(mode):
    network = grow(splits=2, levels=5, step_length=0.006, spread=0.012, clamp_mode=mode).network
    free = off_the_stems(network)
    assert (BOX.depth(network.ends[free]) - network.radii[free, 1]).min() >= WALL - 1e-9


@pytest.mark.parametrize("mode", ["none", "uniform", "geometric"])
def test_steps_reach_the_depth_that_there_is(mode):
    network = grow(splits=2, levels=5, depth_adaptive_mode=mode, branch_plane_mode="global").network
    assert network.positions[:, 2].min() < -0.007


def test_steps_and_spread_bound_a_tree_that_has_room():
    network = grow(splits=2, levels=3, step_length=0.002, spread=0.001, jitter_deg=0.0).network
    assert np.abs(network.positions[:, :2]).max() <= 0.0045
    assert network.positions[:, 2].min() >= 0.015 - 0.002 - 3 * 0.004


def test_crowding_is_told_by_fewer_ends_and_never_by_touching():
    ports = [Opening("a", "n", (0.0, 0.0, 0.001), (0, 0, -1.0), 0.0005)]
    grown = grow(DISC, ports, target=300, min_radius=2e-4)
    assert grown.grown < 300
    assert find_collisions(grown.network, CLEARANCE) == []


def test_a_port_without_room_is_refused_by_name():
    thick = Opening("fat", "net", (0.0, 0.0, 0.001), (0, 0, -1.0), 0.0015)
    with pytest.raises(InvalidInput, match=r"/components/net/ports: 'fat' has no space"):
        grow(DISC, [thick], splits=2, levels=0, ratio=1.0)
