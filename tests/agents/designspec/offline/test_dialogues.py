"""Conversations: questions and their answers, runs, failures and their fixes, undo, complaints, and what it says."""

import json

import pytest

from loopwright.agents.designspec.document.checking import minimal_document
from loopwright.agents.designspec.offline import PLAYBOOK
from loopwright.kernel.messages import Message, told_messages
from loopwright.kernel.offline import OfflineRequest
from tests.agents.designspec.offline.dialogue import Dialogue, operations_of, tree


def test_only_the_first_answer_says_that_no_language_model_speaks():
    talk = Dialogue()
    assert "not a language model" in talk.ask("what can you do").assistant_message
    assert "not a language model" not in talk.ask("show spec").assistant_message


def test_the_same_request_gets_the_same_answer():
    first, second = Dialogue(), Dialogue()
    assert operations_of(first.say("box 20x20x20 mm with 2 inlets")) == operations_of(
        second.say("box 20x20x20 mm with 2 inlets")
    )
    assert first.messages == second.messages


@pytest.mark.parametrize(
    ("intent", "until"),
    [
        ("run it", "full"), ("please run the pipeline", "full"), ("run until embed", "embed"), ("go", "full"),
        ("run up to the union", "union_voids"), ("just check it", "validity"), ("validate the design", "validity"),
        ("run until component mesh", "component_mesh"), ("run through mesh_merge", "union_voids"),
        ("make the STL", "full"), ("build it", "full"),
    ],
)  # fmt: skip
def test_runs(intent, until):
    directive = tree().say(intent)
    assert directive.run_request is not None
    assert directive.run_request.run
    assert directive.run_request.run_until == until
    assert not directive.proposed_patches


def test_a_change_and_a_run_come_in_one_directive():
    directive = tree().say("make it 10 % taller and run it until embed")
    assert operations_of(directive)
    assert directive.run_request.run_until == "embed"


def test_an_unknown_stage_is_not_run():
    directive = tree().say("run until nonsense")
    assert directive.run_request is None
    assert "component_build" in directive.assistant_message


def test_what_cannot_run_yet_says_what_is_missing():
    directive = Dialogue("box 20x20x20 mm").say("run it")
    assert directive.run_request is None
    assert "cannot be run yet" in directive.assistant_message


def test_a_missing_size_is_asked_for_with_a_default_and_the_answer_is_taken():
    talk = Dialogue()
    directive = talk.say("make me a box with two inlets on top")
    assert [question.id for question in directive.questions] == ["domain_size"]
    assert directive.questions[0].default == "20 x 20 x 10 mm"
    assert not directive.proposed_patches
    talk.say(f"{directive.questions[0].question} – 30x30x10 mm")
    assert talk.at("/domains/main_domain/x_max") == 0.015
    assert len(talk.at("/components/0/ports/inlets")) == 2


@pytest.mark.parametrize("answer", ["yes", "the default", "20 x 20 x 10", "ok."])
def test_a_question_may_be_answered_in_a_message_of_its_own(answer):
    talk = Dialogue("make me a box", answer)
    assert talk.at("/domains/main_domain/z_max") == 0.005


def test_a_question_that_is_left_open_takes_its_default():
    talk = Dialogue()
    directive = talk.say("grow a tree with 8 tips")
    talk.say(f"{directive.questions[0].question} – (no answer)")
    assert talk.at("/domains/main_domain/x_max") == 0.01
    assert talk.at("/policies/growth/target_terminals") == 8


def test_questions_come_one_after_another_and_end():
    talk = Dialogue()
    first = talk.say("a disc with 4 inlets")
    second = talk.say(f"{first.questions[0].question} – 30 mm")
    assert second.questions[0].question == "How thick is the disc?"
    talk.say(f"{second.questions[0].question} – 4 mm")
    assert talk.at("/domains/main_domain") == {
        "type": "cylinder",
        "center": [0, 0, 0],
        "radius": 0.015,
        "height": 0.004,
    }
    assert len(talk.at("/components/0/ports/inlets")) == 4


def test_an_answer_that_makes_no_sense_is_not_asked_for_again_and_again():
    talk = Dialogue()
    directive = talk.say("make it a box")
    seen = []
    for _ in range(3):
        directive = talk.say(f"{directive.questions[0].question} – bananas") if directive.questions else directive
        seen.append(directive.assistant_message)
    assert not directive.proposed_patches


@pytest.mark.parametrize(
    ("intent", "answer", "pointer", "value"),
    [
        ("make it taller", "5 mm", "/domains/main_domain/z_max", 0.0125),
        ("make it smaller", "10 %", "/domains/main_domain/z_max", 0.009),
        ("more tips", "32", "/policies/growth/target_terminals", 32),
        ("set the clearance", "0.2 mm", "/policies/collision/collision_clearance", 0.0002),
        ("move inlet_1", "by 1 mm in y", "/components/0/ports/inlets/0/position/1", 0.001),
        ("make inlet_1 wider", "3 mm", "/components/0/ports/inlets/0/radius", 0.0015),
    ],
)
def test_amounts_are_asked_for(intent, answer, pointer, value):
    talk = tree()
    directive = talk.say(intent)
    assert len(directive.questions) == 1
    assert not directive.proposed_patches
    talk.say(f"{directive.questions[0].question} – {answer}")
    assert talk.at(pointer) == pytest.approx(value)


@pytest.mark.parametrize(
    "complaint",
    [
        "Your patches were not put to the user. /proposed_patches/0: nothing is at /a.\nSend it again.",
        "Your answer could not be used. It is no JSON.",
        "Your directive was refused: no.",
        "The document cannot be run yet. /domains is empty.",
    ],
)
def test_a_complaint_is_answered_with_its_reason_and_never_with_the_same_again(complaint):
    talk = Dialogue()
    talk.ask("box 20x20x20 mm")
    directive = talk.ask(complaint)
    assert not directive.proposed_patches
    assert directive.run_request is None
    assert "Sorry" in directive.assistant_message
    assert "differently" in directive.assistant_message
    after = talk.ask("box 30x30x30 mm")
    assert operations_of(after)[0]["value"]["x_max"] == 0.015


def test_a_reason_for_a_rejection_is_a_intent():
    talk = Dialogue("box 20x20x20 mm")
    talk.say('I rejected "Add 2 inlets": make it 30 mm tall instead')
    assert talk.at("/domains/main_domain/z_max") == 0.015


def test_the_document_is_asked_for_and_used_in_the_second_hop():
    talk = tree()
    directive = talk.ask("make it 20 % taller", task="designspec/turn")
    assert directive.context_requests.need_full_spec
    assert not directive.proposed_patches
    talk.messages = talk.messages[:-2]
    directive = talk.ask("make it 20 % taller", task="designspec/turn_expanded")
    assert operations_of(directive)
    assert directive.context_requests is None


def test_without_the_document_nothing_is_changed_even_in_the_second_hop():
    pack = json.dumps({"spec": None})
    state = f"x\n<context_pack>\n{pack}\n</context_pack>"
    messages = told_messages([Message(role="user", content="undo it")], state)
    reply = json.loads(PLAYBOOK.answer(OfflineRequest(task="designspec/turn_expanded", messages=messages)).text)
    assert reply["proposed_patches"] == []
    assert reply["context_requests"] is None


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("what can you do", ["tree with 64 tips", "undo"]),
        ("help", ["run it"]),
        ("hello", ["20x60x30"]),
        ("show spec", ["main_domain", "20 mm × 20 mm × 20 mm", "inlet_1", "scaffold_topdown"]),
        ("how large is it?", ["20 mm × 20 mm × 20 mm"]),
        ("where are the inlets?", ["inlet_1"]),
        ("missing fields", ["Nothing is missing"]),
        ("last error", ["no run yet"]),
        ("explain defaults", ["42", "millimetres"]),
        ("what does clearance mean", ["least distance"]),
        ("what is murray's law?", ["third power"]),
        ("what does flurb mean?", ["no explanation"]),
        ("what happens when I run it?", ["component_build"]),
        ("cancel", ["Nothing is changed"]),
        ("show the history", ["Nothing has been changed", "What was changed"]),
        ("make me a sandwich", ["did not understand", "help"]),
        ("why?", ["no run yet"]),
    ],
)
def test_questions_change_nothing(question, parts):
    talk = tree()
    directive = talk.say(question)
    assert not directive.proposed_patches
    assert directive.run_request is None
    assert any(part in directive.assistant_message for part in parts), directive.assistant_message


def test_what_was_not_understood_is_named_and_the_rest_is_done():
    talk = Dialogue("box 20x20x20 mm")
    directive = talk.say("add an inlet on top and paint it red. Then make it 25 mm tall")
    assert "paint it red" in directive.assistant_message
    assert talk.at("/domains/main_domain/z_max") == 0.0125
    assert len(talk.at("/components/0/ports/inlets")) == 1


def test_an_empty_project_says_what_is_missing():
    assert "A body" in Dialogue().say("what is missing?").assistant_message


@pytest.mark.parametrize("task", ["designspec/other", "designspec/"])
def test_other_tasks_are_refused_in_a_directive(task):
    reply = json.loads(PLAYBOOK.answer(OfflineRequest(task=task, messages=[Message(role="user", content="hi")])).text)
    assert "no rules" in reply["assistant_message"]


@pytest.mark.parametrize(
    "state", ["", "<context_pack>\n{broken\n</context_pack>", "<context_pack>\n[1]\n</context_pack>"]
)
def test_a_request_without_a_context_is_told(state):
    messages = told_messages([Message(role="user", content="hi")], state)
    reply = json.loads(PLAYBOOK.answer(OfflineRequest(task="designspec/turn_expanded", messages=messages)).text)
    assert "cannot read" in reply["assistant_message"]
    assert reply["proposed_patches"] == []


def test_numbers_without_a_unit_are_told():
    assert "millimetres" in Dialogue().say("box 20x20x20").assistant_message
    assert "millimetres" not in Dialogue().say("box 20x20x20 mm").assistant_message


def test_ports_that_move_along_are_told():
    message = Dialogue("box 20x20x20 mm", "an inlet on top").say("make it 10 mm taller").assistant_message
    assert "`inlet_1` along with the faces" in message


def test_a_file_outside_of_the_project_is_refused():
    for path in ("../../secret.stl", "/etc/passwd.stl", "C:\\x.stl", "~/x.stl"):
        directive = Dialogue("box 20x20x20 mm").say(f"import the void from {path}")
        assert not directive.proposed_patches
        assert "project folder" in directive.assistant_message


def test_the_minimal_document_is_not_changed_by_reading_it():
    document = minimal_document("chip")
    Dialogue(document=document).ask("box 20x20x20 mm")
    assert document == minimal_document("chip")
