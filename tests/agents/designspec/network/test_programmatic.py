"""Programs: three plans that a designer would draw, and the errors of those who err."""

import json
from pathlib import Path

import numpy as np
import pytest

from loopwright.agents.designspec.document.domains import Component
from loopwright.agents.designspec.document.policies import Policies
from loopwright.agents.designspec.geometry.tubes import void_of_network
from loopwright.agents.designspec.network import Opening, silent
from loopwright.agents.designspec.network.collision_repair import graph_facts
from loopwright.agents.designspec.network.programmatic import run_program
from loopwright.agents.designspec.network.proximity import find_collisions
from loopwright.kernel.errors import InvalidInput
from tests.agents.designspec.network.analytic_probes import BoxProbe

PROGRAMS = Path(__file__).parent / "programs"
BLOCK = BoxProbe((0.02, 0.02, 0.01))
INLET = Opening("in", "plan", (-0.01, 0.0, 0.0), (1.0, 0.0, 0.0), 5e-4)
OUTLET = Opening("out", "plan", (0.01, 0.0, 0.0), (-1.0, 0.0, 0.0), 4e-4, outlet=True, vessel_type="venous")
START = {"op": "route", "from": "in", "to": [-0.006, 0, 0], "id": "a"}


def run(component, openings):
    policies = Policies.model_validate({"growth": {"backend_params": component.build.backend_params}})
    return run_program(component, openings, BLOCK, policies, 42, silent)


def run_example(name):
    component = Component.model_validate(json.loads((PROGRAMS / f"{name}.json").read_text(encoding="utf-8")))
    openings = [
        Opening(p.name, component.id, p.position, p.direction, p.radius, p in component.ports.outlets, p.vessel_type)
        for p in component.ports.all
    ]
    return run(component, openings), openings


def run_steps(*steps, **params):
    plan = {"id": "plan", "domain_ref": "block", "build": {"type": "backend_network", "backend": "programmatic"}}
    plan["build"]["backend_params"] = {"steps": list(steps), **params}
    return run(Component.model_validate(plan), [INLET, OUTLET])


@pytest.mark.parametrize(("name", "rings"), [("serpentine", 0), ("ladder", 5), ("y_split_and_merge", 1)])
def test_plans_become_what_they_draw(name, rings):
    network, openings = run_example(name)
    facts = graph_facts(network)
    assert (facts.components, facts.cycle_rank, facts.terminals) == (1, rings, 0)
    assert facts.ports_by_component == (("in", "out"),)
    assert not find_collisions(network, 1e-4)
    void = void_of_network(network, Policies(), openings=openings)
    assert (len(void.decompose()), void.genus()) == (1, rings)


def test_serpentine_is_as_long_as_drawn():
    network, _ = run_example("serpentine")
    straight = 0.004 + 5 * 0.012 + (0.01 - 0.006)
    # bends are polygons of 24 sides to the half circle, shorter than the arc by less than a thousandth
    assert graph_facts(network).total_length == pytest.approx(straight + 4 * np.pi * 0.0015, rel=1e-3)


def test_bifurcation_keeps_murrays_law():
    network = run_steps(
        START,
        {"op": "bifurcate", "from": "a", "ids": ["b", "c"], "length": 0.003, "angle_deg": 40},
        {"op": "merge", "from": ["b", "c"], "id": "d", "position": [0.004, 0, 0]},
        {"op": "connect_to_outlet", "from": "d", "outlet": "out"},
    )
    fork = int(network.segments[0, 1])
    children = network.radii[network.segments[:, 0] == fork, 0]
    assert len(children) == 2
    assert (children**3).sum() == pytest.approx(5e-4**3)
    assert network.radii[-1, 0] == pytest.approx(5e-4)


def test_radius_runs_evenly_along_a_route():
    network = run_steps({"op": "route", "from": "in", "to": "out", "via": [[-0.005, 0.005, 0], [0.005, 0.005, 0]],
                         "radius": 6e-4, "radius_end": 2e-4})  # fmt: skip
    ways = np.cumsum(network.lengths) / network.lengths.sum()
    assert network.radii[:, 1] == pytest.approx(6e-4 - 4e-4 * ways)


def test_found_routes_go_around_what_is_drawn():
    post = [
        {"op": "add_node", "id": "low", "position": [0, 0, -0.004], "radius": 1e-3},
        {"op": "add_node", "id": "high", "position": [0, 0, 0.004], "from": "low"},
    ]
    network = run_steps(*post, {"op": "route", "from": "in", "to": "out", "algorithm": "astar", "radius": 3e-4})
    assert graph_facts(network).components == 2
    assert not find_collisions(network, 1.5e-4)
    with pytest.raises(InvalidInput, match=r"steps/2: .*runs into that of step 1"):
        run_steps(*post, {"op": "route", "from": "in", "to": "out", "radius": 3e-4})


def test_curved_routes_leave_along_the_port():
    network = run_steps({"op": "route", "from": "in", "to": [0, 0.006, 0], "id": "a"}, path_algorithm="bezier")
    first = network.positions[network.segments[0, 1]] - network.positions[network.segments[0, 0]]
    assert first[0] > 0.95 * np.linalg.norm(first)


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        ([], "steps: the program has no steps"),
        ([{"op": "route", "from": "nowhere", "to": "out"}], r"steps/0: there is no place 'nowhere'"),
        ([START, START], r"steps/1: the name 'a' is taken"),
        ([START, {"op": "turn", "from": "a", "id": "b", "length": 0.05}], r"steps/1: .*leaves the domain near"),
        ([START, {"op": "connect_to_outlet", "from": "a", "outlet": "in"}], r"steps/1: 'in' is not an outlet"),
        ([{"op": "add_node", "id": "b", "position": [0.02, 0, 0]}], r"steps/0: the position .* outside"),
        ([START, {"op": "add_node", "id": "b", "position": [0, 0, 0]}], r"steps/1: no channel leads to .*'b'"),
        ([{"op": "route", "from": "in", "to": "in"}], r"steps/0: a channel from 'in' to itself"),
        ([START, {"op": "merge", "from": ["a", "a"], "id": "b"}], r"steps/1: `from` has a place twice"),
        ([START, {"op": "bifurcate", "from": "a", "ids": ["b", "b"], "length": 1e-3}], r"steps/1: `ids` has"),
        ([START, {"op": "route", "from": "a", "to": "out", "algorithm": "astar", "radius": 0.006}], "there is no way"),
    ],
)
def test_errors_point_at_their_step(steps, message):
    with pytest.raises(InvalidInput, match=r"^/components/plan/build/backend_params/.*" + message):
        run_steps(*steps)
