"""The parts of a declaration's value with their places: references, colours, lengths."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from loopwright.agents.pages.compliance.cascade.colours import is_colour_token
from loopwright.agents.pages.compliance.cascade.tokens import parse_values

PartKind = Literal["reference", "colour", "length", "duration", "word", "string"]
_PART = re.compile(
    r"/\*.*?(?:\*/|\Z)"
    r"|(?P<string>\"(?:[^\"\\]|\\.)*\"?|'(?:[^'\\]|\\.)*'?)"
    r"|(?P<hash>#[\w-]+)"
    r"|(?P<number>[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?(?P<unit>%|[a-z]+)?)"
    r"|(?P<name>-?-?[a-z_\u0080-\uffff][\w\u0080-\uffff-]*)(?P<call>\()?"
    r"|(?P<open>\()|(?P<close>\))|(?P<comma>,)|(?P<slash>/)",
    re.DOTALL | re.IGNORECASE,
)
_LENGTH_UNITS = {"px": 1.0, "rem": 16.0}
_OPAQUE = frozenset({"url", "src", "image-set", "attr", "env"})
"""Functions whose arguments are no design decisions."""
_REFERENCE = re.compile(r"var\(\s*(?P<name>--[^\s,()]+)\s*(?:,(?P<fallback>.*))?\)\Z", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a value: `text` stands at `start` to `end` of it."""

    kind: PartKind
    text: str
    start: int
    end: int
    inside: str = ""
    """The function that holds it, the innermost one; empty at the top level."""
    number: float = 0.0
    """Pixels of a length (a rem is 16), milliseconds of a duration."""

    @property
    def name(self) -> str:
        """The variable that a reference names, or the word in lower case."""
        match = _REFERENCE.match(self.text) if self.kind == "reference" else None
        return match["name"] if match else self.text.lower()

    @property
    def fallback(self) -> str | None:
        """What a reference says for the case that its variable is not set."""
        match = _REFERENCE.match(self.text) if self.kind == "reference" else None
        return None if match is None or match["fallback"] is None else match["fallback"].strip()


def parts_of(value: str) -> Iterator[Part]:
    """The parts of a value in order; total on any text. Fallbacks of references are part of the reference."""
    functions: list[str] = []
    position = 0
    while match := _PART.search(value, position):
        position = match.end()
        inside = functions[-1] if functions else ""
        start = match.start()
        if match["call"]:
            name = match["name"].lower()
            whole = _end_of_call(value, match.end())
            text = value[start:whole]
            # A colour made of tokens is no colour of its own: its references are what counts.
            if name == "var" or ("var(" not in text.lower() and _is_colour(text)):
                yield Part("reference" if name == "var" else "colour", text, start, whole, inside)
                position = whole
            elif name in _OPAQUE:
                position = whole
            else:
                functions.append(name)
        elif match["open"]:
            functions.append("(")
        elif match["close"]:
            if functions:
                functions.pop()
        elif match["string"]:
            yield Part("string", match[0], start, match.end(), inside)
        elif match["hash"] or match["name"]:
            kind: PartKind = "colour" if _is_colour(match[0]) else "word"
            yield Part(kind, match[0], start, match.end(), inside)
        elif match["number"]:
            yield from _measure(match, inside)


def _measure(match: re.Match[str], inside: str) -> Iterator[Part]:
    unit = (match["unit"] or "").lower()
    number = float(match["number"][: len(match["number"]) - len(unit)])
    if unit in _LENGTH_UNITS:
        yield Part("length", match[0], match.start(), match.end(), inside, number * _LENGTH_UNITS[unit])
    elif unit in ("ms", "s"):
        yield Part("duration", match[0], match.start(), match.end(), inside, number * (1000 if unit == "s" else 1))


def _end_of_call(value: str, position: int) -> int:
    """The place after the bracket that closes a call; the end of the value where none does."""
    depth = 1
    for match in _PART.finditer(value, position):
        if match["call"] or match["open"]:
            depth += 1
        elif match["close"]:
            depth -= 1
            if depth == 0:
                return match.end()
    return len(value)


def _is_colour(text: str) -> bool:
    tokens = parse_values(text)
    return len(tokens) == 1 and is_colour_token(tokens[0])
