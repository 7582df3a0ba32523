"""The bodies of requests: as every endpoint takes them, as models without tool calls need them, and rebuilt later."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from hashlib import sha256
from typing import Any, Final, Literal, NamedTuple

from pydantic_core import from_json, to_json

from loopwright.kernel.events import SentRequest
from loopwright.kernel.messages import Message, ToolCall, ToolSchemas
from loopwright.kernel.ports import ModelRequest
from loopwright.kernel.prompts import PromptRepository, split_task
from loopwright.models.answer import Answer, new_call_id
from loopwright.models.composing import RULES, Composer, WireRules, without_keywords
from loopwright.models.identity_cache import IdentityCache
from loopwright.models.settings import Capabilities

# The body of a request, joined from pieces that were serialised before.
#
# A message is turned into JSON once, when it is first sent; every later request copies its bytes. Only the handful of
# small fields around the messages is serialised anew, so a step costs the same after 10 steps and after 300.


class Body(NamedTuple):
    """A body as it is sent, and its digest (`SentRequest.digest`)."""

    json: bytes
    digest: str


def joined(pieces: Sequence[bytes], digests: Sequence[bytes], tools: ToolSchemas, settings: Mapping[str, Any]) -> Body:
    """The request as JSON for `/chat/completions`, out of composed messages (`composing.Composer`)."""
    fields = to_json(settings)
    parts, kept = [b'{"messages":[', b",".join(pieces), b"],"], list(digests)
    if len(tools):
        parts += [b'"tools":', tools.wire, b","]
        kept.append(tools.wire_digest)
    return Body(b"".join([*parts, fields[1:]]), digest_of_pieces(kept, fields))


class NativeForm:
    """Writes requests with the wire's own tool calls."""

    def __init__(self, rules: WireRules, endpoint: str = "") -> None:
        """Remember nothing yet."""
        self._composer = Composer(rules, endpoint)
        self._tools: IdentityCache[ToolSchemas, ToolSchemas] = IdentityCache(partial(_fitting, rules.without))

    def body(
        self,
        messages: Sequence[Message],
        tools: ToolSchemas,
        settings: Mapping[str, Any],
        may_answer: bool = True,
        told: str = "",
        callable_now: Collection[str] | None = None,
    ) -> Body:
        """The request; whether it may be answered without a call, and by which ones, the settings have said already."""
        pieces, digests = self._composer.compose(messages, told)
        return joined(pieces, digests, self._tools.get(tools), settings)


def _fitting(keywords: frozenset[str], tools: ToolSchemas) -> ToolSchemas:
    return ToolSchemas(tuple(without_keywords(schema, keywords) for schema in tools.schemas))


def digest_of_pieces(digests: Sequence[bytes], last: bytes) -> str:
    """SHA-256 (hex) of these digests and of that of the last piece."""
    return sha256(b"".join(digests) + sha256(last).digest()).hexdigest()


def settings_of(
    request: ModelRequest, model: str, can: Capabilities, *, stream: bool, rules: WireRules = RULES["unknown"]
) -> dict[str, Any]:
    """What the body says besides messages and tools."""
    fields: dict[str, Any] = {"model": model, can.limit_name: request.max_tokens}
    if request.temperature is not None and can.temperature:
        fields["temperature"] = request.temperature
    if stream:
        fields["stream"] = True
        if can.stream_usage:
            fields["stream_options"] = {"include_usage": True}
    form = _form_of(request, can, rules)
    if form is not None:
        fields["response_format"] = form
    if can.tools == "native" and len(request.tools):
        if request.callable_now is not None and not request.callable_now:
            fields |= {"tool_choice": "none"} if rules.no_call else {}
        elif not request.may_answer and rules.must_call:
            fields["tool_choice"] = "required"
    return fields


def _form_of(request: ModelRequest, can: Capabilities, rules: WireRules) -> dict[str, Any] | None:
    """The `response_format` as the endpoint takes it; None where it takes none: then the kernel's own check must do."""
    form = dict(request.response_format or {})
    if not form and request.grammar is not None and can.tools == "schema":
        form = {"type": "json_schema", "json_schema": {"name": "answer", "schema": dict(request.grammar)}}
    if form.get("type") != "json_schema" or (can.tools == "schema" and len(request.tools)):
        return form or None  # beside steps the form is one of them, see `SchemaSteps`
    if rules.object_root and form["json_schema"].get("schema", {}).get("type") != "object":
        return None
    forbidden = rules.no_call and request.callable_now is not None and not request.callable_now
    if len(request.tools) and not rules.beside_tools and not forbidden:
        return None
    if rules.answers != "json_schema":
        return {"type": rules.answers} if rules.answers == "json_object" else None
    described = {
        key: value for key, value in form["json_schema"].items() if key != "strict" or (value and rules.strict)
    }
    return form | {"json_schema": described | {"schema": without_keywords(described.get("schema"), rules.without)}}


# Tool calls for models that have none: each step is one JSON object that the endpoint's grammar enforces.
#
# The request's `response_format` is an anyOf of `{"tool", "arguments"}` per tool and `{"answer"}`, as far as the
# endpoint takes such a form; the tools are told in the system message in a short form; past calls and results are told
# as plain dialogue. What comes back is turned into ordinary tool calls, so nobody above this module sees a difference.
#
# Types told in a few words, for models that read no JSON schema: objects and choices written out, not by name.


def told_fields(schema: Mapping[str, Any]) -> str:
    """The properties of an object as `name: type`, those that may be left out as `name?: type`."""
    return _fields(schema, schema.get("$defs") or {}, ())


def told_type(schema: Mapping[str, Any]) -> str:
    """The type in a few words."""
    return _type(schema, schema.get("$defs") or {}, ())


def _fields(schema: Mapping[str, Any], defs: Mapping[str, Any], inside: tuple[str, ...]) -> str:
    required = set(schema.get("required") or ())
    return ", ".join(
        f"{name}{'' if name in required else '?'}: {_type(each, defs, inside)}"
        for name, each in (schema.get("properties") or {}).items()
    )


def _type(schema: Mapping[str, Any], defs: Mapping[str, Any], inside: tuple[str, ...]) -> str:
    if "$ref" in schema:
        name = str(schema["$ref"]).rpartition("/")[2]
        return "{…}" if name in inside else _type(defs.get(name) or {}, defs, (*inside, name))
    if "enum" in schema or "const" in schema:
        return "|".join(map(_value, schema.get("enum") or [schema["const"]]))
    options = schema.get("anyOf") or schema.get("oneOf")
    if options:
        return " or ".join(dict.fromkeys(_type(option, defs, inside) for option in options))
    kind = schema.get("type", "any")
    if kind == "array":
        return f"list of {_type(schema.get('items') or {}, defs, inside)}"
    if kind == "object" and schema.get("properties"):
        return f"{{{_fields(schema, defs, inside)}}}"
    others = schema.get("additionalProperties")
    if kind == "object" and isinstance(others, Mapping):
        return f"{{name: {_type(others, defs, inside)}}}"
    return " or ".join(kind) if isinstance(kind, list) else str(kind)


def _value(value: object) -> str:
    return value if isinstance(value, str) else to_json(value).decode()


FENCES: Final = ("```json", "```")
STEP: Final = "step"
"""What a step stands in where a schema must describe an object."""
FEW_TOKENS: Final = 1_500
LONGEST_BOUND: Final = 1_200
"""Endpoints that make a grammar of a schema count repetitions; llama.cpp takes no more than 2,000."""


class SchemaSteps:
    """Writes requests as schema-constrained steps; remembers each dialogue's bytes, as the native form does."""

    def __init__(self, prompts: PromptRepository, rules: WireRules, endpoint: str = "") -> None:
        """Remember nothing yet; `prompts` has `models/schema_steps`."""
        self._rules = rules
        self._make = partial(Composer, rules, endpoint)
        self._composers: dict[str, Composer] = {}
        self._instructions: IdentityCache[ToolSchemas, str] = IdentityCache(partial(instructions, prompts))
        self._formats: IdentityCache[ToolSchemas, Mapping[str, Any]] = IdentityCache(self._steps)
        self._systems: dict[str, Message] = {}

    def body(
        self,
        messages: Sequence[Message],
        tools: ToolSchemas,
        settings: Mapping[str, Any],
        may_answer: bool = True,
        told: str = "",
        callable_now: Collection[str] | None = None,
    ) -> Body:
        """The request as JSON for `/chat/completions`, without a word of tools on the wire.

        Without `may_answer` the form has no place for anything but a call; where only some tools are callable now, it
        has none for the others.
        """
        fields = dict(settings)
        how = self._instructions.get(tools) if len(tools) else ""
        if how and (not messages or messages[0].role != "system"):
            messages = [self._systems.setdefault(how, Message.system("")), *messages]
        if len(tools):
            own = (fields.get("response_format") or {}).get("json_schema", {}).get("schema")
            form = self._format(tools, own, may_answer, callable_now, _longest_answer(settings))
            fields = {key: value for key, value in fields.items() if key != "response_format"} | form
        if how not in self._composers:
            self._composers[how] = self._make(render=partial(_rendered_with, how) if how else rendered)
        pieces, digests = self._composers[how].compose(messages, told)
        return joined(pieces, digests, ToolSchemas(), fields)

    def _format(
        self,
        tools: ToolSchemas,
        own: Mapping[str, Any] | None,
        may_answer: bool,
        names: Collection[str] | None,
        longest: int | None,
    ) -> dict[str, Any]:
        if self._rules.answers != "json_schema":
            return {} if self._rules.answers == "none" else {"response_format": {"type": self._rules.answers}}
        schema = self._formats.get(tools)
        *steps, answer = schema["anyOf"]
        defs: dict[str, Any] = dict(schema["$defs"])
        if names is not None:
            steps = [step for name, step in zip(tools.names, steps, strict=True) if name in names]
        if longest is not None:
            answer = self._fitting(_answer_schema({"type": "string", "maxLength": longest}))
        if own is not None:  # a final answer with a format of its own
            moved: dict[str, Any] = {}
            answer = self._fitting(_answer_schema(_hoisted("answer", own, moved)))
            defs |= self._fitting({"$defs": moved})["$defs"]
        step = {"anyOf": [*steps, *([answer] if may_answer else [])]}
        whole = (_object({STEP: step}) if self._rules.object_root else step) | {"$defs": defs}
        return {"response_format": {"type": "json_schema", "json_schema": {"name": "step", "schema": whole}}}

    def _steps(self, tools: ToolSchemas) -> Mapping[str, Any]:
        return self._fitting(step_schema(tools))

    def _fitting(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        fitting: dict[str, Any] = without_keywords(schema, self._rules.without)
        return fitting


def rendered(message: Message) -> Message:
    """A message as the model sees it in this form: its own calls as it wrote them, results as words of the user."""
    if message.role == "tool":
        return Message.user(f"Result:\n{message.content}")
    if not message.tool_calls:
        return message.model_copy()  # what is remembered must not hold its own key
    steps = [f'{{"tool": {to_json(call.name).decode()}, "arguments": {call.arguments}}}' for call in message.tool_calls]
    said = [message.content] if message.content else []
    return Message.assistant("\n".join([*said, *steps]))


def _rendered_with(how: str, message: Message) -> Message:
    if message.role != "system":
        return rendered(message)
    return Message.system(f"{message.content}\n\n{how}" if message.content else how)


def instructions(prompts: PromptRepository, tools: ToolSchemas) -> str:
    """How to answer, and the tools in a few words each."""
    listed = "\n".join(_told(schema["function"]) for schema in tools.schemas)
    return split_task(prompts.render("models/schema_steps", tools=listed))[1]


def _told(function: Mapping[str, Any]) -> str:
    purpose = str(function.get("description") or "").strip().partition("\n\n")[0]
    return f"- {function['name']}({told_fields(function.get('parameters') or {})}): {' '.join(purpose.split())}"


def step_schema(tools: ToolSchemas) -> Mapping[str, Any]:
    """The JSON schema of one step: a call of one of the tools, or the final answer (the last option)."""
    defs: dict[str, Any] = {}
    options = []
    for schema in tools.schemas:
        function = schema["function"]
        arguments = _hoisted(function["name"], function.get("parameters") or {"type": "object"}, defs)
        options.append(_object({"tool": {"const": function["name"]}, "arguments": arguments}))
    return {"anyOf": [*options, _answer_schema({"type": "string"})], "$defs": defs}


def _longest_answer(settings: Mapping[str, Any]) -> int | None:
    """Characters of an answer, where so few tokens are allowed that one which goes in circles would be cut within."""
    tokens = int(settings.get("max_tokens") or settings.get("max_completion_tokens") or 0)
    return min(2 * tokens, LONGEST_BOUND) if 0 < tokens <= FEW_TOKENS else None


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
    if isinstance(step, dict) and step.keys() == {STEP} and isinstance(step[STEP], dict):
        return step[STEP]
    return step if isinstance(step, dict) else None


# Requests that were sent: told of in a few words, and written again from them.

Form = Literal["native", "schema"]


class Writer:
    """Writes requests for one endpoint, in either form."""

    def __init__(self, prompts: PromptRepository, rules: WireRules, endpoint: str) -> None:
        """Remember nothing yet; `endpoint` is the host."""
        self.rules = rules
        self.endpoint = endpoint
        self._forms: dict[str, NativeForm | SchemaSteps] = {
            "native": NativeForm(rules, endpoint),
            "schema": SchemaSteps(prompts, rules, endpoint),
        }

    def write(self, request: ModelRequest, form: Form, settings: Mapping[str, Any]) -> tuple[Body, SentRequest]:
        """The body, and what the journal keeps of it besides messages and tools."""
        told = told_form(request, form, settings, self.rules)
        held = request.callable_now
        body = self._forms[form].body(request.messages, request.tools, settings, request.may_answer, told, held)
        sent = SentRequest(
            form=form,
            settings=to_json(settings).decode(),
            digest=body.digest,
            may_answer=request.may_answer,
            callable_now=None if held is None else sorted(held),
            rules=self.rules.name,
            endpoint=self.endpoint,
            told=told,
        )
        return body, sent

    def again(self, messages: Sequence[Message], tools: str, sent: SentRequest) -> Body:
        """A body that was written before."""
        settings, schemas = from_json(sent.settings), ToolSchemas(tuple(from_json(tools)))
        held = None if sent.callable_now is None else frozenset(sent.callable_now)
        return self._forms[sent.form].body(messages, schemas, settings, sent.may_answer, sent.told, held)


def told_form(request: ModelRequest, form: Form, settings: Mapping[str, Any], rules: WireRules) -> str:
    """What the model is told of the form of its answer, where it does not get to read the schema itself."""
    schema = (request.response_format or {}).get("json_schema", {}).get("schema")
    if schema is None or not request.may_answer:
        return ""
    shape = told_type(schema)
    if form == "schema" and len(request.tools):
        return f'To answer: {{"answer": {shape}}}'
    held = settings.get("response_format", {}).get("type") == "json_schema"
    if held and (rules.shows_schema or request.fields_told):
        return ""
    return f"{'To answer without a tool call' if len(request.tools) else 'Answer with'}: one JSON object {shape}"


def body_of(messages: Sequence[Message], tools: str, sent: SentRequest, prompts: PromptRepository) -> Body:
    """The body that was sent, if its digest is the one that was kept.

    Args:
        messages: what the model was told.
        tools: the JSON array of the tools that were offered.
        sent: what the journal keeps of the request.
        prompts: those of this package; the form of schema-constrained steps says with them how to answer, so they must
            be the ones that were in force.
    """
    return Writer(prompts, RULES[sent.rules], sent.endpoint).again(messages, tools, sent)
