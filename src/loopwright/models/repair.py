"""Tool-call arguments as models write them: repaired where the meaning is plain, refused where some is missing."""

from contextlib import suppress
from typing import Any

from pydantic_core import from_json


def repair_arguments(raw: str) -> dict[str, Any] | str:
    """The arguments as a dict, or what is wrong with them, told so that the model can send them again.

    Slips of form (trailing commas, single quotes, a missing last brace, Markdown fences, raw line breaks in strings)
    are put right by json-repair. Arguments that stop in the middle of a text are not completed: half a page written to
    disk would pass for a whole one.
    """
    text = raw.strip()
    if not text:
        return {}
    try:
        return _checked(from_json(text))
    except ValueError as error:
        complaint = str(error)
    if _stops_inside_text(text):
        return (
            f"they stop in the middle of a text ({complaint}). Send the whole call again, in smaller pieces if need be"
        )
    import json_repair

    repaired = json_repair.loads(text)
    if isinstance(repaired, dict) and repaired:
        return repaired
    return complaint


def _checked(value: Any) -> dict[str, Any] | str:
    if isinstance(value, str):  # arguments that were encoded twice
        with suppress(ValueError):
            value = from_json(value)
    if value is None:
        return {}
    return value if isinstance(value, dict) else f"they must be a JSON object, not {type(value).__name__}"


def _stops_inside_text(text: str) -> bool:
    """Whether a string is still open at the end; text that ends in a brace was meant to be whole."""
    if text.removesuffix("```").rstrip().endswith("}"):
        return False
    open_string = escaped = False
    for character in text:
        if escaped:
            escaped = False
        elif character == "\\":
            escaped = open_string
        elif character == '"':
            open_string = not open_string
    return open_string
