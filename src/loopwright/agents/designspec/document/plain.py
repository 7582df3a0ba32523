"""Whether something is plain JSON of a reasonable size, before anything else looks at it."""

import math
from dataclasses import dataclass
from typing import Any

from loopwright.agents.designspec.document.pointers import join

MOST_CHARACTERS = 2_000_000
MOST_VALUES = 100_000
DEEPEST = 64
LARGEST_NUMBER = 1e18
"""Far above every length and count that makes sense, and exact in calculations with 28 digits."""


@dataclass(frozen=True)
class Flaw:
    """Why it is not; `pointer` leads to the culprit."""

    code: str
    pointer: str
    message: str


def find_flaw(document: Any) -> Flaw | None:
    """The first thing, in the document's order, that a spec document cannot hold."""
    left: list[tuple[Any, str, int]] = [(document, "", 1)]
    values = characters = 0
    while left:
        value, pointer, depth = left.pop()
        values += 1
        if depth > DEEPEST and isinstance(value, dict | list):
            return Flaw("TOO_DEEP", pointer, f"The document is nested deeper than {DEEPEST} levels.")
        flaw = _flaw_of(value)
        if flaw:
            return Flaw(flaw[0], pointer, flaw[1])
        if isinstance(value, str):
            characters += len(value)
        elif isinstance(value, dict):
            bad = next((key for key in value if not isinstance(key, str) or not _is_text(key)), None)
            if bad is not None:
                return Flaw("INVALID_KEY", pointer, f"A name must be text that can be written as UTF-8, not {bad!r}.")
            characters += sum(map(len, value))
            left.extend((item, join(pointer, key), depth + 1) for key, item in reversed(value.items()))
        elif isinstance(value, list):
            left.extend((value[place], join(pointer, place), depth + 1) for place in range(len(value) - 1, -1, -1))
        if characters > MOST_CHARACTERS or values + len(left) > MOST_VALUES:
            return Flaw(
                "TOO_LARGE",
                "",
                f"The document is larger than {MOST_CHARACTERS:,} characters or {MOST_VALUES:,} values.",
            )
    return None


def _flaw_of(value: Any) -> tuple[str, str] | None:
    if value is None or isinstance(value, bool | dict | list):
        return None
    if isinstance(value, str):
        return None if _is_text(value) else ("INVALID_TEXT", "The text cannot be written as UTF-8.")
    if not isinstance(value, int | float):
        return "NOT_JSON", f"A spec document holds JSON values only, not {type(value).__name__}."
    if isinstance(value, float) and not math.isfinite(value):
        return "NOT_FINITE", "A number must be finite: NaN and Infinity are no values."
    if abs(value) > LARGEST_NUMBER:
        return "NUMBER_TOO_LARGE", f"The number is beyond ±{LARGEST_NUMBER:g}."
    return None


def _is_text(text: str) -> bool:
    """Whether UTF-8 can hold it: lone surrogates cannot be stored."""
    return text.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in text)
