"""The ways out of a plan without a schedule as they are offered: in the user's language, and never against them."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from loopwright.agents.planner.contracts.state import GoalFacts, PlanningState
from loopwright.agents.planner.facts.phrases import Phrases, phrases_for

SHOWN = 6
TERMS = {
    "minutes_per_week": "hours_per_week",
    "minutes_per_day": "minutes_per_day",
    "end": "deadline",
    "latest": "deadline",
    "longer_hours": "hours",
    "hours": "hours",
    "earliest": "start",
    "unblock": "days_off",
    "unlink": "order",
}
"""Which of the goal's terms a change of the problem touches, by what it sets."""
LOSSES = frozenset({"drop"})
DAYS = frozenset({"days", "days_off", "hours"})
"""Terms of which each is taken back by work at other hours."""


def ways_of(state: PlanningState) -> dict[str, dict[str, Any]]:
    """The ways out by what is offered: those that take back nothing first.

    What would take back the very words of the change that is being made is offered by nobody.
    """
    asked, touched = _just_asked(state), _just_named(state)
    ways = [each for each in state.relaxations if not any(term in asked for term in _terms(each.get("change")))]
    ways = [each for each in ways if not any(name in str(each.get("change")) for name in touched)]
    ways.sort(key=lambda each: takes_back(each.get("change"), state.goal))
    say, titles = phrases_for(state.goal), _titles(state)
    return {_told(each, say, titles): each for each in ways[:SHOWN]}


def cause_of(state: PlanningState) -> str:
    """Why there is no schedule, in the user's language; the details are those of the engine, in English."""
    cause, say = state.cause or {}, phrases_for(state.goal)
    text = str(cause.get("text") or state.escalate_reason or "")
    if say.language == "en":
        return text or "There is no schedule."
    needed, there = cause.get("needed_minutes"), cause.get("available_minutes")
    titles = _titles(state)
    names = dict.fromkeys(titles.get(str(name).partition("#")[0], "") for name in cause.get("task_ids") or ())
    what = "; ".join([name for name in names if name][:4])
    if isinstance(needed, int) and isinstance(there, int) and needed > there:
        return say.text("too_little", what=what, needed=say.hours(needed / 60), there=say.hours(there / 60))
    return say.text("not_placed" if is_unproved(state) else "no_place", what=what)


def is_unproved(state: PlanningState) -> bool:
    """Whether no schedule was found, and none proved impossible either."""
    return (state.cause or {}).get("kind") == "unproved"


def takes_back(change: Any, goal: GoalFacts) -> bool:
    """Whether a change goes against a term that the user has stated, or leaves work out."""
    if not isinstance(change, Mapping):
        return True
    if change.get("set") == "all":
        return any(takes_back(part, goal) for part in change.get("changes", ()))
    name = str(change.get("set"))
    term = TERMS.get(name)
    if name == "latest" and goal.deadline is not None:  # the days of a part are nobody's words but the plan's own
        day = str(change.get("value") or change.get("to") or change.get("latest") or "")[:10]
        return not day or day > goal.deadline.isoformat()
    days = name == "hours" and "days_off" in goal.stated
    return name in LOSSES or term in goal.stated or days


def _terms(change: Any) -> set[str]:
    """The terms that a change touches."""
    if not isinstance(change, Mapping):
        return set()
    if change.get("set") == "all":
        return {term for part in change.get("changes", ()) for term in _terms(part)}
    term = TERMS.get(str(change.get("set")), "")
    return set(DAYS) if term in DAYS else {term}


def _just_asked(state: PlanningState) -> set[str]:
    """The terms that differ from those of the settled plan."""
    if state.settled is None:
        return set()
    old, new = GoalFacts.model_validate(state.settled["goal"]), state.goal
    changed = {
        name for name in ("hours_per_week", "deadline", "start", "hours") if getattr(old, name) != getattr(new, name)
    }
    return changed | {name for name in (*DAYS, "minutes_per_day") if old.facts.get(name) != new.facts.get(name)}


def _just_named(state: PlanningState) -> list[str]:
    """The tasks that the change which is being made says something of."""
    return [str(name) for name in state.adaptation_log[-1].node_ids] if state.settled and state.adaptation_log else []


def _titles(state: PlanningState) -> dict[str, str]:
    return {str(node.id): node.title for node in (state.roadmap.nodes if state.roadmap is not None else ())}


def _told(way: Mapping[str, Any], say: Phrases, titles: Mapping[str, str]) -> str:
    """A way out as it is offered; in English the engine's own words."""
    change = way.get("change")
    if say.language == "en" or not isinstance(change, Mapping):
        return str(way["text"])
    if change.get("set") == "all":
        parts = [_told({"text": "", "change": part}, say, titles) for part in change.get("changes", ())]
        shown = [part for part in dict.fromkeys(parts) if part][:4]
        return ", ".join(shown) or str(way["text"])
    value, title = change.get("to"), titles.get(str(change.get("task")).partition("#")[0], "")
    match change.get("set"):
        case "minutes_per_week":
            return say.weekly(float(value or 0) / 60)
        case "minutes_per_day":
            return say.daily(float(value or 0) / 60)
        case "end":
            return say.by(datetime.fromisoformat(str(value)).date())
        case "latest" | "earliest" | "minutes" | "drop" | "splittable" as name:
            day = str(value)[:10] if name in ("latest", "earliest") else value
            return say.text(f"way_{name}", title=title, n=day)
        case "longer_hours":
            return say.text("way_longer", n=change.get("minutes"))
        case "hours":
            return say.text("way_day", n=change.get("date"))
        case _:
            return str(way["text"])
