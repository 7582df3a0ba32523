"""Reading a document's text, JSON or YAML, that may come from anybody."""

import copy
import json
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import yaml

from loopwright.agents.designspec.document.domains import DEEPEST, MOST_CHARACTERS, MOST_VALUES, find_flaw, join
from loopwright.kernel.errors import InvalidInput

# YAML as far as a spec needs it: YAML 1.2's core values, no tags, no merges, references only in small measure.

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""libyaml where it is there: the parser in Python takes a minute for two megabytes."""
INTEGER = re.compile(r"[-+]?[0-9]{1,400}\Z")
NUMBER = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?\Z")
NOT_FINITE = re.compile(r"[-+]?\.(inf|Inf|INF)\Z|\.(nan|NaN|NAN)\Z")
QUOTED = ("'", '"', "|", ">")
WORDS: dict[str, bool | None] = {"": None, "~": None, "null": None, "Null": None, "NULL": None} | {
    word: word.lower() == "true" for word in ("true", "True", "TRUE", "false", "False", "FALSE")
}


@dataclass
class _Open:
    """A mapping or a list that is being filled; `key` waits for its value."""

    value: Any
    anchor: str | None
    first: int
    """How many values there were before it."""
    key: Any = None
    waiting: bool = False


@dataclass
class _Builder:
    shown: str
    root: Any = None
    filled: bool = False
    stack: list[_Open] = field(default_factory=list)
    anchors: dict[str, tuple[Any, int]] = field(default_factory=dict)
    """What an anchor names, and how many values that is."""
    values: int = 0

    def take(self, event: yaml.Event) -> None:
        if isinstance(event, yaml.DocumentStartEvent) and self.filled:
            raise self.refusal(event, "there is a second document in it")
        if isinstance(event, yaml.ScalarEvent):
            self.place(event, self.scalar(event), 1, event.anchor)
        elif isinstance(event, yaml.AliasEvent):
            if event.anchor not in self.anchors:
                raise self.refusal(event, f"the reference *{event.anchor} names nothing that is complete")
            value, size = self.anchors[event.anchor]
            self.place(event, value, size, None)
        elif isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent):
            if event.tag is not None and event.tag != "!":
                raise self.refusal(event, f"tags such as {event.tag!r} have no meaning in a spec")
            if len(self.stack) >= DEEPEST:
                raise self.refusal(event, f"it is nested deeper than {DEEPEST} levels")
            made: Any = {} if isinstance(event, yaml.MappingStartEvent) else []
            self.stack.append(_Open(made, event.anchor, self.values))
        elif isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
            done = self.stack.pop()
            self.place(event, done.value, 1, done.anchor, done.first)

    def place(self, event: yaml.Event, value: Any, size: int, anchor: str | None, first: int | None = None) -> None:
        """Put a value where it belongs, count it, and remember it under its anchor."""
        self.values += size
        if self.values > MOST_VALUES:
            raise self.refusal(event, f"it has more than {MOST_VALUES:,} values, references included")
        if anchor is not None:
            self.anchors[anchor] = (value, self.values - first if first is not None else size)
        if isinstance(event, yaml.AliasEvent):
            value = copy.deepcopy(value)  # an edit at one place must not change the other
        if not self.stack:
            self.root, self.filled = value, True
            return
        top = self.stack[-1]
        if isinstance(top.value, list):
            top.value.append(value)
        elif not top.waiting:
            top.key, top.waiting = self.key(event, value, top.value), True
        else:
            top.value[top.key], top.waiting = value, False

    def key(self, event: yaml.Event, key: Any, taken: dict[str, Any]) -> str:
        if isinstance(event, yaml.ScalarEvent):
            key = event.value  # a name is text, whatever it looks like
        if not isinstance(key, str):
            raise self.refusal(event, "a name must be text")
        if key == "<<":
            raise self.refusal(event, "merging (<<) is not supported: write the fields out")
        if key in taken:
            raise self.refusal(event, f"the name {key!r} stands twice in the same object")
        return key

    def scalar(self, event: yaml.ScalarEvent) -> Any:
        if event.tag is not None and event.tag != "!":
            raise self.refusal(event, f"tags such as {event.tag!r} have no meaning in a spec")
        text = event.value
        if event.style in QUOTED or event.tag == "!":
            return text
        if text in WORDS:
            return WORDS[text]
        if NOT_FINITE.match(text):
            raise self.refusal(event, f"{text} is not a number that a spec can hold")
        if INTEGER.match(text):
            return int(text)
        return float(text) if NUMBER.match(text) else text

    def refusal(self, event: yaml.Event, why: str) -> InvalidInput:
        line = f" (line {event.start_mark.line + 1})" if event.start_mark else ""
        return InvalidInput(f"{self.shown} cannot be used: {why}{line}.")


def parse_yaml(text: str, shown: str) -> Any:
    """The text's single document as plain values.

    Raises:
        InvalidInput: it is not valid YAML, or uses more of YAML than a spec needs; the message names the line.
    """
    builder = _Builder(shown)
    try:
        for event in yaml.parse(text, Loader=LOADER):
            builder.take(event)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f" (line {mark.line + 1}, column {mark.column + 1})" if mark else ""
        raise InvalidInput(f"{shown} is not valid YAML: {getattr(error, 'problem', None) or error}{line}.") from error
    return builder.root


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
        raise InvalidInput(f"{shown} is not an object with the fields of a spec, but {type(document).__name__}.")
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
