"""Fixes of outlines: data that anyone may look at first.

| op | arguments | does |
|---|---|---|
| set, set_metadata | node_id, field, value | writes a field (None in the metadata removes it) |
| set_at | index, field, value | the same for the node at this place of the list |
| drop_field | index (None: the outline's own), field | removes a field |
| set_root | value | names the root |
| move | node_id, value | hangs a node with all below it under another, and sets the levels anew |
| set_levels | | sets each level to the node's depth |
| remove_dependency | node_id, on, type, keep_first | takes dependencies out |
| add_task | node_id, title | adds a task of an hour below a node |
| add_cycle | node_id, title | puts a weekly cycle between a node and its children |
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar, cast
from uuid import UUID, uuid5

from loopwright.agents.planner.contracts.plan import Outline
from loopwright.agents.planner.grammar.validating import validate_grammar
from loopwright.agents.planner.grammar.waiting import Fix
from loopwright.kernel.errors import InvalidInput

OutlineT = TypeVar("OutlineT", bound=Outline | dict[str, Any])
MOST_ROUNDS = 64
DEEPEST = 32
Node = dict[str, Any]


def apply_fix(outline: OutlineT, fix: Mapping[str, Any]) -> OutlineT:
    """The outline with the fix, of the same kind as it came; the given one stays as it is.

    A fix whose node is no longer there changes nothing.

    Raises:
        InvalidInput: the fix is none of the table above.
    """
    data = _as_json(outline)
    _change(data, fix)
    return _as_given(outline, data)


def repair_outline(outline: OutlineT, pattern: object = None) -> tuple[OutlineT, list[Fix]]:
    """Apply every suggested fix until the outline is valid or only a human can go on.

    Returns:
        The outline, and the fixes that were applied, in order.
    """
    applied: list[Fix] = []
    data = _as_json(outline)
    for _ in range(MOST_ROUNDS):
        fixes = validate_grammar(data, pattern).suggested_fixes
        if not fixes:
            break
        for fix in fixes:
            _change(data, fix)
        applied += fixes
    return (_as_given(outline, data) if applied else outline), applied


def _as_json(outline: Outline | dict[str, Any]) -> dict[str, Any]:
    """A copy that may be changed: the outline, its nodes, but not what lies deeper."""
    data: dict[str, Any] = outline.model_dump(mode="json") if isinstance(outline, Outline) else dict(outline)
    nodes = data.get("nodes")
    if isinstance(nodes, list):
        data["nodes"] = [dict(node) if isinstance(node, Mapping) else node for node in nodes]
    return data


def _as_given(outline: OutlineT, data: dict[str, Any]) -> OutlineT:
    if isinstance(outline, Outline):
        return cast(OutlineT, type(outline).model_validate(data))
    return cast(OutlineT, data)


def _change(data: dict[str, Any], fix: Mapping[str, Any]) -> None:
    operation = _OPERATIONS.get(str(fix.get("op")))
    if operation is None:
        raise InvalidInput(f"There is no fix {str(fix.get('op'))[:40]!r}.", hint=f"Known are {', '.join(_OPERATIONS)}.")
    try:
        operation(data, fix)
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise InvalidInput(f"The fix {dict(fix)!r} does not fit this outline: {error}.") from error


def _nodes(data: dict[str, Any]) -> list[Node]:
    return [node for node in data["nodes"] if isinstance(node, dict)]


def _node(data: dict[str, Any], node_id: object) -> Node | None:
    return next((node for node in _nodes(data) if str(node.get("id")) == str(node_id)), None)


def _set(data: dict[str, Any], fix: Mapping[str, Any]) -> None:
    node = _node(data, fix["node_id"])
    if node is not None:
        node[fix["field"]] = fix["value"]


def _set_metadata(data: dict[str, Any], fix: Mapping[str, Any]) -> None:
    node = _node(data, fix["node_id"])
    if node is not None:
        metadata = dict(node.get("metadata") or {})
        if fix["value"] is None:
            metadata.pop(fix["field"], None)
        else:
            metadata[fix["field"]] = fix["value"]
        node["metadata"] = metadata


def _set_at(data: dict[str, Any], fix: Mapping[str, Any]) -> None:
    data["nodes"][fix["index"]][fix["field"]] = fix["value"]


def _drop_field(data: dict[str, Any], fix: Mapping[str, Any]) -> None:
    target = data if fix["index"] is None else data["nodes"][fix["index"]]
    # A key of another type than text is found by what it looks like.
    for key in [key for key in target if str(key) == str(fix["field"])]:
        del target[key]


def _set_root(data: dict[str, Any], fix: Mapping[str, Any]) -> None:
    data["root_id"] = fix["value"]


def _move(data: dict[str, Any], fix: Mapping[str, Any]) -> None:
    node = _node(data, fix["node_id"])
    if node is not None and _node(data, fix["value"]) is not None:
        node["parent_id"] = fix["value"]
        _set_levels(data, fix)


def _set_levels(data: dict[str, Any], _: Mapping[str, Any]) -> None:
    above = {str(node.get("id")): str(node.get("parent_id")) for node in reversed(_nodes(data))}
    for node in _nodes(data):
        here, depth = str(node.get("id")), 1
        while depth < DEEPEST and here != str(data.get("root_id")) and above.get(here) in above:
            here, depth = above[here], depth + 1
        node["level"] = depth


def _remove_dependency(data: dict[str, Any], fix: Mapping[str, Any]) -> None:
    node = _node(data, fix["node_id"])
    if node is None:
        return
    kept: list[Any] = []
    spare = 1 if fix.get("keep_first") else 0
    for dependency in node.get("dependencies") or []:
        kind = dependency.get("type", "finish_to_start")
        if str(dependency.get("node_id")) == str(fix["on"]) and kind == fix["type"]:
            spare -= 1
            if spare < 0:
                continue
        kept.append(dependency)
    node["dependencies"] = kept


def _add_task(data: dict[str, Any], fix: Mapping[str, Any]) -> None:
    above = _node(data, fix["node_id"])
    if above is None:
        return
    data["nodes"].append(
        {
            "id": str(_new_id(data, above, fix["title"])),
            "parent_id": above["id"],
            "node_type": "task",
            "level": min(DEEPEST, int(above["level"]) + 1),
            "title": fix["title"],
            "metadata": {"estimated_minutes": 60},
        }
    )


def _add_cycle(data: dict[str, Any], fix: Mapping[str, Any]) -> None:
    above = _node(data, fix["node_id"])
    if above is None:
        return
    cycle_id = str(_new_id(data, above, fix["title"]))
    for node in _nodes(data):
        if str(node.get("parent_id")) == str(above["id"]):
            node["parent_id"] = cycle_id
    data["nodes"].append(
        {
            "id": cycle_id,
            "parent_id": above["id"],
            "node_type": "cycle",
            "level": 2,
            "title": fix["title"],
            "recurrence": "weekly",
        }
    )
    _set_levels(data, fix)


def _new_id(data: dict[str, Any], above: Node, title: str) -> UUID:
    """A new id that is the same whenever the same fix is applied to the same outline."""
    return uuid5(UUID(str(above["id"])), f"{title} {len(data['nodes'])}")


_OPERATIONS: dict[str, Callable[[dict[str, Any], Mapping[str, Any]], None]] = {
    "set": _set,
    "set_metadata": _set_metadata,
    "set_at": _set_at,
    "drop_field": _drop_field,
    "set_root": _set_root,
    "move": _move,
    "set_levels": _set_levels,
    "remove_dependency": _remove_dependency,
    "add_task": _add_task,
    "add_cycle": _add_cycle,
}
