"""Laws of the topology oracle on random networks."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.agents.designspec.network import Network
from loopwright.agents.designspec.validity.checking import check_design
from tests.agents.designspec.validity.workshop import UP, Drawing, block, failed, fill, make

SIDE, LEVELS = 3, 3
PLACES = [(3.0 * x - 3, 3.0 * y - 3, 5 - 2.5 * z) for z in range(LEVELS) for y in range(SIDE) for x in range(SIDE)]
STEPS = [
    (one, other)
    for one in range(len(PLACES))
    for other in range(one)
    if np.linalg.norm(np.subtract(PLACES[one], PLACES[other])) < 3.1 and (one >= SIDE**2 or other >= SIDE**2)
]
"""Between neighbours of a grid, but not along the top face."""


@st.composite
def networks(draw: st.DrawFn) -> Drawing:
    """Some of the grid's edges; a node at the top with an edge is a port."""
    edges = draw(st.lists(st.sampled_from(STEPS), min_size=1, max_size=24, unique=True))
    used = sorted({node for edge in edges for node in edge})
    number = {node: row for row, node in enumerate(used)}
    ports = {f"p{node}": number[node] for node in used if node < SIDE**2}
    return Drawing([PLACES[node] for node in used], [(number[a], number[b]) for a, b in edges], 0.35, ports)


def pieces(drawing: Drawing) -> list[set[int]]:
    groups: list[set[int]] = []
    for edge in drawing.edges:
        joined = [group for group in groups if group & set(edge)]
        groups = [group for group in groups if group not in joined] + [set(edge).union(*joined)]
    return groups


@settings(max_examples=20, deadline=None)
@given(networks())
def test_the_genus_is_openings_less_one_plus_loops_for_each_void(drawing: Drawing) -> None:
    report = check_design(make({"a": drawing}, {"collision": {"collision_clearance": 0.05}}))
    bad = {name: check.message for name, check in failed(report).items() if name != "min_feature"}
    assert bad == {}
    genus = cavities = 0
    for group in pieces(drawing):
        loops = sum(set(edge) <= group for edge in drawing.edges) - len(group) + 1
        openings = sum(node in group for node in drawing.ports.values())
        genus += loops + max(openings - 1, 0)
        cavities += openings == 0
    measured = {check.name: check.measured for check in report.checks}
    assert measured["topology"] == genus
    assert measured["sealed_cavities"] == cavities
    assert measured["void_components"] == len(pieces(drawing))


@settings(max_examples=12, deadline=None)
@given(networks(), st.data())
def test_a_plug_in_any_channel_is_found_there(drawing: Drawing, data: st.DataObject) -> None:
    edge = data.draw(st.sampled_from(range(len(drawing.edges))))
    middle = np.mean([drawing.nodes[node] for node in drawing.edges[edge]], axis=0)
    subject = fill(make({"a": drawing}), block((0.9, 0.9, 0.9), middle))
    bad = failed(check_design(subject))
    assert "channels_open" in bad
    assert bad["channels_open"].subject == f"a segment {edge}"
    assert np.linalg.norm(np.array(bad["channels_open"].location) * 1e3 - middle) < 0.5


@pytest.mark.parametrize("kind", ["no network", "no segment", "a node by itself"])
def test_little_is_no_breakdown(kind: str) -> None:
    subject = make({"a": Drawing([(0, 0, 5), (0, 0, -5)], [(0, 1)], 0.4, {"in": 0, "out": 1}, {"out": UP})})
    empty = np.zeros((0, 2))
    lonely = Network(np.zeros((1, 3)), empty.astype(np.int64), empty, ("terminal",), ("arterial",), {"in": 0})
    subject = replace(
        subject,
        networks={"a": lonely} if kind != "no network" else {},
        component_voids={} if kind == "no segment" else subject.component_voids,
    )
    report = check_design(subject)
    assert {check.name for check in report.checks} >= {"topology", "bounds", "domain_with_void_watertight"}
