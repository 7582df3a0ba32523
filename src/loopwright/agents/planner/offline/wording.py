"""Titles of nodes: a family's words with the goal's facts in them."""

import re

from loopwright.agents.planner.offline.family import Family
from loopwright.agents.planner.offline.goal import Goal

SLOT = re.compile(r"\{([a-z_]+)\}")
MOST_TITLE, LEAST_TITLE = 160, 2


def facts_of(goal: Goal, family: Family) -> dict[str, str]:
    """What may stand in braces in a family's titles; an unknown fact leaves a title that reads well without it."""
    target = goal.target or (str(goal.sum) if goal.sum else "")
    return {
        "title": goal.title or family.title,
        "subject": goal.subject or family.subject,
        "to_level": _to_level(goal.level),
        "in_target": (f" {target}" if target.startswith(("under", "from")) else f": {target}") if target else "",
        "distance": goal.distance or family.facts.get("distance", family.subject),
        "in_place": f" in {goal.place}" if goal.place and goal.place[0].isupper() else "",
        "to_place": f" to {goal.place}" if goal.place and goal.place[0].isupper() else "",
        "sum": str(goal.sum) if goal.sum else family.facts.get("sum", "the sum"),
        "within_budget": f" within {goal.budget}" if goal.budget else "",
    }


def _to_level(level: str | None) -> str:
    """` to B1`, ` to fluency`."""
    spoken = {"fluent": "fluency", "conversational": "a conversational level"}
    return f" to {spoken.get(level, level)}" if level else ""


def worded(template: str, facts: dict[str, str], number: int | None = None) -> str:
    """The title of a node: facts filled in once (what they contain is not looked at again), of a legal length."""
    values = {**facts, "n": "" if number is None else str(number)}
    text = SLOT.sub(lambda match: values.get(match[1], match[0]), template)
    text = " ".join(text.split())
    text = text[:1].upper() + text[1:]
    if len(text) > MOST_TITLE:
        text = text[: MOST_TITLE - 1].rstrip() + "…"
    return text if len(text) >= LEAST_TITLE else "Goal"
