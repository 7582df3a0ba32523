"""From Pydantic's errors to issues with pointers into the user's document."""

import difflib
import json
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from loopwright.agents.designspec.document.pointers import lookup, parents_of, pointer_of
from loopwright.agents.designspec.document.report import Issue
from loopwright.agents.designspec.document.walking import UnknownField

Model = TypeVar("Model", bound=BaseModel)

NOTHING = object()
HINTS = {
    "float_type": "Write a bare number; lengths are in meta.input_units.",
    "int_type": "Write a whole number.",
    "int_from_float": "Write a whole number.",
}


def validate(model: type[Model], content: Any, original: Any, prefix: str = "") -> tuple[Model | None, list[Issue]]:
    """The content as the model, or what is wrong with it.

    Args:
        model: what the content should be.
        content: plain JSON, normalised.
        original: the same before normalisation, whose values the messages show.
        prefix: the pointer of the content within the document.
    """
    try:
        # JSON's strict mode takes lists for tuples, and no texts for numbers: those would not have been scaled.
        return model.model_validate_json(json.dumps(content), strict=True), []
    except ValidationError as error:
        details = error.errors(include_url=False, include_context=False, include_input=False)
    found: dict[str, Issue] = {}
    for detail in details:
        pointer = pointer_of(content, detail["loc"], missing=detail["type"] == "missing")
        found.setdefault(pointer, _issue(detail, prefix + pointer, lookup(original, pointer, NOTHING)))
    # Of a union's alternatives, the one that the document came furthest with tells best what is wrong.
    above = {parent for pointer in found for parent in parents_of(pointer)}
    return None, [issue for pointer, issue in found.items() if pointer not in above]


def unknown_field(unknown: UnknownField) -> Issue:
    """The warning about a field that is not known, with the name that may have been meant."""
    near = difflib.get_close_matches(unknown.name[:80], unknown.known, 1, 0.6)
    return Issue(
        code="UNKNOWN_FIELD",
        severity="warning",
        pointer=unknown.pointer,
        message=f"The field {unknown.name[:80]!r} is not known here, and has no effect.",
        hint=f"Did you mean {near[0]!r}?" if near else "",
    )


def _issue(detail: ErrorDetails, pointer: str, value: Any) -> Issue:
    kind = detail["type"]
    if kind == "missing":
        return Issue(code="MISSING_FIELD", severity="error", pointer=pointer, message="This field is required.")
    code = kind if kind.isupper() else "INVALID_VALUE"
    return Issue(
        code=code,
        severity="error",
        pointer=pointer,
        message=f"{detail['msg']}{_shown(value)}",
        hint=HINTS.get(kind, ""),
    )


def _shown(value: Any) -> str:
    """The user's value, when it is short enough to help."""
    if value is NOTHING or isinstance(value, dict | list):
        return ""
    text = json.dumps(value, ensure_ascii=False)
    return f" (it is {text})" if len(text) <= 60 else ""
