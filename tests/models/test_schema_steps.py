"""Tool calls for endpoints that have none: plain chat with a grammar goes out, what comes back is a tool call."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.kernel.messages import Message, ToolCall, ToolSchemas
from loopwright.kernel.ports import ModelRequest
from loopwright.models.answer import Answer
from loopwright.models.schema_steps import as_tool_calls, step_schema
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
    assert body["messages"][0]["content"].startswith(
        "[task: toy/loop]\nYou help.\n\nAnswer with exactly one JSON object"
    )
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


async def test_many_tool_sets_are_told_apart(talk):
    replies = [server.text('{"answer": "a"}')] * 2
    async with talk(replies, tools="schema") as t:
        await t.client.complete(ModelRequest(HISTORY, LOOKUP))
        await t.client.complete(ModelRequest(HISTORY, NESTED))
    first, second = (request.body["messages"][0]["content"] for request in t.server.requests)
    assert "save(" not in first
    assert "- save(items: list of Item, kind: new|old, note?: string or null): Save items.\n" in second


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
