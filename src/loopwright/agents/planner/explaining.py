"""Answers to "why is this here?" and "why not earlier?", from the plan itself."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from loopwright.agents.planner.contracts.plan import PlanNode, ScheduleBlock
from loopwright.agents.planner.contracts.state import PlanningState
from loopwright.agents.planner.effort_words import duration_words
from loopwright.agents.planner.problem_building import build_for, task_of
from loopwright.agents.planner.schedule.calendar import working_spans
from loopwright.agents.planner.schedule.problem import LIMITS, Block, Problem
from loopwright.kernel.errors import NotFound

QUARTER = timedelta(minutes=15)


def explain(state: PlanningState, question: str) -> dict[str, Any]:
    """What a task is there for, whom it waits for, and what would break if it lay earlier.

    Raises:
        NotFound: no scheduled task has these words in its title.
    """
    block = _find(state, question)
    outline = state.roadmap or state.plan_outline
    nodes: dict[UUID, PlanNode] = {node.id: node for node in outline.nodes} if outline is not None else {}
    node = nodes[block.plan_node_id]
    reasons = [f"{node.title} lies on {block.start:%A %d %B %Y, %H:%M}.", _purpose(node, nodes)]
    waits = [f"It comes after {nodes[each.node_id].title}." for each in node.dependencies if each.node_id in nodes]
    waits += [f"{other.title} waits for it." for other in nodes.values() if _needs(other, node.id)]
    told = [*reasons, *waits, why_not_earlier(state, block), *objective_lines(state)]
    return {"node_id": str(node.id), "title": node.title, "start": block.start, "reasons": told}


def objective_lines(state: PlanningState) -> list[str]:
    """What the schedule was made for, the most important aim first, and what came of each.

    Nothing where the state has no schedule, or one whose terms were not kept.
    """
    if state.schedule is None or "busiest_week_minutes" not in state.schedule.objective:
        return []
    terms = state.schedule.objective
    tasks, split = int(terms["most_tasks_on_a_day"]), int(terms["split_tasks"])
    told = {
        "whole": f"whole sessions: {split or 'no'} task{'s' * (split != 1)} in several blocks",
        "even_weeks": f"even weeks: at most {duration_words(round(terms['busiest_week_minutes']))} in a week",
        "even_days": (
            f"even days: at most {tasks} task{'s' * (tasks != 1)} and "
            f"{duration_words(round(terms['busiest_day_minutes']))} on a day, free days in between"
        ),
        "early": f"early: a task is done after {terms['mean_days_until_done']:.0f} days in the mean",
    }
    aims = build_for(state).problem.aims
    return ["Aims, in this order: your limits, which all hold; " + "; ".join(told[aim] for aim in aims) + "."]


def why_not_earlier(state: PlanningState, block: ScheduleBlock) -> str:
    """The nearest earlier free time, and the rule that it would break; or that it was a choice."""
    from loopwright.agents.planner.schedule.checker import check_schedule

    schedule = state.schedule
    if schedule is None:
        return "There is no schedule."
    problem: Problem = build_for(state).problem
    blocks = [Block(task_of(each), each.start, each.end) for each in schedule.blocks]
    own = Block(task_of(block), block.start, block.end)
    others = [each for each in blocks if each != own]
    taken = sorted((each.start, each.end) for each in others)
    length = block.end - block.start
    broken: str | None = None
    since = max(problem.start, state.replanned_at or problem.start)
    if block.start < since:
        return "It lies before the newest change, which moved nothing of the past."
    for start in _earlier_starts(problem, taken, since, block.start, length):
        violations = check_schedule(problem, [*others, Block(own.task_id, start, start + length)])
        if not violations:
            free = f"{start.astimezone(block.start.tzinfo):%A %d %B, %H:%M}"
            uneven = check_schedule(
                _evenly(problem, schedule.objective), [*others, Block(own.task_id, start, start + length)]
            )
            if uneven:
                return f"Your limits would allow {free}; an even spread does not: {uneven[0].text}"
            days = {each.start.astimezone(problem.calendar.zone).date() for each in others}
            if "even_days" in problem.aims and start.astimezone(problem.calendar.zone).date() not in days:
                return f"Your limits would allow {free}; an even spread keeps that day free."
            return f"It could lie on {free} as well: the order was a choice."
        broken = broken or violations[0].text
    if broken is not None:
        return f"It does not lie earlier, because then: {broken}"
    return "It does not lie earlier, because no time before it is free."


def _evenly(problem: Problem, terms: Mapping[str, float]) -> Problem:
    """The problem with the limits that an even spread was given."""
    limits: dict[str, Any] = {name: round(terms[f"{name}_limit"]) for name in LIMITS if f"{name}_limit" in terms}
    return replace(problem, calendar=replace(problem.calendar, **limits))


def _earlier_starts(
    problem: Problem, taken: list[tuple[datetime, datetime]], since: datetime, before: datetime, length: timedelta
) -> list[datetime]:
    """The last free start of each earlier working span, the nearest first; at most twelve."""
    found: list[datetime] = []
    if since >= before:
        return found
    for span in reversed(working_spans(problem.calendar, since, before)):
        start = span.end - length
        while start >= span.start and any(first < start + length and start < end for first, end in taken):
            start -= QUARTER
        if start >= span.start:
            found.append(start)
        if len(found) == 12:
            break
    return found


def _find(state: PlanningState, question: str) -> ScheduleBlock:
    blocks = sorted(state.schedule.blocks if state.schedule is not None else [], key=lambda each: each.start)
    words = question.lower().split()
    fitting = [block for block in blocks if all(word in block.title.lower() for word in words)]
    if not fitting:
        titles = ", ".join(dict.fromkeys(block.title for block in blocks[:12]))
        raise NotFound(f"No scheduled task is called {question[:80]!r}.", hint=f"There are: {titles} …")
    return fitting[0]


def _purpose(node: PlanNode, nodes: dict[UUID, PlanNode]) -> str:
    """The way up to the goal."""
    way: list[str] = []
    above = nodes.get(node.parent_id) if node.parent_id is not None else None
    while above is not None and len(way) < 12:
        way.append(above.title)
        above = nodes.get(above.parent_id) if above.parent_id is not None else None
    return f"It serves {' → '.join(way)}." if way else "It is the goal itself."


def _needs(node: PlanNode, node_id: UUID) -> bool:
    return any(each.node_id == node_id for each in node.dependencies)
