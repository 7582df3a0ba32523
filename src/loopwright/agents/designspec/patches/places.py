"""JSON pointers (RFC 6901), and names in the place of array indices."""

import difflib
import re
from collections.abc import Sequence
from typing import Any

from jsonpointer import JsonPointer, JsonPointerException

from loopwright.kernel.errors import InvalidInput

INDEX = re.compile("0|[1-9][0-9]*")
END = "-"
"""The token for the place after an array's last element."""
SHOWN_NAMES = 12
NAMING_MEMBERS = ("id", "name")
"""The members by which an array's element may be called: components have ids, ports have names."""


def split_pointer(pointer: str) -> list[str]:
    """The pointer's tokens, unescaped; none for the whole document.

    Raises:
        InvalidInput: it is no JSON pointer.
    """
    try:
        return list(JsonPointer(pointer).parts)
    except JsonPointerException as error:
        raise InvalidInput(
            f"{shorten(pointer)!r} is no JSON pointer: {error}.",
            hint="A pointer is like /components/0/id; write ~0 for ~ and ~1 for / inside a name.",
        ) from error


def join_pointer(tokens: Sequence[str | int]) -> str:
    """The pointer of these tokens."""
    return "".join("/" + str(token).replace("~", "~0").replace("/", "~1") for token in tokens)


def element_name(element: Any) -> str | None:
    """What an array's element is called, or None when it has no name."""
    if isinstance(element, dict):
        for member in NAMING_MEMBERS:
            if isinstance(element.get(member), str) and element[member]:
                return str(element[member])
    return None


def step_into(value: Any, token: str) -> Any:
    """The member or the element that the token names.

    Raises:
        KeyError: there is none.
    """
    if isinstance(value, dict):
        return value[token]
    if isinstance(value, list) and INDEX.fullmatch(token) and len(token) < 10 and int(token) < len(value):
        return value[int(token)]
    raise KeyError(token)


def look_up(document: Any, tokens: Sequence[str]) -> Any:
    """The value at the place that the tokens lead to.

    Raises:
        KeyError: there is none.
    """
    for token in tokens:
        document = step_into(document, token)
    return document


def explain_missing(document: Any, tokens: Sequence[str]) -> tuple[str, str] | None:
    """Where the way of the tokens ends: what is wrong there and what exists there; None when it leads to a value."""
    for depth, token in enumerate(tokens):
        try:
            document = step_into(document, token)
        except KeyError:
            return _explain_step(document, shorten(join_pointer(tokens[:depth])) or "the document", token)
    return None


def _explain_step(value: Any, place: str, token: str) -> tuple[str, str]:
    shown = repr(shorten(token))
    if isinstance(value, dict):
        return f"{place} has no member {shown}", names_hint(token, list(value))
    if not isinstance(value, list):
        return f"{place} is {kind_of(value)}, so there is nothing below it", ""
    names = [name for element in value if (name := element_name(element))]
    if token == END:
        return f"{place}/- is the place after the last element; nothing is there yet", names_hint(token, names)
    if INDEX.fullmatch(token):
        count = f"{len(value)} element{'' if len(value) == 1 else 's'}"
        return f"{place} has {count}, so there is no index {shown}", names_hint(token, names)
    return f"{place} is an array, and none of its elements is called {shown}", names_hint(token, names)


def names_hint(wanted: str, names: Sequence[str]) -> str:
    """Which of the names is near to the wanted one, and which there are."""
    if not names:
        return "It is empty."
    near = difflib.get_close_matches(wanted[:100], names, 1, 0.6)
    more = f" and {len(names) - SHOWN_NAMES} more" if len(names) > SHOWN_NAMES else ""
    there = f"There are: {', '.join(shorten(name) for name in names[:SHOWN_NAMES])}{more}."
    return f"Did you mean {near[0]!r}? {there}" if near else there


def kind_of(value: Any) -> str:
    """The JSON type of a value, in words."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    kinds = {dict: "an object", list: "an array", str: "a string", int: "a number", float: "a number"}
    return kinds.get(type(value), f"a Python {type(value).__name__}")


def shorten(text: str, length: int = 120) -> str:
    """The text, cut where it would flood a message."""
    return text if len(text) <= length else text[: length - 1] + "…"
