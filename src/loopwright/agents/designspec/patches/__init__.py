"""Apply a JSON Patch to a document."""

import copy
import json
from dataclasses import dataclass
from typing import Any

from jsonpatch import JsonPatch, JsonPatchException, JsonPatchTestFailed
from jsonpointer import JsonPointerException

from loopwright.agents.designspec.patches.tree import (
    END,
    INDEX,
    PatchError,
    check_document,
    check_operations,
    element_name,
    explain_missing,
    join_pointer,
    look_up,
    name_operation,
    names_hint,
    shorten,
    split_pointer,
    step_into,
)

Operations = list[dict[str, Any]]


def apply_patch(document: Any, operations: Operations) -> Any:
    """The document after the operations; the one that is given stays as it is.

    Args:
        document: any JSON value; a designspec is an object.
        operations: as RFC 6902 has them.

    Raises:
        PatchError: naming the operation at fault, its pointer, what is wrong, and what exists there.
    """
    check_operations(operations)
    result = copy.deepcopy(document)
    for index, operation in enumerate(operations):
        result = apply_operation(result, operation, index)
    check_document(result)
    return result


def apply_operation(document: Any, operation: dict[str, Any], index: int) -> Any:
    """Apply one checked operation, changing the document in place; answer the document (a new one at the root).

    Raises:
        PatchError: it cannot be applied.
    """
    try:
        result = JsonPatch([operation]).apply(document, in_place=True)
    except (JsonPatchException, JsonPointerException) as error:
        raise _explain(document, operation, index, error) from error
    if operation["op"] == "copy":
        _check_growth(result, operation, index)
    return result


def _check_growth(document: Any, operation: dict[str, Any], index: int) -> None:
    # Each copy may double the document: twenty of them would fill the memory before the result is looked at.
    try:
        check_document(document)
    except PatchError as error:
        name, path = name_operation(operation), operation["path"]
        raise PatchError(error.reason, index=index, operation=name, pointer=path, hint=error.hint) from error


def _explain(document: Any, operation: dict[str, Any], index: int, error: Exception) -> PatchError:
    """Say it in the document's words: the libraries name the token, but neither the place nor what is there."""

    def told(reason: str, pointer: str, hint: str = "") -> PatchError:
        return PatchError(reason, index=index, operation=name_operation(operation), pointer=pointer, hint=hint)

    for member in {"add": (), "move": ("from",), "copy": ("from",)}.get(operation["op"], ("path",)):
        missing = explain_missing(document, split_pointer(operation[member]))
        if missing:
            return told(missing[0], operation[member], missing[1])
    tokens = split_pointer(operation["path"])
    missing = explain_missing(document, tokens[:-1])
    if missing:
        return told(missing[0], operation["path"], f"Add the outer part first. {missing[1]}")
    if isinstance(error, JsonPatchTestFailed):
        return told("the value there is another one than the tested", operation["path"], _shown_value(document, tokens))
    missing = explain_missing(document, tokens)
    if missing and not isinstance(look_up(document, tokens[:-1]), dict):
        return told(missing[0], operation["path"], "To append to an array, end the pointer with /-.")
    return told(str(error) or type(error).__name__, operation["path"])


def _shown_value(document: Any, tokens: list[str]) -> str:
    text = repr(look_up(document, tokens))
    return f"There is {text}." if len(text) <= 200 else ""


# Pointers that call array elements by their names: `/components/net_1/ports/inlets/in1/radius`.

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


# JSON values compared as JSON is: Python says that 1, 1.0 and true are equal.


def canonical_json(value: Any) -> str:
    """Sorted compact JSON: two values have the same one exactly when they are the same JSON."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def same_json(first: Any, second: Any) -> bool:
    """Whether two values are the same JSON; the order of members does not count."""
    return canonical_json(first) == canonical_json(second)


# Operations that lead from one document to another.

Way = tuple[str | int, ...]


def difference(before: Any, after: Any) -> Operations:
    """A patch that makes the second document of the first.

    Array elements that have names are followed by them; other arrays are replaced as a whole. Where that would pass
    the limits of a patch, the whole document is.
    """
    operations = _differ(before, after, ())
    try:
        if same_json(apply_patch(before, operations), after):
            return operations
    except PatchError:
        return [{"op": "replace", "path": "", "value": after}]
    raise AssertionError("the difference of two documents does not lead from the one to the other")


def _differ(before: Any, after: Any, way: Way) -> Operations:
    if isinstance(before, dict) and isinstance(after, dict):
        return _differ_members(before, after, way)
    if isinstance(before, list) and isinstance(after, list):
        names, wanted = _names(before), _names(after)
        if names is not None and wanted is not None:
            return _differ_elements(before, after, way, names, wanted)
    if same_json(before, after):
        return []
    return [{"op": "replace", "path": join_pointer(way), "value": after}]


def _differ_members(before: dict[str, Any], after: dict[str, Any], way: Way) -> Operations:
    operations: Operations = [{"op": "remove", "path": join_pointer((*way, key))} for key in before if key not in after]
    for key, value in after.items():
        if key in before:
            operations += _differ(before[key], value, (*way, key))
        else:
            operations.append({"op": "add", "path": join_pointer((*way, key)), "value": value})
    return operations


def _names(elements: list[Any]) -> list[str] | None:
    """The elements' names, if each has its own."""
    names = [name for element in elements if (name := element_name(element))]
    return names if len(names) == len(elements) == len(set(names)) else None


def _differ_elements(before: list[Any], after: list[Any], way: Way, names: list[str], wanted: list[str]) -> Operations:
    operations: Operations = []
    standing = list(names)
    for index in reversed(range(len(names))):
        if names[index] not in wanted:
            operations.append({"op": "remove", "path": join_pointer((*way, index))})
            del standing[index]
    for index, name in enumerate(wanted):
        path = join_pointer((*way, index))
        if name not in names:
            operations.append({"op": "add", "path": path, "value": after[index]})
            standing.insert(index, name)
        elif standing[index] != name:
            source = standing.index(name)
            operations.append({"op": "move", "from": join_pointer((*way, source)), "path": path})
            standing.insert(index, standing.pop(source))
    for index, name in enumerate(wanted):
        if name in names:
            operations += _differ(before[names.index(name)], after[index], (*way, index))
    return operations


# Operations in words, one line each.

SHOWN_VALUE = 80
SEPARATOR = " › "
WHOLE = "the whole document"


def describe_patch(operations: Operations, document: Any = None) -> list[str]:
    """What each operation does, for people.

    Args:
        operations: a patch of the right form.
        document: what it is for: with it, array elements are called by their names and old values are told.
    """
    lines = []
    for operation in operations:
        lines.append(describe_operation(operation, document))
        if document is not None:
            try:
                document = apply_patch(document, [operation])
            except PatchError:
                document = None  # from here on there is no document that the words could be taken from
    return lines


def describe_operation(operation: dict[str, Any], document: Any = None) -> str:
    """What one operation does."""
    kind = operation["op"]
    place = name_place(operation["path"], document)
    value = show_value(operation.get("value"))
    old = _old_value(operation["path"], document)
    if kind == "add" and operation["path"].endswith(f"/{END}"):
        return f"Append {value} to {place}"
    if kind == "add" and (not old or _is_insertion(operation, document)):
        return f"Add {place}: {value}"
    if kind in ("add", "replace"):
        return f"Change {place} from {old} to {value}" if old else f"Change {place} to {value}"
    if kind == "remove":
        return f"Remove {place} (it was {old})" if old else f"Remove {place}"
    if kind == "test":
        return f"Only if {place} is {value}"
    return f"{kind.capitalize()} {name_place(operation['from'], document)} to {place}"


def name_place(pointer: str, document: Any = None) -> str:
    """The pointer in words: `components › net_1 › radius`."""
    tokens = split_pointer(pointer)
    words = []
    for token in tokens:
        name = None
        if document is not None:
            try:
                document = step_into(document, token)
                name = element_name(document) if token.isdecimal() else None
            except KeyError:
                document = None
        if token != END:
            words.append(shorten(name or token, 60))
    return SEPARATOR.join(words) or WHOLE


def show_value(value: Any) -> str:
    """A value, short: what it is called, or its JSON cut to one line."""
    name = element_name(value)
    if name is not None:
        return f"{shorten(name, 60)!r}"
    return shorten(json.dumps(value, ensure_ascii=False), SHOWN_VALUE)


def _old_value(pointer: str, document: Any) -> str:
    if document is None:
        return ""
    try:
        return show_value(look_up(document, split_pointer(pointer)))
    except KeyError:
        return ""


def _is_insertion(operation: dict[str, Any], document: Any) -> bool:
    tokens = split_pointer(operation["path"])
    return bool(tokens) and isinstance(look_up(document, tokens[:-1]), list)


# The patch that takes another one back.


def invert_patch(document: Any, operations: Operations) -> Operations:
    """The operations with which `apply_patch(apply_patch(document, operations), inverse)` is the document again.

    Where the inverse would pass the limits of a patch, it puts the old document back as a whole.

    Raises:
        PatchError: the operations cannot be applied to the document.
    """
    apply_patch(document, operations)  # a refusal names the operation as it was written
    state = copy.deepcopy(document)
    inverse: Operations = []
    for index, operation in enumerate(operations):
        for step in _halves(state, operation):
            inverse.append(_undo(state, step))
            state = apply_operation(state, step, index)
    inverse.reverse()
    try:
        check_operations(inverse)
    except PatchError:
        return [{"op": "replace", "path": "", "value": copy.deepcopy(document)}]
    return inverse


def _halves(state: Any, operation: dict[str, Any]) -> Operations:
    """The operation as additions, removals and replacements: a move overwrites what is there after the removal."""
    kind = operation["op"]
    if kind == "test" or (kind == "move" and operation["from"] == operation["path"]):
        return []
    if kind not in ("move", "copy"):
        return [operation]
    value = copy.deepcopy(look_up(state, split_pointer(operation["from"])))
    addition = {"op": "add", "path": operation["path"], "value": value}
    return [addition] if kind == "copy" else [{"op": "remove", "path": operation["from"]}, addition]


def _undo(state: Any, step: dict[str, Any]) -> dict[str, Any]:
    """What takes an addition, a removal or a replacement back, seen from the state before it."""
    path = step["path"]
    tokens = split_pointer(path)
    if step["op"] == "remove":
        return {"op": "add", "path": path, "value": copy.deepcopy(look_up(state, tokens))}
    if not tokens:
        return {"op": "replace", "path": "", "value": copy.deepcopy(state)}
    parent, last = look_up(state, tokens[:-1]), tokens[-1]
    if isinstance(parent, list) and step["op"] == "add":
        return {"op": "remove", "path": join_pointer([*tokens[:-1], len(parent)]) if last == END else path}
    if isinstance(parent, dict) and last not in parent:
        return {"op": "remove", "path": path}
    return {"op": "replace", "path": path, "value": copy.deepcopy(look_up(state, tokens))}


# The parts of the document that no proposal may change.

PROTECTED = ("schema",)
"""Top members that say which format the document has: changing them would change what all the rest means."""


def check_protected(operations: Operations) -> None:
    """Refuse a proposal that touches the document as a whole or its `schema`; tests may look at them.

    Raises:
        PatchError: naming the operation.
    """
    check_operations(operations)
    for index, operation in enumerate(operations):
        changed = {"test": (), "move": ("from", "path")}.get(operation["op"], ("path",))
        for member in changed:
            tokens = split_pointer(operation[member])
            if not tokens:
                reason, hint = "a proposal may not replace the whole document", "Change the parts that differ."
            elif tokens[0] in PROTECTED:
                reason, hint = f"/{tokens[0]} says which format the document has and stays as it is", ""
            else:
                continue
            name = name_operation(operation)
            raise PatchError(reason, index=index, operation=name, pointer=operation[member], hint=hint)
