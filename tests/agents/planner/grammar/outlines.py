"""Outlines for the tests of the grammar."""

from typing import Any
from uuid import UUID, uuid5

SPACE = UUID("6a3e4c7e-9a0a-4c1e-8a53-5d6a0b9f7c11")


def uid(name: str) -> str:
    return str(uuid5(SPACE, name))


def node(name: str, parent: str | None, node_type: str, level: int, **fields: Any) -> dict[str, Any]:
    metadata = fields.pop("metadata", {"estimated_minutes": 60} if node_type in {"task", "sub_task"} else {})
    waits = [
        {"node_id": uid(item)} if isinstance(item, str) else {**item, "node_id": uid(item["node_id"])}
        for item in fields.pop("after", ())
    ]
    return {
        "id": uid(name),
        "parent_id": None if parent is None else uid(parent),
        "node_type": node_type,
        "level": level,
        "title": fields.pop("title", f"The {name}"),
        "dependencies": waits,
        "metadata": metadata,
        **fields,
    }


def outline(*nodes: dict[str, Any], root: str = "goal", **fields: Any) -> dict[str, Any]:
    return {"root_id": uid(root), "nodes": list(nodes), **fields}


def two_phases(**changes: dict[str, Any]) -> dict[str, Any]:
    """A right outline: two phases with two tasks each; `changes` are fields by node name."""
    nodes = {
        "goal": node("goal", None, "goal", 1),
        "one": node("one", "goal", "phase", 2),
        "two": node("two", "goal", "phase", 2, after=["one"]),
        "a": node("a", "one", "task", 3),
        "b": node("b", "one", "task", 3, after=["a"]),
        "c": node("c", "two", "task", 3),
        "d": node("d", "two", "task", 3, after=["c"]),
    }
    for name, fields in changes.items():
        nodes[name] |= fields
    return outline(*nodes.values())
