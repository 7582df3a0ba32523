"""Growing networks: every backend ends in a network that keeps the law, and its tubes have the graph's topology."""

import json
from pathlib import Path

import numpy as np
import pytest

from loopwright.agents.designspec.document.domains import Component
from loopwright.agents.designspec.document.policies import Policies
from loopwright.agents.designspec.geometry.tubes import void_of_network
from loopwright.agents.designspec.network import Opening, silent
from loopwright.agents.designspec.network.collision_repair import graph_facts
from loopwright.agents.designspec.network.growth import grow_with_notes
from loopwright.agents.designspec.network.proximity import find_collisions, near_pairs, rods_of, surface_gaps
from loopwright.kernel.errors import InvalidInput
from tests.agents.designspec.network.analytic_probes import BoxProbe, CylinderProbe
from tests.agents.designspec.network.shapes import network as shape
from tests.agents.designspec.network.test_radii import murray_defect

BOX = BoxProbe((0.02, 0.04, 0.03))
DISC = CylinderProbe(0.005, 0.002)
REAL = Path(__file__).resolve().parents[5] / "shared" / "data" / "designspec" / "malaria_venule_bifurcating_tree.json"
IN = Opening("in", "net", (0.0, 0.0, 0.015), (0.0, 0.0, -1.0), 0.001)
OUT = Opening("out", "net", (0.0, 0.0, -0.015), (0.0, 0.0, 1.0), 0.001, True, "venous")


def component(backend="scaffold_topdown", **params):
    build = {"type": "backend_network", "backend": backend, "backend_params": params}
    return Component.model_validate({"id": "net", "domain_ref": "d", "build": build})


def policies(**growth):
    return Policies.model_validate({"growth": growth, "collision": {"collision_clearance": 1e-4}})


def grow(openings=(IN,), probe=BOX, seed=5, obstacles=(), backend="scaffold_topdown", **growth):
    asked = policies(**growth)
    return grow_with_notes(component(backend), list(openings), probe, asked, seed, silent, obstacles)


def topology(network, asked, openings):
    """Bodies and their handles, measured on the tubes."""
    bodies = void_of_network(network, asked, openings=openings, sections=10).decompose()
    return len(bodies), sum(body.genus() for body in bodies)


@pytest.mark.parametrize("seed", [1, 2, 3, 4])
@pytest.mark.parametrize("openings", [(IN,), (IN, OUT)], ids=["tree", "circuit"])
def test_tubes_have_exactly_the_topology_of_the_graph(openings, seed):
    network = grow(openings, seed=seed, target_terminals=40).network
    facts = graph_facts(network)
    assert facts.components == 1
    assert (facts.cycle_rank > 0) == (len(openings) == 2)
    assert find_collisions(network, 1e-4) == []
    assert topology(network, policies(), list(openings)) == (1, facts.cycle_rank)


def test_murray_holds_and_ports_have_their_radius():
    network = grow(target_terminals=40).network
    assert murray_defect(network, 3.0) < 1e-6
    assert network.radii[network.segments[:, 0] == network.ports["in"], 0] == pytest.approx(0.001)


def test_inlets_and_outlets_become_one_system_also_from_the_same_face():
    ports = [
        Opening("a", "net", (0.0, -0.012, 0.015), (0, 0, -1.0), 0.0008),
        Opening("v", "net", (0.0, 0.012, 0.015), (0, 0, -1.0), 0.0008, True, "venous"),
    ]
    facts = graph_facts(grow(ports, target_terminals=48).network)
    assert facts.ports_by_component == (("a", "v"),)


def test_obstacles_are_kept_clear_of_but_for_shared_ports():
    bar = shape([(-0.01, 0.005, 0.0), (0.01, 0.005, 0.0)], [(0, 1)], 0.0015, ports={})
    drill = shape([(0.0, 0.0, 0.015), (0.0, 0.0, -0.014)], [(0, 1)], 0.0006)
    network = grow(target_terminals=40, obstacles=(bar, drill)).network
    own = rods_of(network)
    for obstacle, start in ((bar, 1.0), (drill, 0.015 - 3 * 0.001)):
        low = own.take(own.starts[:, 2] < start - 1e-6)
        rods = rods_of(obstacle)
        pairs = near_pairs(low, rods, 0.01)
        gaps, _, _ = surface_gaps(low.take(pairs[:, 0]), rods.take(pairs[:, 1]))
        assert gaps.min() >= 1e-4 - 1e-9
    assert graph_facts(network).terminals >= 25


def test_disabled_growth_leaves_the_ports_and_says_so():
    grown = grow((IN, OUT), enabled=False)
    assert len(grown.network.segments) == 0
    assert set(grown.network.ports) == {"in", "out"}
    assert "disabled" in grown.notes[0]


def test_a_shortfall_is_told_with_numbers():
    port = Opening("in", "net", (0.0, 0.0, 0.001), (0, 0, -1.0), 0.0005)
    grown = grow([port], DISC, target_terminals=200, min_radius=2e-4)
    assert any("where 200 were wanted" in note for note in grown.notes)


@pytest.mark.parametrize(("backend", "words"), [("cco", "no growth backend 'cco'")])
def test_unknown_backends_are_refused(backend, words):
    with pytest.raises(InvalidInput, match=words):
        grow(backend=backend)


def test_a_network_needs_a_port():
    with pytest.raises(InvalidInput, match="/components/net/ports"):
        grow(())


def test_the_older_names_of_parameters_are_understood():
    old = grow(backend_params={"branching_angle": 45.0, "depth": 3, "radius_decay": 0.8, "splits": 2}).network
    new = grow(backend_params={"cone_angle_deg": 45.0, "levels": 3, "ratio": 0.8, "splits": 2}).network
    assert old.positions.tobytes() == new.positions.tobytes()


def test_space_colonisation_keeps_the_law_too():
    params = {"num_attraction_points": 400, "influence_radius": 0.012, "kill_radius": 0.002}
    grown = grow((IN,), backend="space_colonization", backend_params=params, step_size=0.001, min_radius=1e-4)
    facts = graph_facts(grown.network)
    assert facts.terminals > 10
    assert find_collisions(grown.network, 1e-4) == []
    assert topology(grown.network, policies(), [IN]) == (facts.components, facts.cycle_rank)
    assert murray_defect(grown.network, 3.0) < 1e-6


@pytest.mark.skipif(not REAL.exists(), reason="the real documents are not here")
@pytest.mark.parametrize("seed", [42, 1])
def test_the_real_bifurcating_tree_fills_its_disc(seed):
    document = json.loads(REAL.read_text())
    given = document["components"][0]
    document["policies"]["growth"]["backend_params"] = given["build"]["backend_params"]
    asked = Policies.model_validate(document["policies"])
    ports = [
        Opening(port["name"], given["id"], tuple(port["position"]), tuple(port["direction"]), port["radius"])
        for port in given["ports"]["inlets"]
    ]
    network = grow_with_notes(Component.model_validate(given), ports, DISC, asked, seed, silent).network
    facts = graph_facts(network)
    assert (facts.components, facts.cycle_rank) == (5, 0)
    assert facts.terminals >= 0.9 * 5 * 2**6
    assert find_collisions(network, 2e-5) == []
    assert topology(network, asked, ports) == (5, 0)
    ends = network.positions[[kind == "terminal" for kind in network.node_types]]
    assert np.hypot(ends[:, 0], ends[:, 1]).max() > 0.0042
    assert len({(int(x // 0.001), int(y // 0.001)) for x, y, _ in ends}) > 50
