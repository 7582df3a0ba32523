"""Operations that lead from one document to another."""

from typing import Any

from loopwright.agents.designspec.patches.apply import Operations, apply_patch
from loopwright.agents.designspec.patches.canonical import same_json
from loopwright.agents.designspec.patches.errors import PatchError
from loopwright.agents.designspec.patches.places import element_name, join_pointer

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
