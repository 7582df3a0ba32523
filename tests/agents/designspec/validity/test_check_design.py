"""Sound designs pass every check; each spoiled one fails by name, where it is spoiled."""

import re
from dataclasses import replace

import numpy as np
import pytest
from manifold3d import Manifold, Mesh

from loopwright.agents.designspec.validity.checking import check_design
from tests.agents.designspec.validity.workshop import (
    BLIND,
    FORK,
    LADDER,
    LEFT,
    MM,
    RIGHT,
    STRAIGHT,
    SUNK,
    add_void,
    block,
    failed,
    failures,
    fill,
    make,
    rod,
)

SOUND = {
    "a straight channel": {"a": STRAIGHT},
    "a fork": {"a": FORK},
    "a ladder with three loops": {"a": LADDER},
    "two channels apart": {"l": LEFT, "r": RIGHT},
    "blind holes": {"a": BLIND},
    "a cavity by design": {"a": SUNK},
}
GENUS = {
    "a straight channel": 1,
    "a fork": 2,
    "a ladder with three loops": 6,
    "two channels apart": 2,
    "blind holes": 0,
    "a cavity by design": 0,
}


@pytest.mark.parametrize("name", SOUND)
def test_a_sound_design_passes(name: str) -> None:
    subject = make(SOUND[name])
    report = check_design(subject)
    assert failed(report) == {}
    assert (report.success, report.status) == (True, "ok")
    topology = next(check for check in report.checks if check.name == "topology")
    assert topology.measured == topology.required == GENUS[name]
    walls = next(check for check in report.checks if check.name == "min_feature")
    assert re.match(r"Sampled with \d+ rays, not proven: (the least wall seen is|no two walls seen)", walls.message)


SPOILED = {
    "a plugged channel": (
        STRAIGHT,
        lambda s: fill(s, block((1.5, 1.5, 0.3), (0, 0, 0))),
        {"void_components", "channels_open", "topology"},
        "Plugged channel",
        (0, 0, 0),
    ),
    "a plugged rung": (
        LADDER,
        lambda s: fill(s, block((0.3, 1.5, 1.5), (0, 0, 1))),
        {"channels_open", "topology"},
        "plugged channel",
        (0, 0, 1),
    ),
    "a plugged blind hole": (
        BLIND,
        lambda s: fill(s, block((1.5, 1.5, 0.3), (2, 0, 2))),
        {"void_components", "sealed_cavities", "channels_open"},
        "Plugged channel",
        (2, 0, 2),
    ),
    "a lost port": (
        FORK,
        lambda s: fill(s, block((1.5, 1.5, 1.0), (-3, 0, -5))),
        {"open_port_left", "topology"},
        "lost port",
        (-3, 0, -5),
    ),
    "an accidental short": (
        LADDER,
        lambda s: add_void(s, rod((-2, 0, 2), (2, 0, 2), 0.3)),
        {"topology"},
        "accidental short",
        (0, 0, 2),
    ),
    "a detached crumb": (
        FORK,
        lambda s: add_void(s, block((0.1, 0.1, 0.1), (4, 4, 4))),
        {"void_components", "sealed_cavities"},
        "detached crumb",
        (4, 4, 4),
    ),
    "a crumb of the void alone": (
        FORK,
        lambda s: replace(s, void=s.void + block((0.1, 0.1, 0.1), (4, 4, 4))),
        {"void_components"},
        "detached crumb",
        (4, 4, 4),
    ),
    "a sealed cavity": (
        FORK,
        lambda s: add_void(s, block((2, 2, 2), (3, 3, 3))),
        {"void_components", "sealed_cavities"},
        "sealed cavity",
        (3, 3, 3),
    ),
    "an island": (
        FORK,
        lambda s: fill(s, block((0.2, 0.2, 0.2), (0, 0, 2.5))),
        {"domain_with_void_components", "channels_open"},
        "2 pieces of solid",
        (0, 0, 2.5),
    ),
}


@pytest.mark.parametrize("name", SPOILED)
def test_a_spoiled_design_is_caught_by_name(name: str) -> None:
    drawing, spoil, expected, words, (x, y, z) = SPOILED[name]
    report = check_design(spoil(make({"a": drawing})))
    bad = failed(report)
    assert set(bad) == expected
    assert (report.success, report.status) == (False, "fail")
    named = [check for check in bad.values() if words in check.message]
    assert named, [check.message for check in bad.values()]
    assert np.linalg.norm(np.array(named[0].location) - np.array([x, y, z]) * MM) < 0.6 * MM


def test_two_components_that_were_drilled_together_are_a_short() -> None:
    joined = add_void(make({"l": LEFT, "r": RIGHT}), rod((-2, 0, 2), (2, 0, 2), 0.3))
    bad = failed(check_design(joined))
    assert set(bad) == {"void_components", "topology"}
    assert "accidental short" in bad["topology"].message


def test_an_open_mesh_is_caught_by_name() -> None:
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype=np.float32)
    open_mesh = Manifold(Mesh(corners, np.array([[0, 2, 1], [0, 1, 3]], dtype=np.uint32)))
    subject = replace(make({"a": STRAIGHT}), solid=open_mesh)
    check = failed(check_design(subject))["domain_with_void_watertight"]
    assert "not a closed surface" in check.message


def test_parts_that_touch_along_an_edge_are_caught_in_single_precision() -> None:
    """Two blocks that share an edge: closed in double precision, an edge with four triangles in the file."""
    touching = Manifold.compose([block((1, 1, 1), (0, 0, 0)), block((1, 1, 1), (1, 1, 0))])
    subject = replace(make({"a": STRAIGHT}), solid=touching)
    check = failed(check_design(subject))["domain_with_void_watertight"]
    assert "more than two triangles in single precision" in check.message


def test_without_a_solid_the_void_is_judged() -> None:
    subject = make({"a": LADDER})
    assert failures(replace(subject, solid=None)) == set()
    shorted = add_void(subject, rod((-2, 0, 2), (2, 0, 2), 0.3))
    assert failures(replace(shorted, solid=None)) == {"topology"}


def test_a_switch_is_the_users_but_a_broken_solid_is_told() -> None:
    off = {"validity": {"check_topology": False, "check_components": False, "check_watertight": False}}
    sound = check_design(make({"a": LADDER}, off))
    assert sound.status == "ok"
    assert {check.name for check in sound.checks if check.skipped} == {
        "domain_with_void_watertight",
        "void_watertight",
        "components",
        "channels_open",
        "component_contacts",
        "topology",
    }
    shorted = check_design(add_void(make({"a": LADDER}, off), rod((-2, 0, 2), (2, 0, 2), 0.3)))
    assert (shorted.success, shorted.status) == (True, "warnings")
    topology = next(check for check in shorted.checks if check.name == "topology")
    assert topology.skipped
    assert "accidental short" in topology.warnings[0]


def test_a_failure_that_may_warn_makes_warnings_and_never_ok() -> None:
    policies = {"validity": {"warn_only": ["topology"]}}
    report = check_design(add_void(make({"a": LADDER}, policies), rod((-2, 0, 2), (2, 0, 2), 0.3)))
    assert (report.success, report.status) == (True, "warnings")
    assert "topology" in failed(report)


def test_the_user_may_limit_the_number_of_voids() -> None:
    bad = failed(check_design(make({"l": LEFT, "r": RIGHT}, {"validity": {"max_components": 1}})))
    assert set(bad) == {"void_components"}
    assert "max_components" in bad["void_components"].message
