"""Tool calls for models that have none: each step is one JSON object that the endpoint's grammar enforces.

The request's `response_format` is an anyOf of `{"tool", "arguments"}` per tool and `{"answer"}`; the tools are told in
the system message in a short form; past calls and results are told as plain dialogue. What comes back is turned into
ordinary tool calls, so nobody above this module sees a difference.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

from pydantic_core import from_json, to_json

from loopwright.kernel.messages import Message, ToolCall, ToolSchemas
from loopwright.kernel.prompts import PromptRepository
from loopwright.models.answer import Answer, new_call_id
from loopwright.models.body import Body, native_body
from loopwright.models.identity_cache import IdentityCache

FENCES: Final = ("```json", "```")


class SchemaSteps:
    """Writes requests as schema-constrained steps; remembers each message's bytes, as the native form does."""

    def __init__(self, prompts: PromptRepository) -> None:
        """Remember nothing yet; `prompts` has `models/schema_steps`."""
        self._messages: IdentityCache[Message, Message] = IdentityCache(rendered)
        self._systems: dict[int, IdentityCache[Message, Message]] = {}
        self._instructions: IdentityCache[ToolSchemas, str] = IdentityCache(partial(instructions, prompts))
        self._formats: IdentityCache[ToolSchemas, Mapping[str, Any]] = IdentityCache(step_schema)

    def body(self, messages: Sequence[Message], tools: ToolSchemas, settings: Mapping[str, Any]) -> Body:
        """The request as JSON for `/chat/completions`, without a word of tools on the wire."""
        fields = dict(settings)
        written: list[Message] = []
        if len(tools):
            told = self._instructions.get(tools)
            if messages and messages[0].role == "system":
                system = self._systems.setdefault(hash(told), IdentityCache(partial(_with_instructions, told)))
                written.append(system.get(messages[0]))
                messages = messages[1:]
            else:
                written.append(Message.system(told))
            fields["response_format"] = self._format(tools, fields.get("response_format") or {})
        written += map(self._messages.get, messages)
        return native_body(written, ToolSchemas(), fields)

    def _format(self, tools: ToolSchemas, own: Mapping[str, Any]) -> dict[str, Any]:
        schema = self._formats.get(tools)
        wanted = own.get("json_schema", {}).get("schema")
        if wanted is not None:  # a final answer with a format of its own
            *steps, _ = schema["anyOf"]
            defs: dict[str, Any] = dict(schema["$defs"])
            schema = {"anyOf": [*steps, _answer_schema(_hoisted("answer", wanted, defs))], "$defs": defs}
        return {"type": "json_schema", "json_schema": {"name": "step", "schema": schema}}


def rendered(message: Message) -> Message:
    """A message as the model sees it in this form: its own calls as it wrote them, results as words of the user."""
    if message.role == "tool":
        return Message.user(f"Result:\n{message.content}")
    if not message.tool_calls:
        return message.model_copy()  # what is remembered must not hold its own key
    steps = [f'{{"tool": {to_json(call.name).decode()}, "arguments": {call.arguments}}}' for call in message.tool_calls]
    said = [message.content] if message.content else []
    return Message.assistant("\n".join([*said, *steps]))


def _with_instructions(told: str, system: Message) -> Message:
    return Message.system(f"{system.content}\n\n{told}")


def instructions(prompts: PromptRepository, tools: ToolSchemas) -> str:
    """How to answer, and the tools in a few words each."""
    listed = "\n".join(_told(schema["function"]) for schema in tools.schemas)
    _task, _, text = prompts.render("models/schema_steps", tools=listed).partition("\n")
    return text


def _told(function: Mapping[str, Any]) -> str:
    parameters = function.get("parameters") or {}
    required = set(parameters.get("required") or ())
    described = ", ".join(
        f"{name}{'' if name in required else '?'}: {_type_of(schema)}"
        for name, schema in (parameters.get("properties") or {}).items()
    )
    purpose = str(function.get("description") or "").strip().partition("\n\n")[0]
    return f"- {function['name']}({described}): {' '.join(purpose.split())}"


def _type_of(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return "|".join(str(value) for value in schema["enum"])
    if "anyOf" in schema:
        return " or ".join(_type_of(option) for option in schema["anyOf"])
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    kind = schema.get("type", "any")
    return f"list of {_type_of(schema.get('items') or {})}" if kind == "array" else str(kind)


def step_schema(tools: ToolSchemas) -> Mapping[str, Any]:
    """The JSON schema of one step: a call of one of the tools, or the final answer (the last option)."""
    defs: dict[str, Any] = {}
    options = []
    for schema in tools.schemas:
        function = schema["function"]
        arguments = _hoisted(function["name"], function.get("parameters") or {"type": "object"}, defs)
        options.append(_object({"tool": {"const": function["name"]}, "arguments": arguments}))
    return {"anyOf": [*options, _answer_schema({"type": "string"})], "$defs": defs}


def _answer_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    return _object({"answer": schema})


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _hoisted(owner: str, schema: Mapping[str, Any], defs: dict[str, Any]) -> dict[str, Any]:
    """The schema with its definitions moved to the root, where its references are looked up, under its owner's name."""

    def moved(node: Any) -> Any:
        if isinstance(node, Mapping):
            return {
                key: f"#/$defs/{owner}.{value.rpartition('/')[2]}"
                if key == "$ref" and isinstance(value, str)
                else moved(value)
                for key, value in node.items()
                if key != "$defs"
            }
        return [moved(item) for item in node] if isinstance(node, list) else node

    for name, definition in (schema.get("$defs") or {}).items():
        defs[f"{owner}.{name}"] = moved(definition)
    result: dict[str, Any] = moved(schema)
    return result


def as_tool_calls(answer: Answer, tools: ToolSchemas) -> Answer:
    """The answer with its step read: a tool call, or the text for the user.

    What is no step stays text: an endpoint that ignores the format still gets its words through, and an answer that was
    cut off (`finish_reason` length) is never taken for a call.
    """
    step = _step_in(answer.text)
    if step is None:
        return answer
    if isinstance(step.get("tool"), str):
        arguments = step.get("arguments", {})
        text = arguments if isinstance(arguments, str) else to_json(arguments).decode()
        call = ToolCall(id=new_call_id(), name=step["tool"], arguments=text)
        return replace(answer, text="", tool_calls=(call,), finish_reason="tool_calls")
    if "answer" in step and len(step) == 1:
        said = step["answer"]
        return replace(answer, text=said if isinstance(said, str) else to_json(said).decode())
    if len(tools.names) and set(step) == {"name", "arguments"} and step["name"] in tools.names:
        # What models trained on tool calls write where no grammar holds them.
        return as_tool_calls(replace(answer, text=to_json({"tool": step["name"], **step}).decode()), tools)
    return answer


def _step_in(text: str) -> dict[str, Any] | None:
    text = text.strip()
    for fence in FENCES:
        text = text.removeprefix(fence).removesuffix(fence).strip()
    if not text.startswith("{"):
        return None
    try:
        step = from_json(text)
    except ValueError:
        return None
    return step if isinstance(step, dict) else None
