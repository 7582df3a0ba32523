"""Space colonisation: rich, within its limits, and with exactly the topology of its graph."""

import json
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.agents.designspec.document.domains import Component
from loopwright.agents.designspec.document.policies import Policies
from loopwright.agents.designspec.geometry.tubes import void_of_network
from loopwright.agents.designspec.network import Network, Opening, silent
from loopwright.agents.designspec.network.collision_repair import component_labels, graph_facts
from loopwright.agents.designspec.network.growth import grow_with_notes
from loopwright.agents.designspec.network.pathfinding import AvoidingProbe
from loopwright.agents.designspec.network.proximity import Rods, find_collisions
from loopwright.agents.designspec.network.space_colonization import grow_colonies
from loopwright.agents.designspec.network.space_colonization_joining import join_trees
from loopwright.kernel.errors import InvalidInput
from tests.agents.designspec.network.analytic_probes import BoxProbe, CylinderProbe

REAL = Path(__file__).parents[5] / "shared" / "data" / "designspec"
BOX = BoxProbe((0.02, 0.02, 0.01))
TOP = Opening("top", "c", (0.0, 0.0, 0.005), (0.0, 0.0, -1.0), 5e-4)
BOTTOM = Opening("bottom", "c", (0.0, 0.0, -0.005), (0.0, 0.0, 1.0), 5e-4, outlet=True, vessel_type="venous")
LEFT = Opening("left", "c", (-0.005, 0.0, 0.005), (0.0, 0.0, -1.0), 5e-4)
RIGHT = Opening("right", "c", (0.005, 0.0, 0.005), (0.0, 0.0, -1.0), 5e-4)


def policies(target=None, clearance=1e-4, **params):
    return Policies.model_validate(
        {
            "growth": {"target_terminals": target, "backend_params": params, "min_radius": 1e-4},
            "collision": {"collision_clearance": clearance},
        }
    )


def colonies(openings, target=None, seed=3, probe=BOX, **params):
    return grow_colonies(openings, probe, policies(target, **params), seed, silent)


def grown(openings, probe, policy, seed):
    component = Component.model_validate(
        {"id": "c", "domain_ref": "d", "build": {"type": "backend_network", "backend": "space_colonization"}}
    )
    return grow_with_notes(component, openings, probe, policy, seed, silent).network


def assert_tubes_are_the_graph(network, policy, openings):
    facts = graph_facts(network)
    pieces = void_of_network(network, policy, openings=openings, sections=12).decompose()
    assert (len(pieces), sum(piece.genus() for piece in pieces)) == (facts.components, facts.cycle_rank)
    assert not find_collisions(network, 0.0)


@given(st.integers(0, 2**32 - 1), st.sampled_from([[TOP], [TOP, BOTTOM], [LEFT, RIGHT], [LEFT, RIGHT, BOTTOM]]))
@settings(max_examples=6, deadline=None)
def test_tubes_are_exactly_the_graph(seed, openings):
    policy = policies(target=40)
    network = grown(openings, BOX, policy, seed)
    assert_tubes_are_the_graph(network, policy, openings)
    outlets = any(opening.outlet for opening in openings)
    assert graph_facts(network).components == (1 if outlets else len(openings))
    wall = BOX.depth(network.ends) - network.radii[:, 1]
    assert wall[network.segments[:, 0] >= len(openings)].min() >= 0


def test_same_seed_same_bytes():
    first, second, other = (colonies([TOP, BOTTOM], 30, seed=seed) for seed in (5, 5, 6))
    assert first.positions.tobytes() == second.positions.tobytes()
    assert first.segments.tobytes() == second.segments.tobytes()
    assert first.positions.tobytes() != other.positions.tobytes()


@pytest.mark.parametrize("target", [8, 64, 200])
def test_number_of_ends_is_as_wanted(target):
    facts = graph_facts(colonies([TOP], target))
    assert abs(facts.terminals - target) <= 0.1 * target


def test_reaches_all_parts_of_the_tissue():
    network = colonies([TOP], 100)
    ends = network.positions[[kind == "terminal" for kind in network.node_types]]
    octants = {tuple(point > 0) for point in ends}
    assert len(octants) == 8
    tissue = BOX.sample(500, np.random.default_rng(1))
    nearest = np.linalg.norm(tissue[:, None] - network.positions[None], axis=2).min(axis=1)
    # a hundredth of the box is a cube of 3.4 mm: no tissue lies much farther off than its half diagonal
    assert np.quantile(nearest, 0.95) < 3.5e-3


def test_inlets_alone_stay_apart_unless_a_merge_is_asked_for():
    for mode in ("blended", "partitioned_xy", "forest"):
        assert component_labels(colonies([LEFT, RIGHT], 30, multi_inlet_mode=mode))[0] == 2
    merged = colonies([LEFT, RIGHT], 30, multi_inlet_mode="forest_with_merge", collision_merge_distance=3e-3)
    facts = graph_facts(merged)
    assert (facts.components, facts.cycle_rank) == (1, 0)


def test_partitioned_trees_keep_to_their_half():
    network = colonies([LEFT, RIGHT], 30, multi_inlet_mode="partitioned_xy")
    _, label = component_labels(network)
    left = network.positions[label == label[network.ports["left"]], 0]
    assert left.max() < 1e-3


def test_upward_is_forbidden_and_branching_waits():
    axis = [0, 0, -1]
    network = colonies([TOP], 30, upward_forbidden=True, primary_axis=axis, branch_enable_after_distance=3e-3)
    assert (network.ends - network.starts)[:, 2].max() < 1e-4
    degree = np.bincount(network.segments.ravel())
    assert network.positions[degree > 2, 2].max() < 0.005 - 0.9 * 3e-3


def test_children_per_node_are_limited():
    for most in (1, 2, 3):
        network = colonies([TOP], 12, max_children_per_node=most)
        assert np.bincount(network.segments[:, 0]).max() <= most


def test_keeps_clear_of_obstacles():
    post = Rods(np.array([[3e-3, 0, -5e-3]]), np.array([[3e-3, 0, 5e-3]]), np.full((1, 2), 1e-3))
    network = grow_colonies([TOP], BOX, policies(60), 3, silent, obstacles=[post])
    across = np.linalg.norm(network.positions[:, :2] - [3e-3, 0], axis=1)
    assert across.min() >= 1e-3 + 1e-4


def test_trees_that_do_not_meet_are_joined_by_a_route():
    nodes = np.array([[-0.01, 0, 0], [-0.008, 0, 0], [0.01, 0, 0], [0.008, 0, 0]])
    far = [
        Opening("in", "c", (-0.01, 0.0, 0.0), (1.0, 0.0, 0.0), 4e-4),
        Opening("out", "c", (0.01, 0.0, 0.0), (-1.0, 0.0, 0.0), 4e-4, outlet=True),
    ]
    stumps = Network(
        nodes,
        np.array([[0, 1], [2, 3]]),
        np.full((2, 2), 4e-4),
        ("inlet", "terminal", "outlet", "terminal"),
        ("arterial", "arterial", "venous", "venous"),
        {"in": 0, "out": 2},
    )
    post = Rods(np.array([[0.0, 1e-3, -5e-3]]), np.array([[0.0, 1e-3, 5e-3]]), np.full((1, 2), 2e-3))
    joined = join_trees(stumps, far, AvoidingProbe(BOX, post, 0.0), 1e-4, 1e-3, rings=True)
    facts = graph_facts(joined)
    assert (facts.components, facts.cycle_rank, facts.terminals) == (1, 0, 0)
    across = np.linalg.norm(joined.positions[:, :2] - [0.0, 1e-3], axis=1)
    assert across.min() >= 2e-3 + 4e-4
    assert not find_collisions(joined, 1e-4)


def test_progress_may_stop_it():
    def stop(share, message):
        assert 0 <= share <= 1
        raise KeyboardInterrupt(message)

    with pytest.raises(KeyboardInterrupt):
        grow_colonies([TOP], BOX, policies(10), 1, stop)


def test_ports_without_room_are_named():
    near = Opening("near", "c", (6e-4, 0.0, 0.005), (0.0, 0.0, -1.0), 5e-4)
    with pytest.raises(InvalidInput, match=r"/components/c/ports: .*'top' and 'near' run into each other"):
        colonies([TOP, near], 10)
    outward = Opening("outward", "c", (0.0, 0.0, 0.005), (0.0, 0.0, 1.0), 5e-4)
    with pytest.raises(InvalidInput, match="'outward' leads out of the domain"):
        colonies([outward], 10)


def test_nothing_to_grow_from_gives_nothing():
    assert len(colonies([]).segments) == 0


def test_hundreds_of_thousands_of_points_are_no_burden():
    begun = time.process_time()
    network = colonies([TOP, BOTTOM], target=200, num_attraction_points=250_000)
    assert time.process_time() - begun < 8
    assert graph_facts(network).terminals > 150


def real(name):
    path = REAL / name
    if not path.exists():
        pytest.skip(f"the real inputs are not here: {path}")
    document = json.loads(path.read_text(encoding="utf-8"))
    component = Component.model_validate(document["components"][0])
    openings = [
        Opening(p.name, component.id, p.position, p.direction, p.radius, p in component.ports.outlets, p.vessel_type)
        for p in component.ports.all
    ]
    return component, openings, Policies.model_validate(document["policies"]), document["meta"]["seed"]


@pytest.mark.parametrize(
    ("name", "probe"),
    [
        ("malaria_venule_space_colonization.json", CylinderProbe(0.005, 0.002)),
        ("golden_example_v1.json", BoxProbe((0.03, 0.03, 0.02))),
    ],
)
def test_real_inputs(name, probe):
    component, openings, policy, seed = real(name)
    network = grow_with_notes(component, openings, probe, policy, seed, silent).network
    facts = graph_facts(network)
    assert facts.components == (1 if any(opening.outlet for opening in openings) else len(openings))
    assert not find_collisions(network, policy.collision.collision_clearance)
    assert_tubes_are_the_graph(network, policy, openings)
    if policy.growth.target_terminals is None:
        assert facts.terminals > 200
    else:
        assert abs(facts.terminals - policy.growth.target_terminals) <= 0.2 * policy.growth.target_terminals
    size = np.ptp(probe.bounds, axis=0)
    assert (np.ptp(network.positions, axis=0) > 0.8 * size).all()
