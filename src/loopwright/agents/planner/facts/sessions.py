"""A plan whose sessions are counted without a name ("3 sessions a week of 45 minutes", "20 minutes every day").

Each session is a day of the week with the stated length; the tasks of the roadmap fill the sessions in their order, a
long one takes several, what recurs fills the rest. So no week has one more or one less, and none is a fragment.
"""

import math
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from uuid import uuid5

from loopwright.agents.planner.contracts.plan import PlanNode, Roadmap
from loopwright.agents.planner.contracts.state import GoalFacts
from loopwright.agents.planner.facts.draft import Draft
from loopwright.agents.planner.facts.items import ANY_SESSION
from loopwright.agents.planner.outline_of_sketch import spread
from loopwright.agents.planner.problem_tasks import HOURS, SLOT, WINDOW
from loopwright.agents.planner.roadmap_options import recurring_source
from loopwright.agents.planner.stated import DAILY, SESSIONS, SITTING, TOTAL
from loopwright.agents.planner.terms import read_terms

QUARTER = 15
USUAL, LONGEST = 60, 120
MOST_SESSIONS = 800
PACE = 0.75
"""Single work of a part begins by this share of the part's days: the rest is space for what takes longer."""
DAY, WEEK = timedelta(days=1), timedelta(weeks=1)


def session_days(goal: GoalFacts) -> list[int]:
    """The days of the week with a session, where sessions are counted without a name; else none."""
    count = next((int(count) for words, count in goal.facts.get(SESSIONS, []) if words == ANY_SESSION), 0)
    named = any(words != ANY_SESSION for words, _ in goal.facts.get(SESSIONS, []))
    open_days = sorted({window.weekday for window in read_terms(goal).calendar.windows})
    if goal.facts.get(DAILY) and not named:
        return open_days
    weekly = weekly_of_total(goal) if not count and not named else None
    if weekly is not None:
        count = math.ceil(weekly / int(goal.facts.get(SITTING) or goal.facts.get("minutes_per_day") or LONGEST))
    if count:
        return spread(open_days, set(), count) if count < len(open_days) else open_days
    return []


def weekly_of_total(goal: GoalFacts) -> float | None:
    """Minutes a week of a stated total: at the stated rate, else evenly until the last day; None without a total."""
    total, terms = goal.facts.get(TOTAL), read_terms(goal)
    if not total or terms.deadline is None:
        return None
    if goal.hours_per_week and "hours_per_week" in goal.stated:
        return goal.hours_per_week * 60
    return float(total) * 60 / max(1.0, (terms.deadline - terms.start) / WEEK)


def roadmap_with_sessions(roadmap: Roadmap, goal: GoalFacts) -> tuple[Roadmap, list[str]]:
    """The roadmap with a task for each session, or with its single work spread over the days of its part.

    Args:
        roadmap: each part at the top has the window of its days.
        goal: its facts were read from the user's words.
    """
    draft = Draft.of(roadmap)
    days, last = session_days(goal), goal.deadline or _last_day(draft)
    if days and last is not None:
        _in_sessions(draft, goal, days, last)
    elif goal.deadline is not None:
        _paced(draft)
    return roadmap.model_copy(update={"nodes": list(draft.nodes.values())}), draft.notes


def session_minutes(goal: GoalFacts, count: int) -> int:
    """How long one session is: as stated, else what the hours of a day or of a week give, else an hour."""
    stated = goal.facts.get(SITTING) or goal.facts.get("minutes_per_day")
    if stated:
        return max(QUARTER, -(-int(stated) // QUARTER) * QUARTER) if goal.facts.get(SITTING) else int(stated)
    weekly = weekly_of_total(goal) or (goal.hours_per_week or 0) * 60
    if weekly:
        return max(QUARTER, min(2 * LONGEST, int(weekly / count) // QUARTER * QUARTER))
    return USUAL


def _last_day(draft: Draft) -> date | None:
    """Where nobody has said when the plan ends: the last day of its parts; None where not all have days."""
    windows = [part.metadata.get(WINDOW) or {} for part in draft.parts()]
    ends = [date.fromisoformat(str(window["after"])[:10]) for window in windows if window.get("after")]
    return max(ends) - DAY if ends and len(ends) == len(windows) else None


def _in_sessions(draft: Draft, goal: GoalFacts, days: Sequence[int], end: date) -> None:
    dates = list(_dates(goal, days, end))[:MOST_SESSIONS]
    parts = [part for part in draft.parts() if part.id in draft.nodes]
    minutes = session_minutes(goal, len(days))
    if goal.facts.get(TOTAL):
        most = max(1, round(float(goal.facts[TOTAL]) * 60 / minutes))
        dates = dates[-most:] if goal.appointments else dates[:most]  # what is learned for a day is fresh on that day
    tree = draft.tree
    timed = {day: leaf for leaf in draft.leaves() for day, _, _ in leaf.metadata.get(HOURS) or ()}
    for day in [each for each in dates if each.weekday() in timed]:  # what has its own time is that day's session
        _session(draft, timed[day.weekday()], "", day, minutes)
    left = _named_ones(draft, [day for day in dates if day.weekday() not in timed], minutes)
    for number, part in enumerate(parts):
        leaves = [leaf for leaf in tree.leaves(part) if leaf not in timed.values()]
        window = part.metadata.get(WINDOW) or {}
        after = date.fromisoformat(str(window.get("after"))[:10]) if window.get("after") else None
        last = number == len(parts) - 1
        mine = left if last else [day for day in left if after is None or day < after]
        mine = mine or left[:1]
        left = left[len(mine) :]
        once = [leaf for leaf in leaves if recurring_source(tree, leaf) is None]
        again = [leaf for leaf in leaves if recurring_source(tree, leaf) is not None]
        for day, (leaf, piece) in zip(mine, _filled(once, again, len(mine), minutes), strict=False):
            _session(draft, leaf, piece, day, minutes)
    for leaf in [each for each in draft.leaves() if not each.metadata.get(SLOT)]:
        if any(each.title.startswith(leaf.title) for each in draft.leaves() if each.metadata.get(SLOT)):
            draft.drop(leaf)
        else:
            draft.notes.append(f"“{leaf.title}” is left out: there are {len(dates)} sessions")
            draft.drop(leaf)
    for node in draft.nodes.values():
        node.dependencies = []
        if node.node_type == "cycle" or not node.metadata.get(SLOT):
            node.recurrence = "none" if node.node_type != "cycle" else node.recurrence
    goal.facts["days"] = list(days)


def _named_ones(draft: Draft, dates: list[date], minutes: int) -> list[date]:
    """What the user has named has sessions, in its order and spread over all of them; gives the days that are left."""
    own = [leaf for part in draft.parts() if part.metadata.get("own") for leaf in draft.tree.leaves(part)]
    own = [leaf for leaf in own if recurring_source(draft.tree, leaf) is None]
    left = list(dates)
    for number, leaf in enumerate(_in_order(draft, own), start=1):
        first, last = (str(leaf.metadata.get(name) or "")[:10] for name in ("earliest", "latest"))
        open_days = [day for day in left if first <= day.isoformat() and (not last or day.isoformat() <= last)]
        size = max(1, -(-int(leaf.metadata.get("estimated_minutes", USUAL)) // minutes))
        begin = min(len(open_days) * number // (len(own) + 1), max(0, len(open_days) - size))
        for piece, day in enumerate(open_days[begin : begin + size], start=1):
            _session(draft, leaf, f"({piece}/{size})" if size > 1 else "", day, minutes)
            left.remove(day)
    return left


def _in_order(draft: Draft, leaves: Sequence[PlanNode]) -> list[PlanNode]:
    """The leaves so that each comes behind what it waits for."""
    ordered: list[PlanNode] = []
    for leaf in leaves:
        place = min((n for n, each in enumerate(ordered) if draft.waits_for(each, leaf.id)), default=len(ordered))
        ordered.insert(place, leaf)
    return ordered


def _dates(goal: GoalFacts, days: Sequence[int], end: date) -> Iterator[date]:
    terms = read_terms(goal)
    day = terms.start.astimezone(terms.zone).date()
    while day <= end:
        if day.weekday() in days and terms.calendar.exceptions.get(day) != ():
            yield day
        day += DAY


def _filled(
    once: Sequence[PlanNode], again: Sequence[PlanNode], count: int, minutes: int
) -> Iterator[tuple[PlanNode, str]]:
    """The tasks of a part for its sessions, in order; too many single ones get fewer sessions, then the last go."""
    wanted = [max(1, -(-int(leaf.metadata.get("estimated_minutes", USUAL)) // minutes)) for leaf in once]
    while sum(wanted) > count and max(wanted, default=1) > 1:
        wanted[wanted.index(max(wanted))] -= 1
    while not again and once and sum(wanted) < count:
        wanted[wanted.index(min(wanted))] += 1
    work = [
        (leaf, f"({n}/{size})" if size > 1 else "")
        for leaf, size in zip(once, wanted, strict=True)
        for n in range(1, size + 1)
    ]
    free = count - len(work)
    for number in range(count):
        # Single work and what recurs take turns, so that neither waits for the end of the other.
        due = round((number + 1) * len(work) / count) if free > 0 else number + 1
        if due > round(number * len(work) / count) if free > 0 else number < len(work):
            place = round(number * len(work) / count) if free > 0 else number
            yield work[place]
        elif again:
            yield again[number % len(again)], ""


def _session(draft: Draft, leaf: PlanNode, piece: str, day: date, minutes: int) -> None:
    parent = leaf.parent_id or draft.root_id
    node = PlanNode(
        id=uuid5(leaf.id, day.isoformat()),
        parent_id=parent,
        node_type="task",
        level=leaf.level,
        title=f"{leaf.title} {piece}".strip()[:160],
        tags=leaf.tags,
        metadata={
            "estimated_minutes": minutes,
            "occurrences": 1,
            "earliest": day.isoformat(),
            "latest": day.isoformat(),
            "splittable": False,
            "priority": leaf.metadata.get("priority", 3),
            SLOT: True,
            **({HOURS: leaf.metadata[HOURS]} if leaf.metadata.get(HOURS) else {}),
        },
    )
    draft.nodes[node.id] = node


def _paced(draft: Draft) -> None:
    """Single work of a part begins over the days of the part, not all at its beginning."""
    tree = draft.tree
    for part in draft.parts():
        window = part.metadata.get(WINDOW)
        if not isinstance(window, dict):
            continue
        first, after = (date.fromisoformat(str(window[name])[:10]) for name in ("first", "after"))
        once = [leaf for leaf in tree.leaves(part) if recurring_source(tree, leaf) is None]
        whole = sum(_minutes(leaf) for leaf in once)
        done = 0
        inside = {leaf.id for leaf in once}
        for leaf in once:
            if any(each.node_id not in inside for each in leaf.dependencies):
                continue  # it comes when what it waits for is done
            begin = first + timedelta(days=int((after - first).days * PACE * done / max(1, whole)))
            done += _minutes(leaf)
            latest = str(leaf.metadata.get("latest") or "9999-12-31")[:10]
            known = str(leaf.metadata.get("earliest") or "")[:10]
            if known < begin.isoformat() and latest > after.isoformat() and begin > first:
                leaf.metadata["earliest"] = begin.isoformat()


def _minutes(leaf: PlanNode) -> int:
    value = leaf.metadata.get("estimated_minutes", USUAL)
    return int(value) if isinstance(value, int) else USUAL
