"""Designs that are drawn wrong, components that meet, and bodies with handles: measured, named and placed."""

from dataclasses import replace

import pytest

from loopwright.agents.designspec.validity.checking import check_design
from tests.agents.designspec.validity.workshop import (
    LADDER,
    LEFT,
    MM,
    STRAIGHT,
    UP,
    Drawing,
    block,
    carve,
    failed,
    make,
    rod,
)


def through(x: float) -> Drawing:
    """A straight channel from top to bottom."""
    return Drawing([(x, 0, 5), (x, 0, -5)], [(0, 1)], ports={"in": 0, "out": 1}, directions={"out": UP})


SPOILED_DRAWINGS = {
    "a channel thinner than the resolution": (
        {"a": replace(LADDER, radius=[0.4] * 11 + [0.1, 0.4, 0.4])},
        {"min_diameter", "void_min_diameter"},
        "fail",
        ("min_diameter", 2 * 0.1 * MM, 0.3 * MM),
    ),
    "a wall thinner than the feature size": (
        {"a": through(4.5)},
        {"min_feature"},
        "warnings",
        ("min_feature", 0.1 * MM, 0.3 * MM),
    ),
    "channels too near to each other": (
        {"l": through(-2.0), "r": through(-1.05)},
        {"clearance", "min_feature"},
        "fail",
        ("clearance", 0.15 * MM, 0.2 * MM),
    ),
    "a branch that pokes through the side": (
        {"a": Drawing([(0, 0, 5), (0, 0, 0), (4.8, 0, 0)], [(0, 1), (1, 2)], ports={"in": 0})},
        {"void_inside_domain", "topology"},
        "fail",
        ("topology", 1, 0),
    ),
    "a channel along the side": (
        {"a": through(4.8)},
        {"void_inside_domain", "topology"},
        "fail",
        ("topology", 0, 1),
    ),
    "a component that runs into another": (
        {"l": LEFT, "r": Drawing([(2, 0, 5), (2, 0, 0), (-2, 0, 0)], [(0, 1), (1, 2)], ports={"in": 0})},
        {"clearance", "component_contacts"},
        "fail",
        ("component_contacts", 1, 0),
    ),
    "a node outside of the domain": (
        {"a": Drawing([(0, 0, 5), (0, 0, 0), (6, 0, 0)], [(0, 1), (1, 2)], ports={"in": 0})},
        {"void_inside_domain", "topology", "bounds"},
        "fail",
        ("bounds", 1 * MM, 0.0),
    ),
}


@pytest.mark.parametrize("name", SPOILED_DRAWINGS)
def test_a_wrong_drawing_is_caught_by_name_with_its_measure(name: str) -> None:
    drawings, expected, status, (check_name, measured, required) = SPOILED_DRAWINGS[name]
    report = check_design(make(drawings))
    bad = failed(report)
    assert set(bad) == expected, [check.message for check in bad.values()]
    assert report.status == status
    assert bad[check_name].measured == pytest.approx(measured, rel=0.25 if "feature" in check_name else 1e-6)
    assert bad[check_name].required == pytest.approx(required, abs=1e-7)
    assert all(check.location is not None for check in bad.values())


def test_the_mesh_is_measured_and_not_the_network() -> None:
    """The network says 0.8 mm; the void was carved with 0.2 mm in one place."""
    subject = make({"a": STRAIGHT})
    assert subject.void is not None
    squeezed = subject.void - (block((2, 2, 1), (0, 0, 0)) - rod((0, 0, -1), (0, 0, 1), 0.1))
    bad = failed(check_design(carve(subject, squeezed)))
    assert set(bad) == {"void_min_diameter"}
    assert bad["void_min_diameter"].measured == pytest.approx(0.2 * MM, rel=0.05)


def test_components_that_share_a_port_are_one_system() -> None:
    report = check_design(
        make({"l": LEFT, "r": Drawing([(-2, 0, 5), (-2, 0, 3), (3, 0, 0)], [(0, 1), (1, 2)], ports={"in": 0})})
    )
    assert report.status == "ok"
    names = {check.name for check in report.checks}
    assert {"open_port_l.in", "open_port_r.in", "open_port_out"} <= names
    contacts = next(check for check in report.checks if check.name == "component_contacts")
    assert len(contacts.details["contacts"]) == 1


def test_a_loop_through_two_components_is_expected() -> None:
    """They share a port and meet again below: one loop more, by Mayer and Vietoris, and a warning about the contact."""
    around = Drawing([(-2, 0, 5), (0, 0, 2), (0, 0, -2), (-2, 0, -3)], [(0, 1), (1, 2), (2, 3)], ports={"in": 0})
    report = check_design(make({"l": LEFT, "r": around}))
    assert set(failed(report)) == {"component_contacts"}
    assert report.status == "warnings"
    topology = next(check for check in report.checks if check.name == "topology")
    assert topology.measured == 2


def test_a_body_with_a_handle_and_a_hollow_counts_too() -> None:
    """A channel from the outside into the body's own hollow joins two shells into one."""
    body = block((10, 10, 10), (0, 0, 0)) - block((2, 2, 2), (3, 3, 0)) - rod((-3, -3, -6), (-3, -3, 6), 1)
    subject = replace(make({"a": LADDER}), body=body)
    assert subject.void is not None
    report = check_design(carve(subject, subject.void))
    assert failed(report) == {}
    topology = next(check for check in report.checks if check.name == "topology")
    assert topology.measured == 7
    into = Drawing([(3, 3, 5), (3, 3, 0.5)], [(0, 1)], ports={"in": 0})
    opened = replace(make({"a": into}), body=body)
    assert opened.void is not None
    topology = next(c for c in check_design(carve(opened, opened.void)).checks if c.name == "topology")
    assert topology.required == 1
