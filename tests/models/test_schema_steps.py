"""Tool calls for endpoints that have none: plain chat with a grammar goes out, what comes back is a tool call."""

import json
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel
from pydantic_core import to_json

from loopwright.kernel.answer_form import answer_format
from loopwright.kernel.messages import Message, ToolCall, ToolSchemas
from loopwright.kernel.ports import ModelRequest
from loopwright.kernel.prompts import PromptRepository
from loopwright.models.answer import Answer
from loopwright.models.body import SchemaSteps, as_tool_calls, body_of, step_schema
from loopwright.models.composing import RULES
from tests.models.conftest import LOOKUP
from tests.support import model_server as server

NESTED = ToolSchemas(
    (
        {
            "type": "function",
            "function": {
                "name": "save",
                "description": "Save items.\n\nA long story that a small model does not need.",
                "parameters": {
                    "type": "object",
                    "properties": {
                        "items": {"type": "array", "items": {"$ref": "#/$defs/Item"}},
                        "kind": {"enum": ["new", "old"]},
                        "note": {"anyOf": [{"type": "string"}, {"type": "null"}]},
                    },
                    "required": ["items", "kind"],
                    "$defs": {
                        "Item": {"type": "object", "properties": {"parent": {"$ref": "#/$defs/Item"}}},
                    },
                },
            },
        },
        *LOOKUP.schemas,
    )
)


class Step(BaseModel):
    """One step."""

    title: str
    weight: int | None = None


class Verdict(BaseModel):
    """A structured answer."""

    steps: list[Step]
    mood: Literal["good", "bad"]


HISTORY = [
    Message.system("[task: toy/loop]\nYou help."),
    Message.user("Look a up."),
    Message.assistant("", [ToolCall(id="c1", name="lookup", arguments='{"key":"a"}')]),
    Message.tool("c1", "found it"),
]


async def test_the_wire_knows_nothing_of_tools(talk):
    async with talk([server.text('{"tool": "lookup", "arguments": {"key": "b"}}')], tools="schema") as t:
        response = await t.client.complete(ModelRequest(HISTORY, LOOKUP))
    body = t.server.requests[0].body
    assert "tools" not in body
    assert [m["role"] for m in body["messages"]] == ["system", "user", "assistant", "user"]
    assert body["messages"][0]["content"].startswith("You help.\n\nAnswer with exactly one JSON object")
    assert t.server.requests[0].headers["x-loopwright-task"] == "toy/loop"
    assert "- lookup(key: string, deep?: boolean): Look a key up." in body["messages"][0]["content"]
    assert json.loads(body["messages"][2]["content"]) == {"tool": "lookup", "arguments": {"key": "a"}}
    assert body["messages"][3]["content"] == "Result:\nfound it"
    assert body["response_format"]["type"] == "json_schema"
    (call,) = response.tool_calls
    assert (call.name, json.loads(call.arguments)) == ("lookup", {"key": "b"})
    assert (response.text, response.finish_reason) == ("", "tool_calls")


async def test_the_answer_is_shown_when_it_is_whole(talk):
    pieces: list[str] = []
    async with talk([server.text('{"answer": "All done."}')], tools="schema") as t:
        response = await t.client.complete(ModelRequest(HISTORY, LOOKUP), pieces.append)
    assert pieces == ["All done."]
    assert (response.text, response.finish_reason) == ("All done.", "stop")


async def test_the_tools_are_told_where_there_is_no_system_message(talk):
    async with talk([server.text('{"answer": "a"}')], tools="schema") as t:
        await t.client.complete(ModelRequest([Message.user("hi")], LOOKUP))
    system, user = t.server.requests[0].body["messages"]
    assert "lookup(" in system["content"]
    assert user["content"] == "hi"


async def test_without_tools_it_is_an_ordinary_request(talk):
    form = {"type": "json_schema", "json_schema": {"name": "x", "schema": {}}}
    async with talk([server.text("{}"), server.text("plain")], tools="schema") as t:
        assert (await t.client.complete(ModelRequest([Message.user("hi")], response_format=form))).text == "{}"
        assert (await t.client.complete(ModelRequest(HISTORY))).text == "plain"
    first, second = (request.body for request in t.server.requests)
    assert first["response_format"] == form
    assert "response_format" not in second
    assert [m["role"] for m in second["messages"]] == ["system", "user", "assistant", "user"]


async def test_a_final_answer_may_have_a_form_of_its_own(talk):
    form = {"type": "json_schema", "json_schema": {"name": "verdict", "schema": {"type": "object", "title": "Verdict"}}}
    async with talk([server.text('{"answer": {"ok": true}}')], tools="schema") as t:
        response = await t.client.complete(ModelRequest(HISTORY, LOOKUP, response_format=form))
    sent = t.server.requests[0].body["response_format"]["json_schema"]["schema"]["anyOf"]
    assert sent[-1]["properties"] == {"answer": {"type": "object", "title": "Verdict"}}
    assert json.loads(response.text) == {"ok": True}


async def test_the_form_of_an_answer_is_told_spelled_out(talk):
    form = answer_format(Verdict)
    async with talk([server.text('{"answer": {"steps": [], "mood": "good"}}')], tools="schema") as t:
        await t.client.complete(ModelRequest(HISTORY, LOOKUP, response_format=form))
    system, *_, last = t.server.requests[0].body["messages"]
    told = 'To answer: {"answer": {steps: list of {title: string, weight: integer or null}, mood: good|bad}}'
    assert last == {"role": "user", "content": f"Result:\nfound it\n\n{told}"}
    assert "mood" not in system["content"], "the system message keeps its bytes whatever the stage asks for"


async def test_where_no_answer_is_possible_there_is_no_place_for_one(talk):
    replies = [server.text('{"tool": "lookup", "arguments": {"key": "b"}}')]
    async with talk(replies, tools="schema") as t:
        response = await t.client.complete(ModelRequest(HISTORY, LOOKUP, may_answer=False))
    (only,) = t.server.requests[0].body["response_format"]["json_schema"]["schema"]["anyOf"]
    assert only["properties"]["tool"] == {"const": "lookup"}
    assert response.sent is not None
    assert not response.sent.may_answer
    tools = to_json(list(LOOKUP.schemas)).decode()
    again = body_of(HISTORY, tools, response.sent, PromptRepository({"models": "loopwright.models"}))
    assert again.json == t.server.requests[0].raw
    assert again.digest == response.sent.digest


def schema_at(name: str, **more: Any) -> Any:
    settings = {"model": "m"} | ({"response_format": answer_format(Verdict)} if more.pop("verdict", False) else {})
    steps = SchemaSteps(PromptRepository({"models": "loopwright.models"}), RULES[name])
    sent = json.loads(steps.body(HISTORY, LOOKUP, settings, **more).json)
    return sent.get("response_format")


def test_a_step_stands_in_an_object_where_a_schema_must_describe_one():
    bare, whole = (schema_at(name)["json_schema"]["schema"] for name in ("llamacpp", "openai"))
    assert whole["type"] == "object"
    assert whole["properties"] == {"step": {"anyOf": bare["anyOf"]}}
    assert whole["required"] == ["step"]


@pytest.mark.parametrize("inner", ['{"tool": "lookup", "arguments": {"key": "a"}}', '{"answer": "Done."}'])
def test_a_step_in_an_object_is_read_as_one_without(inner):
    made, bare = (as_tool_calls(Answer(text), LOOKUP) for text in (f'{{"step": {inner}}}', inner))
    assert made.text == bare.text
    assert [(each.name, each.arguments) for each in made.tool_calls] == [(c.name, c.arguments) for c in bare.tool_calls]


def test_steps_are_asked_for_in_the_form_that_is_taken():
    assert schema_at("deepseek", verdict=True) == {"type": "json_object"}
    assert schema_at("anthropic", verdict=True) is None
    told = json.dumps(schema_at("gemini", verdict=True, callable_now={"lookup"}))
    assert '"enum": ["lookup"]' in told
    assert '"const"' not in told
    assert "additionalProperties" not in told


async def test_an_answer_with_a_field_named_answer_stays_whole_where_no_tools_are(talk):
    form = {"type": "json_schema", "json_schema": {"name": "x", "schema": {}}}
    async with talk([server.text('{"answer": "yes"}')], tools="schema") as t:
        response = await t.client.complete(ModelRequest(HISTORY, response_format=form))
    assert response.text == '{"answer": "yes"}'


async def test_many_tool_sets_are_told_apart(talk):
    replies = [server.text('{"answer": "a"}')] * 2
    async with talk(replies, tools="schema") as t:
        await t.client.complete(ModelRequest(HISTORY, LOOKUP))
        await t.client.complete(ModelRequest(HISTORY, NESTED))
    first, second = (request.body["messages"][0]["content"] for request in t.server.requests)
    assert "save(" not in first
    assert "- save(items: list of {parent?: {…}}, kind: new|old, note?: string or null): Save items.\n" in second


def test_definitions_move_to_the_root_under_their_tools_name():
    schema = step_schema(NESTED)
    save, lookup, answer = schema["anyOf"]
    assert save["properties"]["tool"] == {"const": "save"}
    assert save["properties"]["arguments"]["properties"]["items"]["items"] == {"$ref": "#/$defs/save.Item"}
    assert schema["$defs"]["save.Item"]["properties"]["parent"] == {"$ref": "#/$defs/save.Item"}
    assert "$defs" not in save["properties"]["arguments"]
    assert lookup["properties"]["arguments"] == LOOKUP.schemas[0]["function"]["parameters"]
    assert answer["required"] == ["answer"]


@pytest.mark.parametrize(
    "text",
    [
        '{"tool": "lookup", "arguments": {"key": "a"}}',
        ' {"arguments": {"key": "a"}, "tool": "lookup"}\n',
        '```json\n{"tool": "lookup", "arguments": {"key": "a"}}\n```',
        '{"tool": "lookup", "arguments": "{\\"key\\": \\"a\\"}"}',
        '{"name": "lookup", "arguments": {"key": "a"}}',
    ],
)
def test_a_step_in_any_dress_is_a_call(text):
    answer = as_tool_calls(Answer(text), LOOKUP)
    (call,) = answer.tool_calls
    assert (call.name, json.loads(call.arguments), answer.text) == ("lookup", {"key": "a"}, "")


@pytest.mark.parametrize(
    "text",
    [
        "Plain words.",
        '{"tool": "write", "arguments": {"html": "<p>cut o',
        '{"some": "json"}',
        '{"tool": 3}',
        '{"name": "Ada", "arguments": {}}',
        "[1]",
        "",
    ],
)
def test_what_is_no_step_stays_text(text):
    assert as_tool_calls(Answer(text, finish_reason="length"), LOOKUP) == Answer(text, finish_reason="length")


@given(st.text())
def test_any_text_is_text_or_a_call(text):
    answer = as_tool_calls(Answer(text), LOOKUP)
    assert answer.text == text or answer.tool_calls or "answer" in text
