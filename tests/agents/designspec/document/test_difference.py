"""Differences in words that people understand."""

import copy
from typing import Any

import pytest

from loopwright.agents.designspec.document import diff_documents
from loopwright.agents.designspec.document.checking import normalise
from tests.agents.designspec.document.documents import in_metres, tree


@pytest.mark.parametrize(
    ("where", "value", "text"),
    [
        ("components.0.ports.inlets.1.radius", 0.8, "component net_1, port in_2: radius 0.6 mm → 0.8 mm"),
        ("components.0.ports.inlets.1", None, "component net_1, port in_2 removed"),
        (
            "components.0.ports.inlets.-",
            {"name": "in_3", "radius": 0.5, "position": [1, 2, 4.95]},
            "component net_1, port in_3 added: name in_3; radius 0.5 mm; position (1, 2, 4.95) mm",
        ),
        (
            "components.0.ports.outlets.0.position.0",
            1,
            "component net_1, port out_1: position (0, 0, -4.95) mm → (1, 0, -4.95) mm",
        ),
        (
            "components.0.build.backend",
            "space_colonization",
            "component net_1: build backend scaffold_topdown → space_colonization",
        ),
        (
            "components.0.policies.collision.collision_clearance",
            0.2,
            "component net_1, policy collision: collision clearance 0.11 mm → 0.2 mm",
        ),
        (
            "components.-",
            {"id": "c2", "domain_ref": "main", "build": {"type": "primitive_channels"}, "ports": {"inlets": [{}, {}]}},
            "component c2 added: primitive_channels in main, 2 inlets",
        ),
        ("components.0", None, "component net_1 removed"),
        ("domains.main.height", 12, "domain main: height 9.9 mm → 12 mm"),
        (
            "domains.b",
            {"type": "box", "x_min": -10, "x_max": 10, "y_min": 0, "y_max": 60, "z_min": 0, "z_max": 30},
            "domain b added: box 20 × 60 × 30 mm",
        ),
        ("domains.other", None, "domain other removed"),
        ("policies.growth.target_terminals", 64, "policy growth: target terminals 12 → 64"),
        ("policies.growth.target_terminals", None, "policy growth: target terminals removed (was 12)"),
        ("policies.growth.step_size", 0.25, "policy growth: step size set to 0.25 mm"),
        (
            "policies.growth.backend_params.collision_online.buffer_abs_m",
            0.04,
            "policy growth: backend params collision online buffer abs m 0.03 mm → 0.04 mm",
        ),
        ("policies.ridge", {"enabled": True, "height": 1}, "policy ridge added: enabled yes; height 1 mm"),
        ("policies.repair.min_component_volume", 0.002, "policy repair: min component volume 0.001 mm³ → 0.002 mm³"),
        ("meta.seed", 8, "meta: seed 7 → 8"),
        (
            "policies.tissue_sampling.mixture_components.0.policy.exclude_spheres.0.radius",
            1,
            "policy tissue sampling: mixture components #1 policy exclude spheres #1 radius 0.7 mm → 1 mm",
        ),
    ],
)
def test_one_change_one_sentence(where: str, value: Any, text: str) -> None:
    assert [change.text for change in diff_documents(tree(), tree(**{where: value}))] == [text]


def test_pointers_and_values_are_those_of_the_documents() -> None:
    """In the units that they are written in."""
    (change,) = diff_documents(tree(), tree(**{"components.0.ports.inlets.0.radius": 1}))
    assert (change.kind, change.pointer) == ("changed", "/components/0/ports/inlets/0/radius")
    assert (change.before, change.after) == (0.6, 1)


def test_what_moves_keeps_its_name() -> None:
    """A component that stands elsewhere is the same component; only the order is told."""
    before = tree()
    before["components"].append(copy.deepcopy(before["components"][0]) | {"id": "net_2"})
    after = copy.deepcopy(before)
    after["components"].reverse()
    after["components"][0]["ports"]["inlets"][0]["radius"] = 0.7
    assert [(change.kind, change.text) for change in diff_documents(before, after)] == [
        ("changed", "component net_2, port in_1: radius 0.6 mm → 0.7 mm"),
        ("reordered", "components in another order: net_2, net_1"),
    ]


def test_units_alone_are_one_difference() -> None:
    """The numbers are all different, and the design is not."""
    assert [change.text for change in diff_documents(tree(), in_metres(tree()))] == ["meta: input units mm → m"]
    assert normalise(tree()).document["domains"] == in_metres(tree())["domains"]


def test_a_document_in_metres_is_spoken_of_in_millimetres() -> None:
    before = in_metres(tree())
    after = copy.deepcopy(before)
    after["domains"]["main"]["radius"] = 0.006
    assert [change.text for change in diff_documents(before, after)] == ["domain main: radius 5.1 mm → 6 mm"]


def test_ways_of_writing_are_no_difference() -> None:
    after = tree(**{"domains.main.center": [0.0, -0.0, 0], "policies.growth.target_terminals": 12.0})
    assert diff_documents(tree(), after) == []
    assert [change.text for change in diff_documents({"x": 1}, {"x": True})] == ["x 1 → yes"]
