"""A document's values and places in words that people understand."""

import json
from collections.abc import Iterable
from typing import Any

from loopwright.agents.designspec.document.pointers import join, tokens_of
from loopwright.agents.designspec.document.spec import METRES

LONGEST_TEXT = 60
MOST_FIELDS = 6
POWERS = {1: "", 2: "²", 3: "³"}
SHOWN_UNITS = {"m": "mm", "um": "µm"}
"""Designs are small: a document in metres is spoken of in millimetres."""


class Wording:
    """Speaks of one normalised document.

    Args:
        document: with its lengths in metres.
        lengths: the power of each length by its pointer.
        units: in which lengths are shown.
    """

    def __init__(self, document: Any, lengths: dict[str, int], units: str) -> None:
        """Settle how lengths are shown."""
        self.document, self.lengths = document, lengths
        self.name = SHOWN_UNITS.get(units, units)
        self.factor = METRES["mm" if units == "m" else units]

    def value(self, value: Any, pointer: str) -> str:
        """A value as it is said: lengths with their unit, places in parentheses, long things by their size."""
        if value is None:
            return "none"
        if isinstance(value, bool):
            return "yes" if value else "no"
        if isinstance(value, str):
            return value if len(value) <= LONGEST_TEXT else value[:LONGEST_TEXT] + "…"
        if isinstance(value, list):
            return self._list(value, pointer)
        if isinstance(value, dict):
            return "; ".join(self._fields(value, pointer)) or "nothing"
        return self._number(value, self.lengths.get(pointer, 0))

    def thing(self, value: Any, pointer: str) -> str:
        """A whole thing, shortly: a domain, a component, a port, a policy."""
        tokens = tokens_of(pointer)
        if isinstance(value, dict) and tokens[:1] == ["domains"] and len(tokens) == 2:
            return self._domain(value, pointer)
        if isinstance(value, dict) and tokens[:1] == ["components"] and len(tokens) == 2:
            return _component(value)
        return self.value(value, pointer)

    def _number(self, value: float, power: int) -> str:
        if power:
            return f"{value / self.factor**power:.6g} {self.name}{POWERS[power]}"
        return f"{value:.15g}"

    def _list(self, value: list[Any], pointer: str) -> str:
        if not all(isinstance(item, str | int | float | None) for item in value) or len(value) > MOST_FIELDS:
            return "1 entry" if len(value) == 1 else f"{len(value)} entries"
        power = self.lengths.get(join(pointer, 0), 0)
        if power and all(self.lengths.get(join(pointer, place)) == power for place in range(len(value))):
            numbers = ", ".join(f"{item / self.factor**power:.6g}" for item in value)
            return f"({numbers}) {self.name}{POWERS[power]}"
        return "(" + ", ".join(self.value(item, join(pointer, place)) for place, item in enumerate(value)) + ")"

    def _fields(self, value: dict[str, Any], pointer: str) -> Iterable[str]:
        for place, (name, item) in enumerate(value.items()):
            if place == MOST_FIELDS:
                yield f"and {len(value) - MOST_FIELDS} more"
                return
            inner = f"{len(item)} fields" if isinstance(item, dict) else self.value(item, join(pointer, name))
            yield f"{spoken(name)} {inner}"

    def _domain(self, value: dict[str, Any], pointer: str) -> str:
        ends = [value.get(f"{axis}_{end}") for axis in "xyz" for end in ("min", "max")]
        sides = [float(end) for end in ends if isinstance(end, int | float)]
        if value.get("type") == "box" and len(sides) == len(ends):
            lows_and_highs = zip(sides[::2], sides[1::2], strict=True)
            extents = " × ".join(f"{(high - low) / self.factor:.6g}" for low, high in lows_and_highs)
            return f"box {extents} {self.name}"
        rest = {name: item for name, item in value.items() if name != "type"}
        return f"{self.value(value.get('type'), '')}; {self.value(rest, pointer)}"


def _component(value: dict[str, Any]) -> str:
    build, ports = value.get("build"), value.get("ports")
    kind = build.get("type") if isinstance(build, dict) else "nothing"
    backend = build.get("backend") if isinstance(build, dict) else None
    counts = [
        f"{len(listed)} {name if len(listed) != 1 else name[:-1]}"
        for name, listed in (ports.items() if isinstance(ports, dict) else [])
        if isinstance(listed, list) and listed
    ]
    return ", ".join([f"{kind}{f' ({backend})' if backend else ''} in {value.get('domain_ref')}", *counts])


def subject_of(tokens: list[str]) -> tuple[str, list[str]]:
    """What a place belongs to, and the tokens that are left to name within it.

    Args:
        tokens: those of a pointer, with ids and names in the place of numbers.
    """
    head, *rest = tokens or [""]
    if head == "policies" and rest:
        return f"policy {spoken(rest[0])}", rest[1:]
    if head == "domains" and rest:
        return f"domain {rest[0]}", rest[1:]
    if head == "components" and rest:
        if rest[1:2] == ["ports"] and len(rest) > 3:
            return f"component {rest[0]}, port {rest[3]}", rest[4:]
        if rest[1:2] == ["policies"] and len(rest) > 2:
            return f"component {rest[0]}, policy {spoken(rest[2])}", rest[3:]
        return f"component {rest[0]}", rest[1:]
    return spoken(head) or "document", rest


def spoken(name: str) -> str:
    """A field's name as words."""
    return name.replace("_", " ")


def same(before: Any, after: Any) -> bool:
    """Whether two plain values are the same, where 1 and 1.0 are and 1 and true are not."""
    return before == after and json.dumps(_floats(before), sort_keys=True) == json.dumps(_floats(after), sort_keys=True)


def _floats(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _floats(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_floats(item) for item in value]
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value
