"""Pointers that call array elements by their names: `/components/net_1/ports/inlets/in1/radius`."""

import copy
from dataclasses import dataclass
from typing import Any

from loopwright.agents.designspec.patches.apply import Operations, apply_operation
from loopwright.agents.designspec.patches.errors import PatchError
from loopwright.agents.designspec.patches.limits import check_operations, name_operation
from loopwright.agents.designspec.patches.places import (
    END,
    INDEX,
    element_name,
    join_pointer,
    names_hint,
    shorten,
    split_pointer,
    step_into,
)

PLACING = ("add", "copy", "move")


def resolve_ids(document: Any, operations: Operations) -> Operations:
    """The operations with indices in the place of names.

    In an array, a token that is no index names the element whose `id` or `name` it is, as the array stands after the
    operations before. What an operation places cannot be called so: it has no index yet.

    Raises:
        PatchError: no element or several have the name, or an operation cannot be applied.
    """
    check_operations(operations)
    state = copy.deepcopy(document)
    resolved: Operations = []
    for index, operation in enumerate(operations):
        step = dict(operation)
        if operation["op"] in ("move", "copy"):
            step["from"] = _resolve(state, _Reference(operation, "from", index))
        step["path"] = _resolve(_target_state(state, step), _Reference(operation, "path", index))
        resolved.append(step)
        state = apply_operation(state, step, index)
    return resolved


def _target_state(state: Any, step: dict[str, Any]) -> Any:
    """The state that an operation's `path` is meant in: for a move, the one after the removal."""
    if step["op"] != "move":
        return state
    try:
        return apply_operation(copy.deepcopy(state), {"op": "remove", "path": step["from"]}, 0)
    except PatchError:
        return state  # applying the move will say what is wrong


@dataclass(frozen=True)
class _Reference:
    """A pointer of an operation."""

    operation: dict[str, Any]
    member: str
    index: int

    @property
    def pointer(self) -> str:
        return str(self.operation[self.member])

    @property
    def places_something(self) -> bool:
        return self.member == "path" and self.operation["op"] in PLACING

    def refusal(self, reason: str, hint: str) -> PatchError:
        name = name_operation(self.operation)
        return PatchError(reason, index=self.index, operation=name, pointer=self.pointer, hint=hint)


def _resolve(state: Any, reference: _Reference) -> str:
    tokens = split_pointer(reference.pointer)
    for depth, token in enumerate(tokens):
        if isinstance(state, list) and token != END and not INDEX.fullmatch(token):
            place, last = join_pointer(tokens[:depth]), depth == len(tokens) - 1
            tokens[depth] = str(_index_of(state, token, place, reference, last=last))
        try:
            state = step_into(state, tokens[depth])
        except KeyError:
            break  # applying it will say what is missing
    return join_pointer(tokens)


def _index_of(elements: list[Any], token: str, place: str, reference: _Reference, *, last: bool) -> int:
    matches = [number for number, element in enumerate(elements) if element_name(element) == token]
    if last and reference.places_something:
        raise reference.refusal(
            f"{place} is an array: {shorten(token)!r} is no place in it where something can be added",
            f"Append with {place}/-" + (", or use replace to change what is there." if matches else "."),
        )
    if len(matches) != 1:
        names = [name for element in elements if (name := element_name(element))]
        what = "several elements are" if matches else "no element is"
        raise reference.refusal(f"in {place} {what} called {shorten(token)!r}", names_hint(token, names))
    return matches[0]
