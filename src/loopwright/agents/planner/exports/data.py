"""A plan for other programs: the contracts themselves as JSON, and the times as a table."""

import csv
import json
from datetime import UTC, timedelta
from io import StringIO

from loopwright.agents.planner.contracts import PlanOutline, Roadmap, Schedule
from loopwright.agents.planner.contracts.plan import Outline
from loopwright.agents.planner.exports.reading import phase_titles
from loopwright.agents.planner.schedule.problem_checks import load_zone

FORMAT = "loopwright-plan"
VERSION = 1


def write_json(outline: PlanOutline, roadmap: Roadmap | None, schedule: Schedule | None) -> str:
    """The contracts as JSON; the same plan gives the same text."""
    parts = {"outline": outline, "roadmap": roadmap, "schedule": schedule}
    plan = {name: None if part is None else part.model_dump(mode="json") for name, part in parts.items()}
    return json.dumps({"format": FORMAT, "version": VERSION, **plan}, indent=2, ensure_ascii=False) + "\n"


# The times as a table.

COLUMNS = ("date", "weekday", "start", "end", "minutes", "title", "part", "notes", "starts_at", "ends_at", "node_id")
FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet would reckon instead of showing it."""


def write_csv(outline: Outline, schedule: Schedule) -> str:
    """One row for each time at which something is done, and for each appointment, in the order of time (RFC 4180).

    Raises:
        InvalidInput: the schedule's time zone is unknown.
    """
    zone, phases = load_zone(schedule.timezone), phase_titles(outline)
    rows: list[tuple[str, list[object]]] = []
    for each in schedule.appointments:
        day = each.date.isoformat()
        rows.append((day, [day, f"{each.date:%a}", "", "", "", each.title, "", "", day, day, ""]))
    for block in schedule.blocks:
        start, end = block.start.astimezone(zone), block.end.astimezone(zone)
        minutes = (block.end.astimezone(UTC) - block.start.astimezone(UTC)) // timedelta(minutes=1)
        shown = [start.date().isoformat(), f"{start:%a}", f"{start:%H:%M}", f"{end:%H:%M}", minutes, block.title]
        more = [phases.get(block.plan_node_id, ""), block.notes or "", start.isoformat(), end.isoformat()]
        rows.append((block.start.astimezone(UTC).isoformat(), [*shown, *more, str(block.plan_node_id)]))
    text = StringIO()
    table = csv.writer(text)
    table.writerow(COLUMNS)
    table.writerows([_shown_only(cell) for cell in row] for _, row in sorted(rows, key=lambda row: row[0]))
    return text.getvalue()


def _shown_only(cell: object) -> object:
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA) else cell
