"""What the playbook does in each stage: the next tool with its arguments, or the closing words."""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from datetime import timedelta
from typing import Any

from loopwright.agents.planner.offline.capacity import capacity_of
from loopwright.agents.planner.offline.family import GENERIC, Family, families
from loopwright.agents.planner.offline.goal import Goal
from loopwright.agents.planner.offline.hours import hours_words
from loopwright.agents.planner.offline.language import language
from loopwright.agents.planner.offline.outline_making import make_outline
from loopwright.agents.planner.offline.replanning import understand_change
from loopwright.agents.planner.offline.revising import (
    proposed_subtype,
    revised_goal,
    revised_outline,
    roadmap_wish,
)
from loopwright.agents.planner.offline.state import View
from loopwright.kernel.playbook import OfflineReply

MOST_DAYS_OFF = 366
Move = Callable[[View], OfflineReply]


def call(name: str, **arguments: Any) -> OfflineReply:
    """One tool call."""
    return OfflineReply(tool_calls=((name, arguments),))


def facts_of_goal(goal: Goal) -> dict[str, Any]:
    """What the goal says about time, as the tools take it."""
    capacity = capacity_of(goal)
    facts: dict[str, Any] = {
        "start": goal.start.isoformat(),
        "hours": hours_words(goal),
        "hours_per_week": capacity.minutes_per_week / 60,
    }
    if goal.deadline is not None:
        facts["deadline"] = goal.deadline.isoformat()
    if capacity.minutes_per_day is not None:
        facts["minutes_per_day"] = capacity.minutes_per_day
    if language().pattern(language().raw["relaxed"]).search(goal.text.lower()):
        facts["mode"] = "relax"
    if goal.level is not None:
        facts["level"] = goal.level
    days = [
        (start + timedelta(days=step)).isoformat()
        for start, end in goal.away
        for step in range(min(MOST_DAYS_OFF, (end - start).days + 1))
    ]
    if days:
        facts["days_off"] = days
    return facts


def family_for(view: View, goal: Goal) -> Family:
    """The goal's family; where another pattern was decided on, the general family of that pattern."""
    pattern = view.state.get("pattern")
    decided = pattern.get("pattern_type") if isinstance(pattern, Mapping) else None
    family = families()[goal.family]
    return family if decided in (None, family.pattern) or decided not in GENERIC else families()[GENERIC[decided]]


def collect_context(view: View) -> OfflineReply:
    """Choose the pattern, ask for the style where that is liked, then for what is missing."""
    goal = revised_goal(view)
    facts = facts_of_goal(goal)
    if "pattern_selector" not in view.called:
        proposal = proposed_subtype(view, goal)
        subtype = {"subtype": goal.subtype} if goal.subtype and not proposal else proposal
        return call("pattern_selector", pattern_type=goal.pattern, facts=facts, **subtype)
    policy = view.state.get("policy")
    curious = isinstance(policy, Mapping) and int(policy.get("probing_depth") or 0) >= 2
    known = bool(view.state.get("policy_was_given")) or "preference_probe" in view.called
    if curious and not known and "preference_probe" in (view.state.get("tools") or ()):
        return call("preference_probe")
    if "context_elicitor" not in view.called:
        questions = [
            {"question": item.question, "type": "text", "context": item.why, "default": item.default}
            for item in goal.questions[:8]
        ]
        return call("context_elicitor", questions=questions, facts=facts, enough=not questions)
    told = [f"I read it as: {families()[goal.family].title.lower()}.", *goal.problems, *goal.notes]
    return OfflineReply(text=" ".join(told))


def draft_outline(view: View) -> OfflineReply:
    """Write the outline, have the grammar look at it; on a second visit have the mends applied."""
    goal = revised_goal(view)
    again = bool(view.state.get("has_outline")) and bool(view.state.get("violations"))
    if again and "grammar_validator" not in view.called:
        return call("grammar_validator", artifact="outline", apply_fixes=True)
    if again:
        return OfflineReply(text="I mended what the grammar found.")
    if not view.state.get("pattern") and "pattern_selector" not in view.called:
        return call("pattern_selector", pattern_type=goal.pattern, facts=facts_of_goal(goal))
    outline = revised_outline(view, make_outline(goal, family_for(view, goal)))
    if "node_generator" not in view.called:
        return call("node_generator", outline=outline, confidence=max(goal.confidence, 0.7))
    if "grammar_validator" not in view.called:
        return call("grammar_validator", artifact="outline")
    tasks = sum(1 for node in outline["nodes"] if node["type"] == "task")
    hours = outline["effort_minutes"] / 60
    return OfflineReply(text=" ".join([f"The outline has {tasks} tasks and {hours:.0f} hours.", *outline["notes"]]))


def draft_roadmap(view: View) -> OfflineReply:
    """Links as the outline has them, then the roadmap with its options."""
    goal = revised_goal(view)
    again = bool(view.state.get("has_roadmap")) and bool(view.state.get("violations"))
    if again and "grammar_validator" not in view.called:
        return call("grammar_validator", artifact="roadmap", apply_fixes=True)
    if again:
        return OfflineReply(text="I mended the roadmap.")
    if "dependency_resolver" not in view.called:
        return call("dependency_resolver", dependencies=[], infer=False)
    if "roadmap_builder" not in view.called:
        hours = capacity_of(goal).minutes_per_week / 60
        budget = str(goal.budget) if goal.budget else ""
        return call(
            "roadmap_builder",
            choose=_way(view, goal),
            scope=goal.title,
            cadence=f"{hours:g} hours a week",
            budget=budget,
        )
    kept = "keeps the order of the outline" if _way(view, goal) == "as_written" else "is laid out as you wish"
    return OfflineReply(text=f"The roadmap {kept}; the other ways are noted with it.")


def _way(view: View, goal: Goal) -> str:
    """The wish of the user; phases that do not follow each other have nothing to overlap."""
    wish = roadmap_wish(view)
    ordered = any(part.get("after") for part in family_for(view, goal).parts)
    return wish if ordered or wish != "overlapping" else "as_written"


def draft_schedule(view: View) -> OfflineReply:
    """Schedule, then look at the other plans."""
    if "schedule_generator" not in view.called:
        return call("schedule_generator")
    if "portfolio_probe" not in view.called:
        return call("portfolio_probe")
    return OfflineReply(text="The schedule stands and was checked against your other plans.")


def seek_approval(view: View) -> OfflineReply:
    """Hand the user's words over, or ask."""
    if "approval_handler" not in view.called:
        return call("approval_handler", step="final", **({"feedback": view.wish} if view.wish else {}))
    return OfflineReply(text="Reply 'approve' or 'propose changes: …'.")


def replan(view: View) -> OfflineReply:
    """The change as understood, as JSON in the text: the controller acts on it."""
    goal = view.goal()
    tasks = view.state.get("schedule_summary") or []
    rows = tasks.get("tasks", []) if isinstance(tasks, Mapping) else tasks
    summary = {"tasks": [{"id": row.get("node_id", row.get("id")), **row} for row in rows if isinstance(row, Mapping)]}
    change = understand_change(view.wish, summary, goal.start, goal.zone)
    told = {name: value for name, value in asdict(change).items() if value not in (None, ())}
    return OfflineReply(text=json.dumps(told, default=str, ensure_ascii=False))


STAGES: Mapping[str, Move] = {
    "collect-context": collect_context,
    "draft-outline": draft_outline,
    "draft-roadmap": draft_roadmap,
    "draft-schedule": draft_schedule,
    "seek-approval": seek_approval,
    "replan": replan,
}
"""The rules of each stage, by the name of its prompt."""
