"""Forms, as MCP asks people with them (a flat JSON schema), and our gates: each can be put as the other."""

import json
from collections.abc import Mapping
from typing import Any

from mcp_types import ElicitRequestFormParams, ElicitRequestParams, ElicitRequestURLParams, ElicitResult

from loopwright.kernel.gates import Gate, QuestionItem
from loopwright.kernel.tools import GateRequest

Value = str | int | float | bool | list[str] | None
YES, NO = "yes", "no"
MAX_DETAILS = 4_000
"""Characters of a gate's details that a form's message shows."""
_TYPES = {"integer": int, "number": float}


def gate_of_form(asker: str, asked: ElicitRequestParams) -> GateRequest:
    """The gate that puts a server's form, or its request to send the user to an address, to a human.

    Raises:
        ValueError: the form has fields that no question can stand for.
    """
    title = f"{asker} asks: {asked.message}"[:1_000]
    if isinstance(asked, ElicitRequestURLParams):
        return GateRequest("permission", title, details={"url": asked.url, "approve_when": "you have been there"})
    questions = tuple(_question(name, field) for name, field in fields_of(asked.requested_schema).items())
    if not questions:
        return GateRequest("permission", title)
    return GateRequest("questions", title, questions)


def result_of_answer(asked: ElicitRequestParams, answer: Mapping[str, Any]) -> ElicitResult | str:
    """What a human's answer to that gate says to the server, or why it is of no use.

    A form without an answer to a required field is declined.
    """
    if "decision" in answer:
        return ElicitResult(action="accept" if answer["decision"] == "approve" else "decline")
    assert isinstance(asked, ElicitRequestFormParams), "an address is agreed to or not"  # noqa: S101
    schema, given = asked.requested_schema, answer.get("answers") or {}
    content: dict[str, Value] = {}
    for name, field in fields_of(schema).items():
        said = given.get(_question(name, field).question)
        if said not in (None, "", []):
            try:
                content[name] = _value(field, said)
            except ValueError:
                return f"{said!r} is no {field.get('type')} (asked for {name})"
    if set(schema.get("required", ())) - set(content):
        return ElicitResult(action="decline")
    return ElicitResult(action="accept", content=content)


def defaults_of(schema: Mapping[str, Any]) -> dict[str, Value]:
    """The values that a form's fields have where nobody changes them."""
    return {name: field["default"] for name, field in fields_of(schema).items() if "default" in field}


def fields_of(schema: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """A form's fields by name.

    Raises:
        ValueError: the schema is no flat form.
    """
    fields = schema.get("properties", {})
    if not isinstance(fields, dict) or not all(isinstance(field, dict) for field in fields.values()):
        raise ValueError("the form's properties are not an object of schemas")
    return fields


def _question(name: str, field: Mapping[str, Any]) -> QuestionItem:
    """The question for one field; its text ends with the field's name, so that no two are the same."""
    title = str(field.get("title") or name)
    text = title if title == name else f"{title} ({name})"
    options, default = _options(field), field.get("default")
    context = str(field["description"])[:1_000] if field.get("description") else None
    if field.get("type") == "array":
        named = [title for value, title in options.items() if value in (default or ())]
        return QuestionItem(
            question=text[:1_000], type="checkbox", options=list(options.values()), context=context, default=named
        )
    if options:
        chosen = options.get(_spelled(default)) if default is not None else None
        return QuestionItem(
            question=text[:1_000], type="radio", options=list(options.values()), context=context, default=chosen
        )
    if field.get("type") not in ("string", "integer", "number"):
        raise ValueError(f"the field {name!r} is of the type {field.get('type')!r}, for which there is no question")
    return QuestionItem(
        question=text[:1_000], type="text", context=context, default=None if default is None else str(default)
    )


def _options(field: Mapping[str, Any]) -> dict[str, str]:
    """What may be chosen: value → what people read. MCP has four spellings of it."""
    if field.get("type") == "boolean":
        return {YES: YES, NO: NO}
    choice = field.get("items", {}) if field.get("type") == "array" else field
    titled = choice.get("oneOf") or choice.get("anyOf")
    if titled:
        return {str(each["const"]): str(each.get("title", each["const"])) for each in titled}
    values = [str(each) for each in choice.get("enum", ())]
    titles = [str(each) for each in choice.get("enumNames", ())]
    return dict(zip(values, titles if len(titles) == len(values) else values, strict=True))


def _spelled(value: Any) -> str:
    return (YES if value else NO) if isinstance(value, bool) else str(value)


def _value(field: Mapping[str, Any], said: Any) -> Value:
    values = {title: value for value, title in _options(field).items()}
    if isinstance(said, list):
        return [values.get(str(each), str(each)) for each in said]
    if field.get("type") == "boolean":
        return bool(values.get(said, said) == YES)
    kind = _TYPES.get(str(field.get("type")))
    return kind(said) if kind is not None else values.get(said, str(said))


def form_of_gate(gate: Gate) -> ElicitRequestFormParams:
    """A gate as a form: a field for each question, or the decision and the user's words with it."""
    if gate.kind == "questions":
        fields = {str(number): _field(question) for number, question in enumerate(gate.questions)}
        message = gate.title or "The agent asks:"
        return ElicitRequestFormParams(
            message=message, requested_schema={"type": "object", "properties": fields, "required": []}
        )
    details = json.dumps(gate.details, ensure_ascii=False, indent=2) if gate.details else ""
    shown = details if len(details) <= MAX_DETAILS else details[:MAX_DETAILS] + "\n… (the rest: `loopwright runs show`)"
    decision = {"type": "string", "title": "Your decision", "enum": ["approve", "reject"]}
    comment = {"type": "string", "title": "Your words with it"}
    return ElicitRequestFormParams(
        message="\n".join(part for part in (gate.title or gate.kind, shown) if part),
        requested_schema={
            "type": "object",
            "properties": {"decision": decision, "comment": comment},
            "required": ["decision"],
        },
    )


def answer_of_form(gate: Gate, result: ElicitResult) -> dict[str, Any] | None:
    """The answer to the gate that a filled form holds; None where the user has put it off.

    A question that was left empty is answered with the agent's own default.
    """
    if gate.kind == "questions":
        if result.action != "accept":
            return None
        filled = {key: value for key, value in (result.content or {}).items() if value not in (None, "", [])}
        defaults = {str(number): question.default_answer() for number, question in enumerate(gate.questions)}
        return {"answers": defaults | filled}
    if result.action == "decline":
        return {"decision": "reject", "comment": "declined in the MCP client"}
    if result.action == "cancel":
        return None
    content = result.content or {}
    comment = {"comment": content["comment"]} if content.get("comment") else {}
    return {"decision": content.get("decision"), **comment}


def _field(question: QuestionItem) -> dict[str, Any]:
    field: dict[str, Any] = {"type": "string", "title": question.question}
    if question.context:
        field["description"] = question.context
    if question.type == "radio":
        field["enum"] = question.options
    elif question.type == "checkbox":
        field |= {"type": "array", "items": {"type": "string", "enum": question.options}}
    if question.default is not None:
        default = question.default
        field["default"] = [default] if question.type == "checkbox" and isinstance(default, str) else default
    return field
