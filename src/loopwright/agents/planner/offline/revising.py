"""What the user says after a draft: other terms, and tasks that are to go or to come."""

import re
from dataclasses import replace
from typing import Any

from loopwright.agents.planner.contracts.pattern import KNOWN_SUBTYPES
from loopwright.agents.planner.offline.change import Change
from loopwright.agents.planner.offline.goal import Goal
from loopwright.agents.planner.offline.language import language
from loopwright.agents.planner.offline.replanning import understand_change
from loopwright.agents.planner.offline.state import View

PROPOSED = re.compile(r"\bproposed:([a-z][a-z0-9_]{0,62})\b")
OPENING = re.compile(r"^\s*(?:please\s+)?(?:propose\s+)?changes?\s*:\s*", re.IGNORECASE)


def proposed_subtype(view: View, goal: Goal) -> dict[str, str]:
    """The subtype that the user names, with its rationale where it is a new one; nothing where none is named."""
    match = PROPOSED.search(str(view.state.get("goal_text") or "").lower())
    slug = match[1] if match else re.sub(r"\W+", "_", (goal.own_kind or "").lower()).strip("_")
    if slug in KNOWN_SUBTYPES:
        return {"subtype": slug}
    if not slug or view.state.get("rfc_decision") == "rejected":
        return {}
    name = slug.replace("_", " ")
    return {
        "subtype": f"proposed:{slug}",
        "rfc": f"The user proposes the subtype {name!r} for “{goal.title}”. The nearest known pattern is "
        f"{goal.pattern.replace('_', ' ')}; none of its known subtypes says what is special about it.",
    }


def roadmap_wish(view: View) -> str:
    """How the user wants the work laid out, where they say so; else as the outline has it."""
    said = " ".join(str(view.state.get(name) or "") for name in ("goal_text", "answers")).lower()
    for option, template in language().raw["roadmap_wishes"]:
        if language().pattern(template).search(said):
            return str(option)
    return "as_written"


def change_of(view: View, goal: Goal, tasks: list[dict[str, Any]]) -> Change | None:
    """The change that the user's last message asks for; the goal itself and a yes are none."""
    text = OPENING.sub("", view.wish)
    said = str(view.state.get("goal_text") or "")
    if not text.strip() or text.strip() == said.strip() or said.strip() in text:
        return None
    change = understand_change(text, {"tasks": tasks}, goal.start, goal.zone)
    return None if change.kind == "unclear" else change


def revised_goal(view: View) -> Goal:
    """The goal with the terms that the user's last message changes.

    Raises:
        InvalidInput: the text holds no goal.
    """
    goal = view.goal()
    change = change_of(view, goal, [])
    if change is None:
        return goal
    if change.kind == "capacity":
        return replace(
            goal, minutes_per_week=change.minutes_per_week, minutes_per_day=change.minutes_per_day, total_minutes=None
        )
    if change.kind == "deadline" and change.until is not None:
        return replace(goal, deadline=max(change.until, goal.start))
    if change.kind == "days":
        excluded = tuple(sorted({*goal.excluded_days, *change.excluded_weekdays}))
        return replace(goal, days=change.weekdays or goal.days, excluded_days=excluded)
    return goal


def revised_outline(view: View, outline: dict[str, Any]) -> dict[str, Any]:
    """The outline without the tasks that the user does not want, and with those that they add."""
    tasks = [node for node in outline["nodes"] if node["type"] == "task"]
    change = change_of(view, view.goal(), tasks)
    if change is None:
        return outline
    nodes = list(outline["nodes"])
    if change.kind == "skip":
        nodes = _without(nodes, set(change.node_ids))
    elif change.kind == "add" and change.title:
        holder = tasks[-1]["parent"]
        level = tasks[-1]["level"]
        nodes.append(
            {
                "id": "added",
                "level": level,
                "type": "task",
                "title": change.title[:1].upper() + change.title[1:],
                "parent": holder,
                "estimated_minutes": change.minutes or 60,
                "priority": 2,
                "tags": ["user"],
            }
        )
    effort = sum(node.get("estimated_minutes", 0) * node.get("occurrences", 1) for node in nodes)
    return {**outline, "nodes": nodes, "effort_minutes": effort}


def _without(nodes: list[dict[str, Any]], gone: set[str]) -> list[dict[str, Any]]:
    """Without these tasks; a part keeps its last task, and nothing waits for what is gone."""
    for key in sorted(gone):
        parent = next((node["parent"] for node in nodes if node["id"] == key), None)
        if sum(1 for node in nodes if node["parent"] == parent) < 2:
            continue
        nodes = [
            {**node, "dependencies": [link for link in node.get("dependencies", []) if link["node"] != key]}
            for node in nodes
            if node["id"] != key
        ]
    return nodes
