"""What is different between two documents, in words; things are told by their ids and names, never by their numbers."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from loopwright.agents.designspec.document.checking import normalise
from loopwright.agents.designspec.document.plain import find_flaw
from loopwright.agents.designspec.document.pointers import join, lookup
from loopwright.agents.designspec.document.wording import Wording, same, spoken, subject_of
from loopwright.kernel.errors import InvalidInput

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
        InvalidInput: one of them is no plain JSON.
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
