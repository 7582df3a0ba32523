"""Typed operations become one patch in the document's units; what does not fit is refused with figures and names."""

from typing import Any, get_args

import numpy as np
import pytest
from pydantic import TypeAdapter

from loopwright.agents.designspec.account.designed import bores
from loopwright.agents.designspec.directive import SentDirective, plain_directive
from loopwright.agents.designspec.document.checking import check_document, minimal_document
from loopwright.agents.designspec.document.domains import lookup
from loopwright.agents.designspec.operations import forms
from loopwright.agents.designspec.operations.first_design import offered
from loopwright.agents.designspec.operations.forms import (
    AnyOperation,
    Change,
    Operation,
    PlainChange,
    Until,
    lengths_of,
    unfounded,
    unsaid,
)
from loopwright.agents.designspec.operations.planning import PLANNERS, Planned, plan_operations
from loopwright.agents.designspec.patches import apply_patch
from loopwright.agents.designspec.pipeline.reports import FULL, PIPELINE_STAGES
from loopwright.kernel.answer_form import answer_format

CUBE = {"op": "add_box", "x_mm": 10, "y_mm": 10, "z_mm": 10}
BORE = {"op": "add_channels", "count": 1, "from_face": "left", "to_face": "right", "diameter_mm": 1}
THREE = BORE | {"count": 3}
TREE = [
    {"op": "add_ports", "kind": "inlet", "count": 1, "face": "top", "diameter_mm": 1},
    {"op": "grow", "kind": "tree", "tips": 16},
]
TIPS = {"op": "set", "path": "net_1.tip_diameter_mm", "value": 0.3}
FORM: TypeAdapter[Any] = TypeAdapter(AnyOperation)


def planned(*operations: dict[str, Any], document: dict[str, Any] | None = None) -> Planned:
    return plan_operations(document or minimal_document("part"), [FORM.validate_python(each) for each in operations])


def built(*operations: dict[str, Any], document: dict[str, Any] | None = None) -> dict[str, Any]:
    """The document after the operations, which must be valid."""
    outcome = planned(*operations, document=document)
    assert not outcome.refused, outcome.refused
    after: dict[str, Any] = apply_patch(document or minimal_document("part"), outcome.patch)
    wrong = [issue for issue in check_document(after).issues if issue.severity != "incomplete"]
    assert not wrong, wrong
    return after


def radii(document: dict[str, Any]) -> set[float]:
    ports = [port for part in document["components"] for kind in part["ports"].values() for port in kind]
    return {port["radius"] for port in ports}


@pytest.mark.parametrize(
    ("operations", "place", "value"),
    [
        ([CUBE], "/domains/main_domain/x_max", 0.005),
        ([{"op": "add_cylinder", "diameter_mm": 30, "height_mm": 5}], "/domains/main_domain/radius", 0.015),
        ([{"op": "add_sphere", "diameter_mm": 30}], "/domains/main_domain/radius", 0.015),
        ([CUBE, BORE], "/components/0/ports/inlets/0/position", [-0.005, 0, 0]),
        ([CUBE, BORE], "/components/0/ports/outlets/0/position", [0.005, 0, 0]),
        ([CUBE, THREE], "/components/0/ports/outlets/2/radius", 0.0005),
        (
            [CUBE, {"op": "add_blind_channels", "count": 2, "face": "top", "diameter_mm": 1, "depth_mm": 4}],
            "/policies/channels/length",
            0.004,
        ),
        ([CUBE, *TREE], "/policies/growth/target_terminals", 16),
        ([CUBE, BORE, {"op": "set", "path": "main_domain.z_mm", "value": 12}], "/domains/main_domain/z_max", 0.006),
        (
            [CUBE, *TREE, TIPS],
            "/policies/radius/terminal_radius",
            0.00015,
        ),
        ([CUBE, {"op": "set", "path": "min_wall_mm", "value": 0.5}], "/policies/validity/min_feature_size", 0.0005),
        ([{"op": "set", "path": "/policies/growth/step_size", "value": 0.4}], "/policies/growth/step_size", 0.0004),
        ([{"op": "set", "path": "/meta/seed", "value": 7}], "/meta/seed", 7),
    ],
)
def test_lengths_are_in_millimetres_whatever_the_document_is_in(operations, place, value):
    assert lookup(built(*operations), place) == value


def test_a_width_is_changed_at_both_ends_of_every_channel():
    after = built({"op": "set", "path": "channels_1.diameter_mm", "value": 0.8}, document=built(CUBE, THREE))
    assert radii(after) == {0.0004}


def test_a_channel_goes_with_both_of_its_ends():
    after = built({"op": "remove", "name": "inlet_2"}, document=built(CUBE, THREE))
    ports = after["components"][0]["ports"]
    assert [port["name"] for port in ports["inlets"]] == ["inlet_1", "inlet_3"]
    assert [port["name"] for port in ports["outlets"]] == ["outlet_1", "outlet_3"]


def test_two_ports_of_a_network_are_connected():
    ports = [
        {"op": "add_ports", "kind": kind, "count": 1, "face": face, "diameter_mm": 1}
        for kind, face in (("inlet", "left"), ("outlet", "top"))
    ]
    after = built(CUBE, *ports, {"op": "connect", "inlet": "inlet_1", "outlet": "outlet_1", "diameter_mm": 1})
    (step,) = after["components"][0]["build"]["backend_params"]["steps"]
    assert (step["op"], step["from"], step["outlet"]) == ("connect_to_outlet", "inlet_1", "outlet_1")


@pytest.mark.parametrize(
    ("operations", "told"),
    [
        ([BORE], "operations[0] add_channels: There is no body yet"),
        ([CUBE, BORE | {"to_face": "top"}], "left end on right"),
        ([CUBE, BORE | {"diameter_mm": 11}], "do not fit there: at most 9.8 mm would"),
        ([CUBE, {"op": "set", "path": "main_domain.heigth_mm", "value": 3}], "Near it: main_domain."),
        ([CUBE, {"op": "set", "path": "main_domain.z_mm", "value": -3}], "is a number above 0"),
        ([CUBE, BORE, {"op": "remove", "name": "inlt_1"}], "There are: inlet_1"),
        ([CUBE, BORE, {"op": "remove", "name": "main_domain"}], "holds channels_1; remove those first"),
        ([CUBE, {"op": "connect", "inlet": "a", "outlet": "b", "diameter_mm": 1}], "Inlets: none. Outlets: none."),
    ],
)
def test_what_does_not_fit_is_refused_with_what_would(operations, told):
    outcome = planned(*operations)
    assert told in " ".join(outcome.refused)
    assert not outcome.patch


def test_what_is_so_in_the_document_changes_nothing():
    assert "Nothing would change" in planned(CUBE, document=built(CUBE)).refused[0]


def test_the_last_change_is_taken_back():
    before, undo = built(CUBE), FORM.validate_python({"op": "undo", "changes": 1})
    history = [{"at": "1", "summary": "add", "inverse": [{"op": "remove", "path": "/domains/main_domain"}]}]
    outcome = plan_operations(before, [undo], history)
    assert not apply_patch(before, outcome.patch)["domains"]
    assert plan_operations(before, [undo]).refused


def test_every_change_has_a_planner_and_every_stage_a_name():
    assert set(PLANNERS) == {*get_args(Change), *get_args(PlainChange)}
    assert set(get_args(Until)) <= {FULL, *PIPELINE_STAGES}


def test_the_schema_that_is_sent_is_closed_and_has_required_fields_only():
    sent = answer_format(SentDirective)["json_schema"]
    assert sent["strict"] is True
    forms = sent["schema"]["properties"]["operations"]["items"]["anyOf"]
    assert len(forms) == len(get_args(get_args(Operation)[0]))
    for form in forms:
        assert set(form["required"]) == set(form["properties"])
        assert form["additionalProperties"] is False
    grow = next(form for form in forms if form["properties"]["op"]["enum"] == ["grow"])
    assert grow["properties"]["kind"]["enum"] == ["tree", "space_colonization"]


def names_of(document: dict[str, Any], message: str) -> set[str]:
    """The operations that a small model is sent."""
    sent = answer_format(plain_directive(offered(document, message)))["json_schema"]
    assert sent["strict"] is True
    forms = sent["schema"]["properties"]["operations"]["items"]["anyOf"]
    assert all(set(form["required"]) == set(form["properties"]) for form in forms)
    return {form["properties"]["op"]["enum"][0] for form in forms}


def test_a_small_model_is_sent_what_makes_sense_on_the_design_as_it_is():
    empty = names_of(minimal_document("part"), "a body with holes")
    assert {"add_box", "drill", "ask"} <= empty
    assert not {"set", "remove", "undo", "run", "connect", "patch", "look_at", "join", "add_blind_channels"} & empty
    assert {"set", "remove", "undo", "run"} <= names_of(built(CUBE), "make it taller")
    assert not {"add_box", "add_cylinder"} & names_of(built(CUBE), "make it taller")
    assert "add_cylinder" not in names_of(minimal_document("part"), "a cube of 2 cm")
    assert "join" in names_of(built(CUBE), "an inlet and an outlet")
    assert "add_blind_channels" in names_of(built(CUBE), "a hole 5 mm deep")


@pytest.mark.parametrize(
    ("message", "asks"),
    [
        ("a box of 4 by 4 by 2 cm with a hole of 3 mm", False),
        ("a box of 4 by 4 by 2 cm with a hole", True),
        ("a cube of 2 cm", False),
        ("a cylinder, 3 mm wide", True),
        ("a plate with holes", True),
    ],
)
def test_what_the_message_says_is_not_to_be_asked(message, asks):
    assert ("ask" in names_of(minimal_document("part"), message)) is asks


@pytest.mark.parametrize(
    ("along", "faces"),
    [
        ("left to right", {"left", "right"}),
        ("length", {"left", "right"}),
        ("width", {"front", "back"}),
        ("height", {"top", "bottom"}),
        ("thickness", {"top", "bottom"}),
    ],
)
def test_one_word_says_where_channels_run(along, faces, tmp_path):
    drill = {"op": "drill", "count": 2, "along": along, "diameter_mm": 1, "apart_mm": 4}
    document = built({"op": "add_box", "x_mm": 30, "y_mm": 20, "z_mm": 10}, drill)
    found = bores(document, document["domains"]["main_domain"], 1e3)
    assert [{mouth.face for mouth in bore.openings} for bore in found] == [faces, faces]
    assert np.linalg.norm(found[0].line[0] - found[1].line[0]) == pytest.approx(4)


def test_channels_along_a_side_that_no_box_has_alone_are_refused():
    drill = {"op": "drill", "count": 1, "along": "length", "diameter_mm": 1, "apart_mm": 0}
    assert "no single long side" in planned(CUBE, drill).refused[0]


@pytest.mark.parametrize(("inlets", "outlets"), [(1, 1), (1, 2), (2, 3)])
def test_inlets_and_outlets_are_joined_to_one_hollow(inlets, outlets):
    ports = {"op": "add_ports", "diameter_mm": 1}
    first = ports | {"kind": "inlet", "count": inlets, "face": "top"}
    document = built(CUBE, first, ports | {"kind": "outlet", "count": outlets, "face": "left"}, {"op": "join"})
    (hollow,) = bores(document, document["domains"]["main_domain"], 1e3)
    assert len(hollow.openings) == inlets + outlets
    assert all(issue.severity != "error" for issue in check_document(document).issues)
    assert planned({"op": "join"}, document=built(CUBE)).refused


def test_a_size_that_nobody_said_is_named_and_what_follows_from_the_state_is_not():
    form = FORM.validate_python({"op": "drill", "count": 1, "along": "length", "diameter_mm": 4, "apart_mm": 0})
    assert unsaid(["a hole of 3 mm"], [form]) == ["diameter 4 mm"]
    assert not unsaid(["a hole of 0.4 cm"], [form])
    assert not unsaid(["a hole as before"], [form], sizes=[4.0])
    assert lengths_of("4 by 4 by 2 cm, 500 µm and 1/8 inch") == [40, 40, 20, 0.5, 3.175]


@pytest.mark.parametrize(
    ("said", "sides", "count", "found"),
    [
        ("a block 45 mm long and 26 mm wide with a 4 mm bore", (45, 26, 45), 1, ["z 45 mm (said of another side)"]),
        ("a block 45 x 26 x 45 mm with a 4 mm bore", (45, 26, 45), 4, ["count 4"]),
        ("a cube of 30 mm with both holes 4 mm", (30, 30, 30), 2, []),
        ("ein Würfel mit 30 mm, sechs Löcher mit 4 mm", (30, 30, 30), 6, []),
        ("a box 3 x 2 x 1 cm, two 4 mm holes on the left and three on the right", (30, 20, 10), 5, []),
    ],
)
def test_a_side_and_a_number_of_its_own_have_to_be_said(
    said: str, sides: tuple[float, float, float], count: int, found: list[str]
) -> None:
    box = forms.AddBox(op="add_box", x_mm=sides[0], y_mm=sides[1], z_mm=sides[2])
    drill = forms.Drill(op="drill", count=count, along="thickness", diameter_mm=4, apart_mm=0)
    assert unsaid([said], [box, drill]) == found
    tall = FORM.validate_python({"op": "set", "path": "main_domain.z_mm", "value": 30})
    for wanted in ("make it 3 cm tall", "10 mm taller", "50 % taller"):
        assert not unfounded([wanted], [tall], [20.0]), wanted
    assert not unfounded(["make it twice as tall"], [tall], [15.0])
    assert unfounded(["make it 25 mm tall"], [tall], [20.0]) == ["main_domain.z_mm 30 mm"]
