"""Structured answers: the schema that is sent, the one check of what comes back, and how it is told of."""

from typing import Any, Literal

import pytest
from pydantic import BaseModel, Field

from loopwright.kernel.answer_form import Misfit, answer_format, read_answer
from loopwright.kernel.gates import Failed, Finished
from loopwright.kernel.policy import COMPLETE, StagePolicy, Transition
from loopwright.kernel.replay import use_of_models
from loopwright.kernel.spec import Limits, Parsed, Stage
from loopwright.kernel.testing import ScriptedModel, start_run
from loopwright.kernel.testing.runs import strict_arguments
from tests.kernel.toys import World, journal_of, play, stored, toy_spec


class Item(BaseModel):
    """An item."""

    name: str = Field(max_length=8, description="Its name")
    children: list["Item"] = []


class Verdict(BaseModel):
    """The answer of the toy stage."""

    mood: Literal["good", "bad"]
    items: list[Item]
    note: str | None = None


GOOD = '{"mood": "good", "items": [{"name": "a", "children": []}], "note": null}'


def schema_of(model: type[BaseModel]) -> dict[str, Any]:
    return answer_format(model)["json_schema"]["schema"]


def test_the_schema_is_closed_and_says_everything_once():
    schema = schema_of(Verdict)
    assert schema["required"] == ["mood", "items", "note"]
    assert schema["additionalProperties"] is False
    assert schema["properties"]["mood"] == {"enum": ["good", "bad"], "type": "string"}
    item = schema["properties"]["items"]["items"]
    assert item["properties"]["name"] == {"type": "string", "maxLength": 8, "description": "Its name"}
    assert item["properties"]["children"] == {"type": "array", "items": {"$ref": "#/$defs/Item"}}
    assert set(schema["$defs"]) == {"Item"}, "only what refers to itself stays a reference"
    assert answer_format(Verdict)["json_schema"]["strict"] is True


def test_an_object_that_is_open_is_not_asked_for_strictly():
    class Open(BaseModel):
        values: dict[str, int]

    assert answer_format(Open)["json_schema"]["strict"] is False
    assert schema_of(Open)["properties"]["values"] == {"type": "object", "additionalProperties": {"type": "integer"}}


@pytest.mark.parametrize("text", [GOOD, f"```json\n{GOOD}\n```", f"Here it is:\n{GOOD}\nDone."])
def test_words_around_an_answer_are_forgiven(text):
    assert Verdict.model_validate_json(read_answer(Verdict, text, strict_arguments)).items[0].name == "a"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("All is well.", "one JSON object"),
        ('{"mood": "good"', "one JSON object"),
        ('{"mood": good}', "not valid JSON"),
        ('{"mood": "fine", "items": []}', "- mood: Input should be 'good' or 'bad'"),
        ('{"mood": "bad", "items": [{"name": "far too long"}]}', "- items.0.name: String should have at most 8"),
        ('{"mood": "bad"}', "- items: Field required"),
    ],
)
def test_a_complaint_names_the_field(text, told):
    with pytest.raises(Misfit) as raised:
        read_answer(Verdict, text, strict_arguments)
    assert told in str(raised.value)


def read(text: str) -> Parsed:
    verdict = Verdict.model_validate_json(text)
    return Parsed(visible=verdict.note or verdict.mood, kept=text, records=())


def judged(**more: Any) -> Any:
    stage = Stage("work", StagePolicy(frozenset({"look"})), answer=Verdict, parser=read, **more)
    return toy_spec(stages=[stage], transitions=[Transition("work", "text", COMPLETE)], limits=Limits(refusals=1))


async def test_the_schema_goes_with_each_request_and_the_parser_gets_the_json():
    model = ScriptedModel([[("look", {"thing": "a"})], f"Sure: {GOOD}"])
    run = start_run(judged(), model, services=World())
    assert isinstance(await play(run), Finished)
    assert [request.response_format for request in model.requests] == [answer_format(Verdict)] * 2
    assert run.state.last_text == "good"


async def test_an_answer_is_repaired_with_the_precise_complaint_and_counted():
    model = ScriptedModel(['{"mood": "fine", "items": []}', GOOD])
    run = start_run(judged(), model)
    assert isinstance(await play(run), Finished)
    (message,) = stored(run, "controller_message")
    assert "- mood: Input should be" in message["text"]
    use = use_of_models(journal_of(run).events[run.state.run_id])["scripted"]
    assert (use.calls, use.repairs, use.prompt_tokens) == (2, 1, 20)
    assert "1 repairs" in str(use)


async def test_a_second_misfit_ends_as_any_unusable_answer_does():
    run = start_run(judged(), ScriptedModel(["nothing", "nothing again"]))
    outcome = await play(run)
    assert isinstance(outcome, Failed)
    assert outcome.code == "no_usable_answer"
    assert run.state.last_text == "", "what nobody could read is shown to nobody"


async def test_a_call_with_wrong_arguments_counts_as_a_repair():
    model = ScriptedModel([[("look", {"what": "a"})], [("look", {"thing": "a"})], GOOD])
    run = start_run(judged(), model, services=World())
    assert isinstance(await play(run), Finished)
    assert use_of_models(journal_of(run).events[run.state.run_id])["scripted"].repairs == 1


async def test_where_the_controller_would_take_no_answer_the_request_asks_for_a_call():
    model = ScriptedModel([[("look", {"thing": "a"})], GOOD])
    run = start_run(judged(may_answer=lambda run: run.state.steps > 0), model, services=World())
    assert isinstance(await play(run), Finished)
    assert [request.may_answer for request in model.requests] == [False, True]
