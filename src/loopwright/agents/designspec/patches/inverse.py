"""The patch that takes another one back."""

import copy
from typing import Any

from loopwright.agents.designspec.patches.apply import Operations, apply_operation, apply_patch
from loopwright.agents.designspec.patches.errors import PatchError
from loopwright.agents.designspec.patches.limits import check_operations
from loopwright.agents.designspec.patches.places import END, join_pointer, look_up, split_pointer


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
