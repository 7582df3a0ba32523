"""Patches: each behind its own gate, applied to exactly the document that was approved upon, rebased or refused."""

import json

import pytest

from loopwright.agents.designspec.document.checking import check_document
from loopwright.kernel.gates import Failed, Finished, Waiting
from tests.agents.designspec.workflow.support import ADD_BOX, APPROVE, BOX, REJECT, say, talk

SEED = {"op": "replace", "path": "/meta/seed", "value": 7}
NAME = {"op": "replace", "path": "/meta/description", "value": "a block"}


async def test_a_patch_waits_for_a_yes_and_is_then_stored(tmp_path):
    talking = await talk(tmp_path / "part", say("A box.", ADD_BOX, requires_approval=False, confidence=1.0))
    assert talking.gate.kind == "patch"
    assert talking.project.document()["domains"] == {}
    details = talking.gate.details
    assert details["base_hash"] == talking.project.document_hash
    assert details["operations"] == [ADD_BOX]
    assert details["preview"]["inverse"] == [{"op": "remove", "path": "/domains/body"}]
    assert details["preview"]["valid"] is True
    assert details["preview"]["changes"]
    outcome = await talking.answer(APPROVE)
    assert isinstance(outcome, Finished)
    assert "A box." in outcome.text
    assert talking.project.document()["domains"] == {"body": BOX}
    assert [record.author for record in talking.project.history()] == ["llm", "create"]
    assert (tmp_path / "part" / "reports" / "last_validation.json").is_file()
    talking.model.assert_done()


async def test_a_no_changes_nothing(tmp_path):
    talking = await talk(tmp_path / "part", say("A box.", ADD_BOX))
    outcome = await talking.answer(REJECT)
    assert isinstance(outcome, Finished)
    assert "Rejected" in outcome.text
    assert talking.project.document()["domains"] == {}
    assert len(talking.project.history()) == 1


async def test_a_no_with_a_reason_lets_the_model_think_again(tmp_path):
    talking = await talk(tmp_path / "part", say("Seed 7.", SEED), say("Then only a description.", NAME))
    outcome = await talking.answer(REJECT | {"comment": "keep the seed"})
    assert isinstance(outcome, Waiting)
    assert "keep the seed" in talking.model.requests[-1].messages[-2].content
    await talking.answer(APPROVE)
    document = talking.project.document()
    assert (document["meta"]["seed"], document["meta"]["description"]) == (42, "a block")


async def test_each_group_has_its_own_gate(tmp_path):
    groups = [{"title": "Seed", "operations": [SEED]}, {"title": "Description", "operations": [NAME]}]
    talking = await talk(tmp_path / "part", say("Two.", proposed_patches=groups))
    assert talking.gate.title == "Seed"
    await talking.answer(REJECT)
    assert talking.gate.title == "Description"
    await talking.answer(APPROVE)
    document = talking.project.document()
    assert (document["meta"]["seed"], document["meta"]["description"]) == (42, "a block")


async def test_a_patch_that_needs_a_rejected_one_is_dropped_and_said_so(tmp_path):
    taller = {"op": "replace", "path": "/domains/body/z_max", "value": 0.05}
    groups = [{"title": "Box", "operations": [ADD_BOX]}, {"title": "Taller", "operations": [taller]}]
    talking = await talk(tmp_path / "part", say("Two.", proposed_patches=groups))
    outcome = await talking.answer(REJECT)
    assert isinstance(outcome, Finished)
    assert "Not applied" in outcome.text
    assert talking.stored("patch_dropped")


async def test_an_approval_outlives_a_change_that_it_commutes_with(tmp_path):
    talking = await talk(tmp_path / "part", say("A box.", ADD_BOX))
    project = talking.project
    other = project.document() | {"meta": project.document()["meta"] | {"seed": 7}}
    project.save(other, author="user", operations=[SEED], proposal_id=None, expected_hash=project.document_hash)
    assert isinstance(await talking.answer(APPROVE), Finished)
    document = talking.project.document()
    assert document["meta"]["seed"] == 7
    assert document["domains"] == {"body": BOX}
    assert talking.stored("patch_applied")[0]["rebased"] is True


async def test_a_stale_approval_is_refused_with_the_difference_and_asked_anew(tmp_path):
    talking = await talk(tmp_path / "part", say("Seed 9.", SEED | {"value": 9}))
    project = talking.project
    other = project.document() | {"meta": project.document()["meta"] | {"seed": 7}}
    project.save(other, author="user", operations=[SEED], proposal_id=None, expected_hash=project.document_hash)
    first = talking.gate
    outcome = await talking.answer(APPROVE)
    assert isinstance(outcome, Waiting)
    assert talking.gate.gate_id != first.gate_id
    assert talking.gate.digest != first.digest
    assert talking.gate.details["base_hash"] == project.document_hash
    assert any("seed" in line and "7" in line for line in talking.gate.details["stale"])
    assert talking.project.document()["meta"]["seed"] == 7
    assert talking.stored("approval_stale")[0]["approved_hash"] == first.details["base_hash"]
    await talking.answer(APPROVE)
    assert talking.project.document()["meta"]["seed"] == 9


@pytest.mark.parametrize(
    ("patch", "told"),
    [
        ({"op": "add", "path": "/schema/version", "value": "9.0.0"}, "/schema"),
        ({"op": "replace", "path": "", "value": {}}, "whole"),
        ({"op": "replace", "path": "/domains/body/x_max", "value": 1}, "/domains"),
        ({"op": "add", "path": "/domains/body", "value": BOX | {"x_max": 0}}, "/domains/body"),
        ({"op": "add", "path": "/domains/body", "value": BOX | {"x_max": "wide"}}, "/domains/body/x_max"),
        ({"op": "add", "path": "/meta/input_units", "value": "furlong"}, "/meta/input_units"),
    ],
)
async def test_a_patch_that_would_spoil_the_document_never_reaches_the_user(tmp_path, patch, told):
    talking = await talk(tmp_path / "part", say("So.", patch), say("Sorry, I leave it."))
    assert isinstance(talking.outcome, Finished)
    complaint = talking.model.requests[-1].messages[-2].content
    assert told in complaint
    assert not talking.stored("gate_opened")
    assert check_document(talking.project.document()).ok


async def test_a_model_that_never_repairs_its_patch_ends_the_run_without_harm(tmp_path):
    bad = say("So.", {"op": "remove", "path": "/domains/nothing"})
    talking = await talk(tmp_path / "part", bad, bad, bad, bad)
    assert isinstance(talking.outcome, Failed)
    assert talking.outcome.code == "no_usable_answer"
    assert len(talking.project.history()) == 1


async def test_a_broken_answer_is_sent_back_with_what_is_wrong(tmp_path):
    talking = await talk(tmp_path / "part", '{"assistant_message": "Hi", "confidence": 7}', say("Hello."))
    assert talking.outcome == Finished("Hello.")
    assert "confidence: " in talking.model.requests[-1].messages[-2].content


async def test_the_turn_log_tells_each_directive_and_the_outcome(tmp_path):
    talking = await talk(tmp_path / "part", say("A box.", ADD_BOX), message="Create a box")
    await talking.answer(APPROVE)
    lines = [json.loads(line) for line in (tmp_path / "part/logs/agent_turns.jsonl").read_text().splitlines()]
    assert len(lines) == 2
    assert lines[0]["directive_json"]["proposed_patches"] == [ADD_BOX]
    assert lines[1]["user_message"] == "Create a box"
    assert lines[1]["patch_applied"][0]["operations"] == [ADD_BOX]
    assert lines[1]["run_executed"] is False


async def test_a_field_that_has_no_effect_is_refused_before_anybody_is_asked(tmp_path):
    patch = {"op": "add", "path": "/policies/growth", "value": {"stepsize": 0.001}}
    talking = await talk(tmp_path / "part", say("Finer.", patch), say("I cannot do that."))
    assert talking.outcome == Finished("I cannot do that.")
    assert not talking.stored("gate_opened")
    complaint = talking.model.requests[-1].messages[-2].content
    assert "'stepsize' is not known" in complaint
    assert "'step_size'" in complaint


async def test_typed_operations_are_one_patch_behind_one_gate(tmp_path):
    forms = [
        {"op": "add_box", "x_mm": 20, "y_mm": 20, "z_mm": 10},
        {"op": "add_channels", "count": 2, "from_face": "left", "to_face": "right", "diameter_mm": 1},
    ]
    answer = json.dumps({"operations": forms, "assistant_message": "A block with two channels."})
    talking = await talk(tmp_path / "part", answer)
    assert talking.gate.kind == "patch"
    assert "two" not in talking.gate.title
    assert "20 × 20 × 10 mm" in talking.gate.title
    await talking.answer(APPROVE)
    assert len(talking.project.document()["components"][0]["ports"]["outlets"]) == 2


async def test_an_operation_with_an_unknown_field_is_sent_back_with_its_name(tmp_path):
    wrong = {"op": "add_box", "x_mm": 20, "y_mm": 20, "z_mm": 10, "radius_mm": 3}
    answer = json.dumps({"operations": [wrong], "assistant_message": "A box."})
    talking = await talk(tmp_path / "part", answer, say("I see."))
    assert "radius_mm" in talking.model.requests[-1].messages[-2].content
    assert not talking.stored("gate_opened")


async def test_a_question_is_an_operation_too(tmp_path):
    asking = {"op": "ask", "question": "How wide is the cylinder?", "default": "10 mm"}
    answer = json.dumps({"operations": [asking], "assistant_message": "The diameter is missing."})
    talking = await talk(tmp_path / "part", answer, say("I see."))
    assert talking.gate.kind == "questions"
    assert talking.gate.questions[0].default == "10 mm"


async def test_a_size_that_nobody_said_is_named_first_at_the_gate(tmp_path):
    forms = [{"op": "add_cylinder", "diameter_mm": 50, "height_mm": 12}]
    answer = json.dumps({"operations": forms, "assistant_message": "A cylinder."})
    talking = await talk(tmp_path / "part", answer, message="a cylinder 12 mm tall")
    assert talking.gate.title.startswith("Not said by you: diameter 50 mm;")
    said = await talk(tmp_path / "other", answer, message="a cylinder 12 mm tall with a radius of 2.5 cm")
    assert "Not said" not in said.gate.title
