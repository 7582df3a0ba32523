"""JSON out of messy text: fences, prose around, several objects, trailing commas, comments."""

import json
import re
from collections.abc import Iterator
from typing import Any

from loopwright.agents.designspec.contracts import DIRECTIVE_KEYS
from loopwright.kernel.errors import InvalidInput

MAX_TEXT = 2_000_000
"""Characters of an answer that are looked at; a longer one is refused."""
MAX_OBJECTS, MAX_UNCLOSED = 50, 6
"""Objects that are looked at, and braces that may stand open in the prose, so that hostile text costs linear time."""

_COMMENT_OR_STRING = re.compile(r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
_COMMA_OR_STRING = re.compile(r'"(?:\\.|[^"\\])*"|,(?=\s*[}\]])', re.DOTALL)
_WORD_OR_STRING = re.compile(r'"(?:\\.|[^"\\])*"|\b(?:True|False|None)\b', re.DOTALL)
_WORDS = {"True": "true", "False": "false", "None": "null"}


def extract_object(text: str) -> dict[str, Any]:
    """The directive's object within a model's text: of several objects the one with most of a directive's keys.

    An object that is cut off is never completed: half a patch would be applied as if it were whole.

    Raises:
        InvalidInput: there is no object, or the best one is no JSON; the message tells where it breaks.
    """
    if len(text) > MAX_TEXT:
        raise InvalidInput(f"The answer has {len(text):,} characters; at most {MAX_TEXT:,} are read.")
    best: dict[str, Any] | None = None
    problem = ""
    for span in _objects(text):
        found, trouble = _read(span)
        problem = problem or trouble
        if found is not None and (best is None or _likeness(found) > _likeness(best)):
            best = found
    if best is not None and (_likeness(best) or not problem):
        return best
    if problem:
        raise InvalidInput(problem, hint="Send the whole directive again as one valid JSON object.")
    where = "it begins with { but is never closed" if "{" in text else "there is none in it"
    raise InvalidInput(
        f"The answer must be one JSON object, and {where}.",
        hint='Answer with the directive only: {"assistant_message": "…", …}.',
    )


def _likeness(found: dict[str, Any]) -> int:
    return sum(key in found for key in DIRECTIVE_KEYS)


def _objects(text: str) -> Iterator[str]:
    """The balanced `{…}` of the text, outermost first; strings are only known within them."""
    position, found, unclosed = 0, 0, 0
    while found < MAX_OBJECTS and unclosed < MAX_UNCLOSED:
        start = text.find("{", position)
        if start < 0:
            return
        end = _closing(text, start)
        if end is None:
            unclosed += 1
            position = start + 1
            continue
        found += 1
        yield text[start:end]
        position = end


_BRACE_OR_STRING = re.compile(r'"(?:\\.|[^"\\])*"|[{}]', re.DOTALL)


def _closing(text: str, start: int) -> int | None:
    depth = 0
    for match in _BRACE_OR_STRING.finditer(text, start):
        if match[0] == "{":
            depth += 1
        elif match[0] == "}":
            depth -= 1
            if depth == 0:
                return match.end()
    return None


def _read(span: str) -> tuple[dict[str, Any] | None, str]:
    """The object, or what is wrong with it."""
    trouble = ""
    for attempt in (span, _tidied(span)):
        try:
            found = json.loads(attempt, parse_constant=_refuse_constant)
        except (ValueError, RecursionError) as error:
            trouble = str(error)
            continue
        return (found, "") if isinstance(found, dict) else (None, "")
    return None, f"The answer's JSON is broken: {trouble}."


def _tidied(span: str) -> str:
    """Without comments and trailing commas, with JSON's own words for Python's."""
    span = _COMMENT_OR_STRING.sub(lambda match: match[0] if match[0][0] == '"' else " ", span)
    span = _COMMA_OR_STRING.sub(lambda match: match[0] if match[0][0] == '"' else "", span)
    return _WORD_OR_STRING.sub(lambda match: _WORDS.get(match[0], match[0]), span)


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is no number")
