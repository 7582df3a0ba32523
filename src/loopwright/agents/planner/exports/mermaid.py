"""A schedule as a Mermaid Gantt chart, one bar for each task from its first block to its last."""

import re
from collections import defaultdict
from datetime import UTC, datetime
from uuid import UUID

from loopwright.agents.planner.contracts import PlanOutline, Schedule, ScheduleBlock
from loopwright.agents.planner.exports.reading import phase_titles, plan_title
from loopwright.agents.planner.schedule.problem_checks import load_zone

MOST_BARS = 400
"""Mermaid refuses texts above 50,000 characters."""
LONGEST_TITLE = 60
OUTSIDE_THE_PLAN = "Other"
UNSAFE = re.compile(r"[^\w\s.,!?()'+*/&–—-]+")
KEYWORD = re.compile(
    r"(?:gantt|title|section|click|call|href|dateformat|axisformat|tickinterval|todaymarker|excludes|includes|weekday|"
    r"weekend|inclusiveenddates|topaxis|acctitle|accdescr)\b",
    re.IGNORECASE,
)


def write_mermaid(outline: PlanOutline, schedule: Schedule) -> str:
    """The chart's text, its sections the parts of the plan; times by the wall clock of the schedule's zone.

    Raises:
        InvalidInput: the schedule's time zone is unknown.
    """
    zone = load_zone(schedule.timezone)
    phases = phase_titles(outline)
    bars: dict[UUID, list[ScheduleBlock]] = defaultdict(list)
    for block in sorted(schedule.blocks, key=lambda block: block.start.astimezone(UTC)):
        bars[block.plan_node_id].append(block)
    sections: dict[str, list[str]] = defaultdict(list)
    for number, (node, blocks) in enumerate(list(bars.items())[:MOST_BARS]):
        start, end = blocks[0].start, max(block.end.astimezone(UTC) for block in blocks)
        section = sanitised(phases.get(node, OUTSIDE_THE_PLAN))
        times = f"{_shown(start.astimezone(zone))}, {_shown(end.astimezone(zone))}"
        sections[section].append(f"    {sanitised(blocks[0].title)} :t{number}, {times}")
    lines = [
        "gantt",
        f"    title {sanitised(plan_title(outline))}",
        "    dateFormat YYYY-MM-DDTHH:mm",
        "    axisFormat %d %b",
    ]
    for section, texts in sections.items():
        lines += [f"    section {section}", *texts]
    if len(bars) > MOST_BARS:
        lines.append(f"    %% {len(bars) - MOST_BARS} more tasks are left out: the chart would be too large")
    return "\n".join(lines) + "\n"


def sanitised(title: str) -> str:
    """A title that Mermaid reads as one: no separators, comments or markup, and no keyword at its beginning."""
    plain = " ".join(UNSAFE.sub(" ", title).split()).strip(" -")
    if len(plain) > LONGEST_TITLE:
        plain = plain[: LONGEST_TITLE - 1].rstrip() + "…"
    return f"– {plain}" if not plain or KEYWORD.match(plain) else plain


def _shown(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M")
