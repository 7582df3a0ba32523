"""Reading a document's text, JSON or YAML, that may come from anybody."""

import json
from collections import Counter
from typing import Any

from loopwright.agents.designspec.document.plain import MOST_CHARACTERS, find_flaw
from loopwright.agents.designspec.document.pointers import join
from loopwright.agents.designspec.document.yaml_text import parse_yaml
from loopwright.kernel.errors import InvalidInput


class _Doubled(dict[str, Any]):
    """An object in which a name stands twice; it says which until its pointer is found."""

    name = ""


def load_text(text: str, source: str = "") -> dict[str, Any]:
    """The document as plain JSON values.

    Args:
        text: JSON, or YAML 1.2's core of values (`yes`, dates and the like are text).
        source: the file's name, which decides between the two by its ending; without one, a text that begins with a
            brace is JSON.

    Raises:
        InvalidInput: it cannot be read, a name stands twice in one object, a number is not finite, or it is too large
            or too deep; the message names the line or the JSON pointer.
    """
    shown = source or "The document"
    if len(text) > MOST_CHARACTERS:
        raise InvalidInput(f"{shown} is larger than {MOST_CHARACTERS:,} characters.")
    text = text.removeprefix("\ufeff")
    yaml = source.lower().endswith((".yaml", ".yml"))
    json_text = source.lower().endswith(".json") or (not yaml and text.lstrip()[:1] in ("{", "["))
    document = _parse_json(text, shown) if json_text else parse_yaml(text, shown)
    flaw = find_flaw(document)
    if flaw:
        raise InvalidInput(f"{shown}, {flaw.pointer or '/'}: {flaw.message}")
    if not isinstance(document, dict):
        raise InvalidInput(f"{shown} is no object with the fields of a spec, but {type(document).__name__}.")
    return document


def _parse_json(text: str, shown: str) -> Any:
    doubled: list[_Doubled] = []

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) == len(pairs):
            return made
        bad = _Doubled(made)
        bad.name = Counter(name for name, _ in pairs).most_common(1)[0][0]
        doubled.append(bad)
        return bad

    try:
        document = json.loads(text, object_pairs_hook=once)
    except json.JSONDecodeError as error:
        raise InvalidInput(
            f"{shown} is not valid JSON: {error.msg} (line {error.lineno}, column {error.colno})."
        ) from error
    except RecursionError as error:
        raise InvalidInput(f"{shown} is nested too deeply.") from error
    except ValueError as error:
        raise InvalidInput(f"{shown} has a number that is too long to be read.") from error
    if doubled:
        raise InvalidInput(f"{shown}, {_place(document, doubled)}: the name stands twice in the same object.")
    return document


def _place(document: Any, doubled: list[_Doubled]) -> str:
    """The pointer of the first doubled name; one inside a value that its own doublet has replaced is not there."""
    left: list[tuple[Any, str]] = [(document, "")]
    while left:
        value, pointer = left.pop()
        if isinstance(value, _Doubled):
            return join(pointer, value.name)
        if isinstance(value, dict):
            left.extend((item, join(pointer, key)) for key, item in reversed(value.items()))
        elif isinstance(value, list):
            left.extend((value[place], join(pointer, place)) for place in range(len(value) - 1, -1, -1))
    return join("", doubled[0].name)
