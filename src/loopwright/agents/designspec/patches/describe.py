"""Operations in words, one line each."""

import json
from typing import Any

from loopwright.agents.designspec.patches.apply import Operations, apply_patch
from loopwright.agents.designspec.patches.errors import PatchError
from loopwright.agents.designspec.patches.places import END, element_name, look_up, shorten, split_pointer, step_into

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
