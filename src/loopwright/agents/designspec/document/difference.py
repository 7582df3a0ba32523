"""What is different between two documents, in words; things are told by their ids and names, never by their numbers."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from loopwright.agents.designspec.document.checking import normalise
from loopwright.agents.designspec.document.domains import find_flaw, join, lookup, tokens_of
from loopwright.agents.designspec.document.spec import METRES
from loopwright.kernel.errors import InvalidInput

# A document's values and places in words that people understand.

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


ABSENT = object()


class Change(BaseModel):
    """One difference. `pointer` leads into the later document, or into the earlier where something was removed.

    `before` and `after` are as the documents have them; `text` shows lengths with their units.
    """

    model_config = ConfigDict(frozen=True)

    kind: Literal["added", "removed", "changed", "reordered"]
    pointer: str
    subject: str
    text: str
    before: Any = None
    after: Any = None


@dataclass(frozen=True)
class _Place:
    """The same thing in both documents; `names` are its pointer's tokens with ids for numbers."""

    before: str
    after: str
    names: tuple[str, ...]

    def child(self, before: str | int, after: str | int, name: str) -> "_Place":
        return _Place(join(self.before, before), join(self.after, after), (*self.names, name))


def diff_documents(before: dict[str, Any], after: dict[str, Any]) -> list[Change]:
    """What has changed in meaning, in the order of the documents.

    A document in millimetres and the same in metres differ in their `meta.input_units` only.

    Raises:
        InvalidInput: one of them is not plain JSON.
    """
    for which, document in (("earlier", before), ("later", after)):
        flaw = find_flaw(document)
        if flaw:
            raise InvalidInput(f"The {which} document, {flaw.pointer or '/'}: {flaw.message}")
    return list(_Comparison(before, after).changes())


class _Comparison:
    def __init__(self, before: dict[str, Any], after: dict[str, Any]) -> None:
        self.originals = before, after
        earlier, later = normalise(before), normalise(after)
        self.documents = earlier.document, later.document
        meta = after.get("meta")
        units = meta.get("input_units") if isinstance(meta, dict) else None
        shown = units if units in ("m", "cm", "mm", "um") else "m"
        self.earlier = Wording(earlier.document, earlier.lengths, shown)
        self.later = Wording(later.document, later.lengths, shown)

    def changes(self) -> Iterator[Change]:
        yield from self._compare(*self.documents, _Place("", "", ()))

    def _compare(self, before: Any, after: Any, place: _Place) -> Iterator[Change]:
        if same(before, after):
            return
        if isinstance(before, dict) and isinstance(after, dict):
            for name in [*before, *(name for name in after if name not in before)]:
                pair = before.get(name, ABSENT), after.get(name, ABSENT)
                yield from self._one(*pair, place.child(name, name, name))
            return
        known = _keys(before), _keys(after)
        if known[0] is not None and known[1] is not None:
            yield from self._keyed(before, after, known[0], known[1], place)
        elif _list_of_things(before) and _list_of_things(after) and len(before) == len(after):
            for number, pair in enumerate(zip(before, after, strict=True)):
                yield from self._compare(*pair, place.child(number, number, f"#{number + 1}"))
        else:
            yield self._change("changed", place, before, after)

    def _keyed(
        self, before: list[Any], after: list[Any], earlier: dict[str, int], later: dict[str, int], place: _Place
    ) -> Iterator[Change]:
        for key in [*earlier, *(key for key in later if key not in earlier)]:
            first, second = earlier.get(key), later.get(key)
            old = ABSENT if first is None else before[first]
            new = ABSENT if second is None else after[second]
            yield from self._one(old, new, place.child(first or 0, second or 0, key))
        kept = [key for key in earlier if key in later]
        if kept != [key for key in later if key in earlier]:
            yield self._change("reordered", place, kept, [key for key in later if key in earlier])

    def _one(self, before: Any, after: Any, place: _Place) -> Iterator[Change]:
        if before is ABSENT:
            yield self._change("added", place, None, after)
        elif after is ABSENT:
            yield self._change("removed", place, before, None)
        else:
            yield from self._compare(before, after, place)

    def _change(
        self, kind: Literal["added", "removed", "changed", "reordered"], place: _Place, before: Any, after: Any
    ) -> Change:
        subject, rest = subject_of(list(place.names))
        field = " ".join(map(spoken, rest))
        if kind == "added":
            said = f"{'set to' if field else 'added:'} {self.later.thing(after, place.after)}"
        elif kind == "removed":
            said = f"removed (was {self.earlier.value(before, place.before)})" if field else "removed"
        elif kind == "reordered":
            said = "in another order: " + ", ".join(map(str, after))
        else:
            said = f"{self.earlier.value(before, place.before)} → {self.later.value(after, place.after)}"
        return Change(
            kind=kind,
            pointer=place.before if kind == "removed" else place.after,
            subject=subject,
            text=f"{subject}: {field} {said}" if field else f"{subject} {said}",
            before=None if kind == "added" else lookup(self.originals[0], place.before),
            after=None if kind == "removed" else lookup(self.originals[1], place.after),
        )


def _list_of_things(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, dict) for item in value)


def _keys(value: Any) -> dict[str, int] | None:
    """The places of a list's things by id or name; None where it is no such list."""
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        return None
    keys = [item.get("id", item.get("name")) for item in value]
    if not all(isinstance(key, str) for key in keys) or len(set(keys)) < len(keys):
        return None
    return {str(key): place for place, key in enumerate(keys)}
