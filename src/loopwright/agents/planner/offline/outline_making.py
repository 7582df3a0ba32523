"""From a goal and its family to an outline in the schema that a model would answer in."""

import math
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

from loopwright.agents.planner.offline.capacity import Capacity, capacity_of
from loopwright.agents.planner.offline.family import Family, families
from loopwright.agents.planner.offline.goal import Goal, horizon_of
from loopwright.agents.planner.offline.hours import longest_session
from loopwright.agents.planner.offline.parts import Part, lay_out, scaled_shares
from loopwright.agents.planner.offline.scaling import FILL, Room, fit
from loopwright.agents.planner.offline.sessions import Stretch, rrule_of
from loopwright.agents.planner.offline.wording import facts_of, worded
from loopwright.agents.planner.offline.work import GRID, Work, works_of

MOST_NODES = 120
MUST_MINUTES = 60
MINUTES_A_DAY = 24 * 60


def make_outline(goal: Goal, family: Family | None = None) -> dict[str, Any]:
    """The outline: nodes with string ids, the pattern, and notes on how the effort fits the time.

    `effort_minutes` is all work, `available_minutes` all time from start to deadline; `notes` say so where they differ
    by more than a fifth, and what was assumed.
    """
    family = family or families()[goal.family]
    first, last = horizon_of(goal)
    capacity = capacity_of(goal, family)
    weeks = ((last - first).days + 1) / 7
    parts = lay_out(family.parts, weeks)
    works: dict[str, list[Work]] = {}
    for part in scaled_shares(parts):
        works[part.key] = _fitted(part, goal, family, capacity, first, last)
    _add_musts(goal, works)
    facts = facts_of(goal, family)
    nodes = [_root(goal, family, facts)]
    for part in parts:
        _add_part(part, "goal", 2, works, nodes, facts, family, (first, last))
    nodes = _limited([_eased(node, 8 - len(goal.allowed_days)) for node in nodes])
    effort = sum(node.get("estimated_minutes", 0) * node.get("occurrences", 1) for node in nodes)
    return {
        "root_id": "goal",
        "nodes": nodes,
        "pattern": _pattern(family, goal),
        "effort_minutes": effort,
        "available_minutes": capacity.total,
        "notes": [
            *goal.notes,
            *goal.problems,
            *family.assumptions,
            *_assumed(goal, family),
            *capacity.notes,
            *_verdict(effort, capacity, weeks),
        ],
    }


def _fitted(part: Part, goal: Goal, family: Family, capacity: Capacity, first: date, last: date) -> list[Work]:
    begin, end = part.days(first, last)
    stretch = Stretch(begin, end, goal.allowed_days, goal.away)
    # A part that lies where the user is away has less time than its share.
    there = capacity.on_days(len(stretch.dates(goal.allowed_days)))
    room = Room(
        minutes=min(capacity.plannable * part.share * float(part.raw.get("load", 1.0)), there),
        stretch=stretch,
        minutes_per_day=capacity.minutes_per_day,
        session_minutes=goal.session_minutes,
        longest=longest_session(goal),
    )
    raw = {key: value for key, value in part.raw.items() if key != "parts"}
    distance = family.facts.get("kilometres", {}).get(goal.distance or "")
    works = works_of(part.key, raw, room.minutes / 60, distance)
    works = [_as_often(work, goal) for work in works]
    # Who looks back does so at the end: a review has nothing to say on the first day.
    dates = stretch.dates(goal.allowed_days)
    late = dates[len(dates) * 3 // 4] if dates else begin
    return [replace(work, first=late if work.review else work.first or begin) for work in fit(works, room)]


def _as_often(work: Work, goal: Goal) -> Work:
    """The habit itself comes as often as the user says; what goes with it as the family has it."""
    wanted = goal.times_per_week
    if goal.pattern != "recurring_cycle" or wanted is None or work.priority > 1 or not 1 <= work.times < wanted <= 7:
        return work
    return replace(work, times=wanted, most_times=max(wanted, work.most_times))


def _root(goal: Goal, family: Family, facts: dict[str, str]) -> dict[str, Any]:
    return {"id": "goal", "level": 1, "type": "goal", "title": worded(family.root, facts), "parent": None}


def _pattern(family: Family, goal: Goal) -> dict[str, Any]:
    return {
        "pattern_type": family.pattern,
        "subtype": family.subtype,
        "confidence": goal.confidence,
        "introduced_by": "system",
    }


def _add_part(
    part: Part,
    parent: str,
    level: int,
    works: dict[str, list[Work]],
    nodes: list[dict[str, Any]],
    facts: dict[str, str],
    family: Family,
    horizon: tuple[date, date],
) -> None:
    """The node of a part and of all that lies in it; a sub-goal whose tasks are all gone goes too."""
    node: dict[str, Any] = {
        "id": part.key,
        "level": level,
        "type": part.raw["type"],
        "title": worded(part.raw["title"], facts, part.number),
        "parent": parent,
    }
    if part.links:
        node["dependencies"] = [_part_link(link, nodes, horizon) for link in part.links]
    if part.raw["type"] == "cycle":
        node["recurrence"] = part.raw.get("cadence", "weekly")
    begin, end = part.days(*horizon)
    node["window"] = {"start": begin.isoformat(), "end": end.isoformat()}
    nodes.append(node)
    own = works.get(part.key, [])
    nodes += [_task(work, level + 1, facts) for work in own if work.holder == part.key]
    for sub_goal in part.raw.get("sub_goals", ()):
        key = f"{part.key}_{sub_goal['key']}"
        held = [work for work in own if work.holder == key]
        if held:
            nodes.append(_sub_goal(key, part.key, level + 1, sub_goal, facts))
            nodes += [_task(work, level + 2, facts) for work in held]
    for inner in part.parts:
        _add_part(inner, part.key, level + 1, works, nodes, facts, family, horizon)


def _part_link(link: tuple[str, str, float], nodes: list[dict[str, Any]], horizon: tuple[date, date]) -> dict[str, Any]:
    other, kind, lag_share = link
    window = next(node["window"] for node in nodes if node["id"] == other)
    span = date.fromisoformat(window["end"]) - date.fromisoformat(window["start"]) + timedelta(days=1)
    days = min(60, round(span.days * lag_share))
    return {"node": other, "type": kind, "lag_minutes": days * MINUTES_A_DAY}


def _eased(node: dict[str, Any], days: int) -> dict[str, Any]:
    """The part with shorter waits behind a beginning: the first day of work may be a late one."""
    links = [
        {**link, "lag_minutes": max(0, link["lag_minutes"] - days * MINUTES_A_DAY)}
        if link["type"] == "start_to_start"
        else link
        for link in node.get("dependencies", ())
    ]
    return {**node, "dependencies": links} if links else node


def _sub_goal(key: str, parent: str, level: int, raw: dict[str, Any], facts: dict[str, str]) -> dict[str, Any]:
    title = worded(raw["title"], facts)
    node = {"id": key, "level": level, "type": "sub_goal", "title": title, "parent": parent}
    if raw.get("stream"):
        node["stream"] = raw["stream"]
    return node


def _task(work: Work, level: int, facts: dict[str, str]) -> dict[str, Any]:
    node: dict[str, Any] = {
        "id": work.key,
        "level": level,
        "type": "task",
        "title": worded(work.template, facts, work.number),
        "parent": work.holder,
        "estimated_minutes": work.minutes,
        "priority": work.priority,
    }
    if not work.times:
        # Without it, what lies in a cycle is taken to come again with the cycle.
        node["occurrences"] = 1
    if work.review and work.first is not None:
        node["earliest"] = work.first.isoformat()
    if work.times:
        node["recurrence"], node["rrule"] = work.recurrence, rrule_of(work)
        node["occurrences"] = work.occurrences
        node["earliest"] = work.first.isoformat() if work.first else None
    elif work.splittable and work.minutes > GRID:
        node["splittable"] = True
        node["metadata"] = {"min_block_minutes": GRID}
    if work.after:
        node["dependencies"] = [{"node": key, "type": "finish_to_start", "lag_minutes": 0} for key in work.after]
    if work.stream:
        node["stream"] = work.stream
    if work.tags:
        node["tags"] = list(work.tags)
    return node


def _add_musts(goal: Goal, works: dict[str, list[Work]]) -> None:
    """What the user insists on becomes a task of the largest part."""
    if not goal.must_haves or not works:
        return
    largest = max(works, key=lambda key: sum(work.total for work in works[key]))
    holder = works[largest][0].holder
    works[largest] += [
        Work(
            key=f"{largest}_must_{number}",
            template=f"Must not be missing: {words}".replace("{", "(").replace("}", ")"),
            holder=holder,
            base=MUST_MINUTES,
            low=MUST_MINUTES,
            high=MUST_MINUTES,
            minutes=MUST_MINUTES,
            priority=1,
            tags=("must_have",),
        )
        for number, words in enumerate(goal.must_haves, start=1)
    ]


def _limited(nodes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """At most as many nodes as the schema takes: the least important leaves go first, with what names them."""
    while len(nodes) > MOST_NODES:
        parents = [node["parent"] for node in nodes]
        spare = [n for n in nodes if n["type"] == "task" and parents.count(n["parent"]) > 1]
        gone = max(spare, key=lambda node: (node["priority"], node["id"]))
        nodes = [node for node in nodes if node is not gone]
        for node in nodes:
            if "dependencies" in node:
                node["dependencies"] = [link for link in node["dependencies"] if link["node"] != gone["id"]]
    return nodes


def _assumed(goal: Goal, family: Family) -> list[str]:
    found = []
    if goal.deadline is None:
        found.append(f"No deadline was named: I planned {family.weeks} weeks.")
    if goal.minutes_per_week is None and goal.minutes_per_day is None and goal.total_minutes is None:
        found.append(f"No amount of time was named: I planned {family.hours_per_week:g} hours a week.")
    return found


def _verdict(effort: int, capacity: Capacity, weeks: float) -> list[str]:
    """What is to be said when effort and time differ by more than a fifth."""
    have, need = capacity.total / 60, effort / 60
    if effort > capacity.total:
        longer = math.ceil(weeks * effort / max(capacity.total, 1) / FILL)
        hourly = math.ceil(need / FILL / max(weeks, 0.15))
        told = (
            f"This does not fit: even the shortest sensible plan takes {need:.1f} hours, and there are {have:.1f}. "
            f"It would fit with about {hourly} hours a week, or in about {longer} weeks."
        )
        return [told]
    if effort < 0.8 * capacity.total:
        told = (
            f"The plan needs about {need:.0f} of your {have:.0f} hours: more sessions would not help much, "
            "so the rest stays free, for rest or for a second goal."
        )
        return [told]
    return []
