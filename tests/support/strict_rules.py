"""What endpoints object to in a request, each objection a function: what is wrong with the body, or nothing.

The texts are the ones that the endpoints answer with, shortened.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from typing import Any

Body = Mapping[str, Any]
Finding = str | None


def dialogue(body: Body) -> list[dict[str, Any]]:
    return [message for message in body["messages"] if message["role"] not in ("system", "developer")]


def pairs(body: Body) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    messages = body["messages"]
    return pairwise(messages)


def calls_of(body: Body) -> list[dict[str, Any]]:
    return [call for message in body["messages"] for call in message.get("tool_calls") or ()]


def unpaired(body: Body) -> Finding:
    """Each call has exactly one result, directly behind it."""
    pending: list[str] = []
    for index, message in enumerate(body["messages"]):
        if message["role"] == "tool":
            if message.get("tool_call_id") not in pending:
                return (
                    f"messages.[{index}].role: messages with role 'tool' must be a response to preceding 'tool_calls'"
                )
            pending.remove(message["tool_call_id"])
            continue
        if pending:
            return f"An assistant message with 'tool_calls' must be followed by tool messages: {pending}"
        pending = [call["id"] for call in message.get("tool_calls") or ()]
    return f"An assistant message with 'tool_calls' must be followed by tool messages: {pending}" if pending else None


def empty_lists(body: Body) -> Finding:
    if body.get("tools") == [] or any(message.get("tool_calls") == [] for message in body["messages"]):
        return "Invalid 'tools' or 'tool_calls': empty array."
    return None


def no_content(body: Body) -> Finding:
    bare = [m for m in body["messages"] if m.get("content") is None and not m.get("tool_calls")]
    return "Invalid value for 'content': expected a string, got null." if bare else None


def empty_text(body: Body) -> Finding:
    told = [message["content"] for message in body["messages"] if message.get("content") is not None]
    texts = [part.get("text", "-") for each in told if isinstance(each, list) for part in each]
    texts += [each for each in told if not isinstance(each, list)]
    return None if all(map(str.strip, texts)) else "text content blocks must contain non-whitespace text"


def odd_names(body: Body) -> Finding:
    told = [tool["function"]["name"] for tool in body.get("tools") or ()]
    names = [*told, *(call["function"]["name"] for call in calls_of(body))]
    odd = [name for name in names if not re.fullmatch(r"[a-zA-Z_][a-zA-Z0-9_-]{0,63}", name)]
    if odd or len(set(told)) < len(told) or len(told) > 128:
        return f"Invalid or repeated tool names: {odd or told}"
    return None


def bad_ids(pattern: str) -> Callable[[Body], Finding]:
    def wrong(body: Body) -> Finding:
        odd = [call["id"] for call in calls_of(body) if not re.fullmatch(pattern, call["id"])]
        return f"Tool call id was {odd[0]} but must match {pattern}" if odd else None

    return wrong


def bad_arguments(body: Body) -> Finding:
    for call in calls_of(body):
        try:
            if isinstance(json.loads(call["function"]["arguments"]), dict):
                continue
        except ValueError:
            pass
        return "tool call arguments must be a JSON object (mapping)"
    return None


def choice_without_tools(body: Body) -> Finding:
    return "'tool_choice' is only allowed when 'tools' are specified." if _has(body, "tool_choice", "tools") else None


def options_without_stream(body: Body) -> Finding:
    return "'stream_options' is only allowed when 'stream' is true." if _has(body, "stream_options", "stream") else None


def _has(body: Body, field_name: str, needs: str) -> bool:
    return field_name in body and not body.get(needs)


def calls_without_tools(body: Body) -> Finding:
    return (
        "Requests which include tool_use blocks must define tools."
        if calls_of(body) and not body.get("tools")
        else None
    )


def ends_on_assistant(body: Body) -> Finding:
    if body["messages"] and body["messages"][-1]["role"] == "assistant":
        return "The conversation must end with a user message, not with an assistant message prefill."
    return None


def no_user(body: Body) -> Finding:
    spoken = [m for m in body["messages"] if m["role"] == "user" and m.get("content")]
    return None if spoken else "No user query found in messages."


def late_system(body: Body) -> Finding:
    late = [m for m in body["messages"][1:] if m["role"] in ("system", "developer")]
    return "System message must be at the beginning." if late else None


def any_system(body: Body) -> Finding:
    return "System role not supported" if any(m["role"] == "system" for m in body["messages"]) else None


def same_neighbours(body: Body) -> Finding:
    """Users and assistants take turns, beginning with a user; calls with their results count as one turn of both."""
    wanted = "user"
    for message in dialogue(body):
        if message["role"] == "tool" or (message["role"] == "assistant" and message.get("tool_calls")):
            wanted = "assistant" if message["role"] == "tool" else wanted
            continue
        if message["role"] != wanted:
            return "Conversation roles must alternate user/assistant/user/assistant/..."
        wanted = "assistant" if wanted == "user" else "user"
    return None


def any_tool_turn(body: Body) -> Finding:
    spoken_of = calls_of(body) or [m for m in body["messages"] if m["role"] == "tool"] or body.get("tools")
    return "Conversation roles must alternate user/assistant/user/assistant/..." if spoken_of else None


def user_behind_tool(body: Body) -> Finding:
    behind = [a for a, b in pairs(body) if a["role"] == "tool" and b["role"] == "user"]
    return "Unexpected role 'user' after role 'tool'" if behind else None


def misplaced_call(body: Body) -> Finding:
    """Google's: a call comes directly after a user's turn or after results."""
    for before, message in pairs(body):
        if message.get("tool_calls") and before["role"] not in ("user", "tool"):
            return "A function call turn comes immediately after a user turn or after a function response turn."
    return None


def two_calls(body: Body) -> Finding:
    many = [m for m in body["messages"] if len(m.get("tool_calls") or ()) > 1]
    return "This model only supports single tool-calls at once!" if many else None


def two_assistants_last(body: Body) -> Finding:
    roles = [message["role"] for message in body["messages"][-2:]]
    return "Cannot have 2 or more assistant messages at the end of the list." if roles == ["assistant"] * 2 else None


def grammar_beside_tools(body: Body) -> Finding:
    form = None if body.get("tool_choice") == "none" else (body.get("response_format") or {}).get("type")
    return (
        "Cannot use custom grammar constraints with tools."
        if form not in (None, "text") and body.get("tools")
        else None
    )


def other_fields(*known: str) -> Callable[[Body], Finding]:
    base = {"model", "messages", "tools", "tool_choice", "max_tokens", "temperature", "stream", "response_format"}

    def wrong(body: Body) -> Finding:
        odd = sorted(set(body) - base - set(known))
        return f"Unknown name {odd[0]!r}: Cannot find field." if odd else None

    return wrong


def other_message_fields(*known: str) -> Callable[[Body], Finding]:
    base = {"role", "content", "tool_calls", "tool_call_id", *known}

    def wrong(body: Body) -> Finding:
        odd = {key for message in body["messages"] for key in message} - base
        return f"extra_forbidden: {sorted(odd)}" if odd else None

    return wrong


def keywords(*names: str) -> Callable[[Body], Finding]:
    """Keywords of a JSON schema that the endpoint does not know; properties may be named so."""

    def found(node: Any) -> str | None:
        if isinstance(node, list):
            return next((name for item in node if (name := found(item))), None)
        if not isinstance(node, Mapping):
            return None
        for key, value in node.items():
            if key in names:
                return key
            inner = list(value.values()) if key in ("properties", "$defs") else value
            if key not in ("enum", "required") and (name := found(inner)):
                return name
        return None

    def wrong(body: Body) -> Finding:
        form = (body.get("response_format") or {}).get("json_schema") or {}
        name = found([*(tool["function"].get("parameters") for tool in body.get("tools") or ()), form.get("schema")])
        return f'Unknown name "{name}": Cannot find field.' if name else None

    return wrong


def any_schema(body: Body) -> Finding:
    form = (body.get("response_format") or {}).get("type")
    return "This response_format type is unavailable now" if form == "json_schema" else None


def loose_schema(body: Body) -> Finding:
    """OpenAI's strict form: an object at the root, everything required, nothing else allowed, no lengths."""
    form = (body.get("response_format") or {}).get("json_schema") or {}
    schema = form.get("schema")
    if schema is None:
        return None
    if schema.get("type") != "object":
        return "schema must be a JSON Schema of 'type: \"object\"'"
    return _loose(schema) if form.get("strict") else None


def _loose(node: Any) -> Finding:
    if isinstance(node, list):
        return next((why for item in node if (why := _loose(item))), None)
    if not isinstance(node, Mapping):
        return None
    banned = {"oneOf", "allOf", "not", "default", "minLength", "maxLength", "uniqueItems", "patternProperties"}
    if banned & set(node):
        return f"'{sorted(banned & set(node))[0]}' is not permitted."
    properties = node.get("properties") or {}
    if "properties" in node and (
        set(node.get("required") or ()) != set(properties) or node.get("additionalProperties")
    ):
        return "'required' is required to be supplied and to be an array including every key in properties."
    inner = [*properties.values(), *(node.get("$defs") or {}).values(), node.get("items"), node.get("anyOf")]
    return _loose(inner)


def unsigned(field_name: str) -> Callable[[Body], Finding]:
    """What the endpoint has sent for itself with an answer, or with the first of its calls, must come back."""

    def wrong(body: Body) -> Finding:
        acted = [message for message in body["messages"] if message.get("tool_calls")]
        where = [m["tool_calls"][0] for m in acted] if field_name == "extra_content" else acted
        return f"Function call is missing a {field_name}" if any(field_name not in each for each in where) else None

    return wrong
