"""Fields and tools of earlier configs, read as what they became."""

from collections.abc import Mapping
from typing import Any

OLD_FIELDS = frozenset({"agent_id", "todo", "polling", "context_management", "$schema", "$extends"})
"""Top-level fields that are known without being fields of `JobConfig`."""

OLD_TOOLS: dict[str, tuple[str, ...]] = {
    "mark_complete": ("job_complete",),
    "archive_and_reset": ("todo_complete",),
}
"""What does the work of a tool that is no more."""

POLLED_TOOLS = {"requirements": ("next_requirements", "get_requirement", "list_requirements", "update_requirement")}
"""What does the work of polling a table: the job asks for rows itself, instead of being started with one."""

OLD_CATEGORIES = ("todo", "completion")
"""Tools of these categories go to the phases where ours of the same purpose belong."""


def translated(data: Mapping[str, Any], strategic_tools: frozenset[str]) -> dict[str, Any]:
    """One layer in today's fields; the old ones are kept beside, for who reads them.

    `agent_id` names the `job_type`; `todo.max_items` and `todo.archive_on_reset` are the phases' settings; the tool
    categories `todo` and `completion` are divided among the phases; a polled table becomes the tools that ask for its
    rows. What is of the wrong type is left as it is, for the check that names it.
    """
    result = dict(data)
    if "agent_id" in result:
        result.setdefault("job_type", result["agent_id"])
    todo = result.get("todo")
    if isinstance(todo, Mapping):
        settings = {
            new: todo[old]
            for old, new in (("max_items", "max_todos"), ("archive_on_reset", "archive_on_transition"))
            if old in todo
        }
        own = result.get("phase_settings")
        if settings:
            result["phase_settings"] = settings | (dict(own) if isinstance(own, Mapping) else {})
    tools = result.get("tools")
    if isinstance(tools, Mapping):
        result["tools"] = _translated_tools(tools, strategic_tools)
        _ask_instead_of_polling(result)
    return result


def _ask_instead_of_polling(layer: dict[str, Any]) -> None:
    polling, domain = layer.get("polling"), layer["tools"].get("domain")
    if isinstance(polling, Mapping) and isinstance(domain, list):
        asked = POLLED_TOOLS.get(str(polling.get("table")), ())
        domain += [name for name in asked if name not in domain]


def _translated_tools(tools: Mapping[str, Any], strategic_tools: frozenset[str]) -> dict[str, Any]:
    result = {category: _renamed(names) for category, names in tools.items()}
    for category in OLD_CATEGORIES:
        if not _are_names(result.get(category)):
            continue
        for name in result.pop(category):
            phase = "strategic" if name in strategic_tools else "tactical"
            known = result.setdefault(phase, [])
            if isinstance(known, list) and name not in known:
                known.append(name)
    return result


def _renamed(names: Any) -> Any:
    if not _are_names(names):
        return names
    return list(dict.fromkeys(new for name in names for new in OLD_TOOLS.get(name, (name,))))


def _are_names(names: Any) -> bool:
    return isinstance(names, list) and all(isinstance(name, str) for name in names)
