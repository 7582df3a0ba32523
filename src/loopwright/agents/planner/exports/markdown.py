"""A plan for people: goal, parts with their tasks, the dated list and a table for each week."""

import re
from collections import defaultdict
from collections.abc import Iterator
from datetime import UTC, date, timedelta
from uuid import UUID
from zoneinfo import ZoneInfo

from loopwright.agents.planner.contracts import PlanNode, PlanOutline, Roadmap, Schedule, ScheduleBlock
from loopwright.agents.planner.effort_words import duration_words, effort_words
from loopwright.agents.planner.exports.reading import plan_title, walk_nodes
from loopwright.agents.planner.schedule.problem_checks import load_zone

MARKUP = re.compile(r"([\\`*_\[\]<>|#~])")
WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
STATUS_MARKS = {"done": "x"}


def write_markdown(outline: PlanOutline, roadmap: Roadmap | None, schedule: Schedule | None) -> str:
    """Goal, parts with their tasks, the dated list and a table for each week.

    Raises:
        InvalidInput: the schedule's time zone is unknown.
    """
    plan = roadmap or outline
    lines = [f"# {escaped(plan_title(plan))}", "", *_facts(outline, roadmap, schedule), *_tree(plan)]
    if schedule is not None and schedule.blocks:
        zone = load_zone(schedule.timezone)
        days: dict[date, list[ScheduleBlock]] = defaultdict(list)
        for block in sorted(schedule.blocks, key=lambda block: block.start.astimezone(UTC)):
            days[block.start.astimezone(zone).date()].append(block)
        lines += [*_dated_list(days, zone), *_weeks(days, zone)]
    return "\n".join(lines).rstrip() + "\n"


def escaped(text: str) -> str:
    """Text in one line that shows as it is, whatever marks it holds."""
    return MARKUP.sub(r"\\\1", " ".join(text.split()))


def _facts(outline: PlanOutline, roadmap: Roadmap | None, schedule: Schedule | None) -> Iterator[str]:
    goal = next(node for node in outline.nodes if node.id == outline.root_id)
    if goal.description:
        yield from (escaped(goal.description), "")
    pattern = (roadmap and roadmap.pattern) or outline.pattern
    if pattern is not None:
        subtype = f" ({escaped(pattern.subtype)})" if pattern.subtype else ""
        yield f"- Pattern: {escaped(pattern.pattern_type.replace('_', ' '))}{subtype}"
    for assumption in outline.plan_context.assumptions:
        yield f"- Assumed: {escaped(assumption)}"
    for constraint in outline.plan_context.constraints:
        yield f"- Limit: {escaped(constraint)}"
    if schedule is not None and schedule.blocks:
        zone = load_zone(schedule.timezone)
        first = min(block.start.astimezone(UTC) for block in schedule.blocks).astimezone(zone)
        last = max(block.end.astimezone(UTC) for block in schedule.blocks).astimezone(zone)
        work = sum((block.end.astimezone(UTC) - block.start.astimezone(UTC) for block in schedule.blocks), timedelta())
        told = duration_words(work // timedelta(minutes=1))
        yield f"- From {first:%Y-%m-%d} to {last:%Y-%m-%d} ({schedule.timezone}), {told} of work"
        yield f"- Schedule: {schedule.status}{_gap(schedule)}"
    for appointment in schedule.appointments if schedule is not None else ():
        yield f"- {WEEKDAYS[appointment.date.weekday()]} {appointment.date.isoformat()}: {escaped(appointment.title)}"
    yield ""


def _gap(schedule: Schedule) -> str:
    if schedule.gap is None or schedule.status == "optimal":
        return ""
    return f", at most {schedule.gap:.1%} from the best possible"


def _tree(plan: PlanOutline | Roadmap) -> Iterator[str]:
    titles = {node.id: node.title for node in plan.nodes}
    yield from ("## Plan", "")
    for depth, node in walk_nodes(plan):
        if depth == 1:
            yield f"- **{escaped(node.title)}**{_remarks(node, titles)}"
        elif depth > 1:
            mark = STATUS_MARKS.get(node.status, " ")
            yield f"{'  ' * (depth - 1)}- [{mark}] {escaped(node.title)}{_remarks(node, titles)}"
    yield ""


def _remarks(node: PlanNode, titles: dict[UUID, str]) -> str:
    remarks = []
    if effort := effort_words(node):
        remarks.append(effort)
    if node.status in {"in_progress", "blocked"}:
        remarks.append(node.status.replace("_", " "))
    before = [escaped(titles[link.node_id]) for link in node.dependencies if link.node_id in titles]
    if before:
        remarks.append(f"after {', '.join(before)}")
    return f" ({'; '.join(remarks)})" if remarks else ""


def _dated_list(days: dict[date, list[ScheduleBlock]], zone: ZoneInfo) -> Iterator[str]:
    yield from ("## Dates", "")
    for day, blocks in days.items():
        yield from (f"### {WEEKDAYS[day.weekday()]} {day.isoformat()}", "")
        for block in blocks:
            notes = f": {escaped(block.notes)}" if block.notes else ""
            yield f"- {_times(block, zone)} {escaped(block.title)}{notes}"
        yield ""


def _weeks(days: dict[date, list[ScheduleBlock]], zone: ZoneInfo) -> Iterator[str]:
    yield from ("## Weeks", "")
    for monday in sorted({day - timedelta(days=day.weekday()) for day in days}):
        year, week, _ = monday.isocalendar()
        dates = [monday + timedelta(days=number) for number in range(7)]
        cells = [
            "<br>".join(f"{_times(block, zone)} {escaped(block.title)}" for block in days.get(day, ())) for day in dates
        ]
        yield from (f"### Week {week} of {year}", "")
        yield f"| {' | '.join(f'{WEEKDAYS[day.weekday()]} {day:%d.%m.}' for day in dates)} |"
        yield f"|{' --- |' * 7}"
        yield from (f"| {' | '.join(cells)} |", "")


def _times(block: ScheduleBlock, zone: ZoneInfo) -> str:
    """By the wall clock; the end's date where work goes on past midnight."""
    start, end = block.start.astimezone(zone), block.end.astimezone(zone)
    overnight = (end - timedelta(minutes=1)).date() != start.date()
    later = f" ({end:%Y-%m-%d})" if overnight else ""
    return f"{start:%H:%M}–{end:%H:%M}{later}"
