"""A plan for project programs: TaskJuggler, and Microsoft Project's XML (MSPDI).

Both get the times as they are: each occurrence is a task with a fixed start and end under the task of its node, so that
the program shows the plan instead of making another one. Times are by the wall clock of the schedule's zone. A link is
written where the times keep it.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import UUID
from xml.etree import ElementTree as ET
from zoneinfo import ZoneInfo

from loopwright.agents.planner.contracts import PlanNode, Schedule, ScheduleBlock
from loopwright.agents.planner.contracts.plan import Outline
from loopwright.agents.planner.exports.reading import plan_title, walk_nodes, xml_text
from loopwright.agents.planner.schedule.problem_checks import load_zone

DAY = timedelta(days=1)
LINKS = {"finish_to_finish": 0, "finish_to_start": 1, "start_to_finish": 2, "start_to_start": 3}
"""As MSPDI numbers them."""


@dataclass
class _Item:
    """A node with its times and what lies below it."""

    number: int
    node: PlanNode
    depth: int
    blocks: list[tuple[datetime, datetime]]
    children: list["_Item"] = field(default_factory=list)

    def times(self) -> list[tuple[datetime, datetime]]:
        """All times of the node and of those below it, by the wall clock."""
        return sorted([*self.blocks, *(time for child in self.children for time in child.times())])


def _tree(outline: Outline, schedule: Schedule, zone: ZoneInfo) -> tuple[list[_Item], dict[UUID, _Item]]:
    """The parts with something to do, and all items by node."""
    blocks: dict[UUID, list[ScheduleBlock]] = defaultdict(list)
    for block in sorted(schedule.blocks, key=lambda block: block.start.astimezone(UTC)):
        blocks[block.plan_node_id].append(block)
    items: dict[UUID, _Item] = {}
    tops: list[_Item] = []
    for number, (depth, node) in enumerate(walk_nodes(outline)):
        times = [
            (block.start.astimezone(zone).replace(tzinfo=None), block.end.astimezone(zone).replace(tzinfo=None))
            for block in blocks[node.id]
        ]
        items[node.id] = item = _Item(number, node, depth, times)
        above = items.get(node.parent_id) if node.parent_id is not None and node.id != outline.root_id else None
        if above is not None and depth > 1:
            above.children.append(item)
        elif node.id != outline.root_id or times:
            tops.append(item)
    return tops, items


def _held(item: _Item, items: dict[UUID, _Item]) -> Iterator[tuple[_Item, int, int]]:
    """The links of an item that its times keep: what it depends on, the type's number, the lag in minutes."""
    own = item.times()
    for link in item.node.dependencies:
        other = items.get(link.node_id)
        if other is None or not own or not (theirs := other.times()) or other.number == item.number:
            continue
        first = min(start for start, _ in theirs) if link.type.startswith("start") else max(end for _, end in theirs)
        second = min(start for start, _ in own) if link.type.endswith("start") else max(end for _, end in own)
        if second - first >= timedelta(minutes=link.lag_lead_minutes):
            yield other, LINKS[link.type], link.lag_lead_minutes


# TaskJuggler 3.

MACRO = re.compile(r"\$(?=[({])")


def write_taskjuggler(outline: Outline, schedule: Schedule) -> str:
    """A `.tjp` file with a report of all tasks.

    Raises:
        InvalidInput: the schedule's time zone is unknown.
    """
    zone = load_zone(schedule.timezone)
    tops, items = _tree(outline, schedule, zone)
    times = sorted(time for item in tops for time in item.times())
    days = [appointment.date for appointment in schedule.appointments]
    days += [moment.date() for time in times for moment in time] or [date(1970, 1, 1)] * (not days)
    last = max(days) + 2 * DAY
    lines = [
        f'project plan {_quoted(plan_title(outline))} "1.0" {min(days):%Y-%m-%d} - {last:%Y-%m-%d} {{',
        f'  timezone "{zone.key}"',
        "  timingresolution 15 min",
        '  timeformat "%Y-%m-%d %H:%M"',
        "}",
    ]
    paths: dict[int, str] = {}
    for item in tops:
        _name(item, "", paths)
    for item in tops:
        lines += _task(item, items, paths, "")
    for number, appointment in enumerate(schedule.appointments):
        lines.append(f"task a{number} {_quoted(appointment.title)} {{ milestone start {appointment.date:%Y-%m-%d} }}")
    lines += ['taskreport "plan" { formats csv, html columns name, start, end }']
    return "\n".join(lines) + "\n"


def _name(item: _Item, above: str, paths: dict[int, str]) -> None:
    paths[item.number] = f"{above}t{item.number}"
    for child in item.children:
        _name(child, f"{paths[item.number]}.", paths)


def _task(item: _Item, items: dict[UUID, _Item], paths: dict[int, str], indent: str) -> Iterator[str]:
    if not item.times():
        return
    yield f"{indent}task t{item.number} {_quoted(item.node.title)} {{"
    for other, kind, lag in _held(item, items):
        if kind == LINKS["finish_to_start"] and lag >= 0 and other.number in paths:
            gap = f" {{ gapduration {lag}min }}" if lag else ""
            yield f"{indent}  depends {paths[other.number]}{gap}"
    if len(item.blocks) == 1 and not item.children:
        start, end = item.blocks[0]
        yield f"{indent}  start {start:%Y-%m-%d-%H:%M} end {end:%Y-%m-%d-%H:%M}"
    else:
        for number, (start, end) in enumerate(item.blocks):
            times = f"start {start:%Y-%m-%d-%H:%M} end {end:%Y-%m-%d-%H:%M}"
            yield f"{indent}  task b{number} {_quoted(f'{item.node.title} ({number + 1})')} {{ {times} }}"
    for child in item.children:
        yield from _task(child, items, paths, indent + "  ")
    yield f"{indent}}}"


def _quoted(text: str) -> str:
    plain = MACRO.sub("$ ", xml_text(text))
    return '"' + plain.replace("\\", "/").replace('"', '\\"') + '"'


# Microsoft Project's XML. The order of the elements is that of mspdi_pj12.xsd; Project refuses another one.

NAMESPACE = "http://schemas.microsoft.com/project"
CALENDAR = "1"
MUST_START_ON = "2"
HOURS = "5"
"""The format of durations: hours."""


def write_mspdi(outline: Outline, schedule: Schedule) -> str:
    """An XML file that Microsoft Project, ProjectLibre and others open.

    Raises:
        InvalidInput: the schedule's time zone is unknown.
    """
    zone = load_zone(schedule.timezone)
    tops, items = _tree(outline, schedule, zone)
    times = sorted(time for item in tops for time in item.times())
    root = ET.Element("Project", {"xmlns": NAMESPACE})
    _add(root, "Name", _plain(plan_title(outline)))
    _add(root, "Title", _plain(plan_title(outline)))
    _add(root, "ScheduleFromStart", "1")
    days = [datetime.combine(each.date, datetime.min.time()) for each in schedule.appointments]
    starts, ends = [start for start, _ in times] + days, [end for _, end in times] + days
    if starts:
        _add(root, "StartDate", _when(min(starts)))
        _add(root, "FinishDate", _when(max(ends)))
    _add(root, "CalendarUID", CALENDAR)
    _calendar(ET.SubElement(root, "Calendars"))
    tasks = ET.SubElement(root, "Tasks")
    numbers = _Numbers()
    for item in tops:
        _project_task(tasks, item, items, numbers, 1)
    for appointment in schedule.appointments:
        day = datetime.combine(appointment.date, datetime.min.time())
        _one(tasks, numbers.next(), appointment.title, 1, (day, day), milestone=True)
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


class _Numbers:
    """UIDs of tasks; a node keeps the one that links to it name."""

    def __init__(self) -> None:
        self.last = 0
        self.of_node: dict[int, int] = {}

    def next(self) -> int:
        self.last += 1
        return self.last

    def of(self, item: _Item) -> int:
        if item.number not in self.of_node:
            self.of_node[item.number] = 1_000_000 + item.number
        return self.of_node[item.number]


def _calendar(calendars: ET.Element) -> None:
    """All hours of all days: with Project's own calendar it would move what lies in the evening."""
    calendar = ET.SubElement(calendars, "Calendar")
    _add(calendar, "UID", CALENDAR)
    _add(calendar, "Name", "24 hours")
    _add(calendar, "IsBaseCalendar", "1")
    days = ET.SubElement(calendar, "WeekDays")
    for number in range(1, 8):
        day = ET.SubElement(days, "WeekDay")
        _add(day, "DayType", str(number))
        _add(day, "DayWorking", "1")
        span = ET.SubElement(ET.SubElement(day, "WorkingTimes"), "WorkingTime")
        _add(span, "FromTime", "00:00:00")
        _add(span, "ToTime", "00:00:00")


def _project_task(tasks: ET.Element, item: _Item, items: dict[UUID, _Item], numbers: _Numbers, level: int) -> None:
    times = item.times()
    if not times:
        return
    uid, links = numbers.of(item), list(_held(item, items))
    around = times[0][0], max(end for _, end in times)
    if len(item.blocks) == 1 and not item.children:
        element = _one(tasks, uid, item.node.title, level, item.blocks[0])
    else:
        element = _one(tasks, uid, item.node.title, level, around, summary=True)
        for number, block in enumerate(item.blocks):
            title = f"{item.node.title} ({number + 1})" if len(item.blocks) > 1 else item.node.title
            _one(tasks, numbers.next(), title, level + 1, block)
    for other, kind, lag in links:
        link = ET.SubElement(element, "PredecessorLink")
        _add(link, "PredecessorUID", str(numbers.of(other)))
        _add(link, "Type", str(kind))
        _add(link, "LinkLag", str(10 * lag))
        _add(link, "LagFormat", "3")
    for child in item.children:
        _project_task(tasks, child, items, numbers, level + 1)


def _one(
    tasks: ET.Element,
    uid: int,
    title: str,
    level: int,
    times: tuple[datetime, datetime],
    *,
    summary: bool = False,
    milestone: bool = False,
) -> ET.Element:
    start, end = times
    minutes = (end - start) // timedelta(minutes=1)
    task = ET.SubElement(tasks, "Task")
    values: dict[str, Any] = {
        "UID": uid,
        "ID": len(tasks),
        "Name": _plain(title),
        "Type": 1,
        "OutlineLevel": level,
        "Start": _when(start),
        "Finish": _when(end),
        "Duration": f"PT{minutes // 60}H{minutes % 60}M0S",
        "DurationFormat": HOURS,
        "Milestone": int(milestone),
        "Summary": int(summary),
    }
    if not summary:
        values |= {"ConstraintType": MUST_START_ON, "CalendarUID": CALENDAR, "ConstraintDate": _when(start)}
    for name, value in values.items():
        _add(task, name, str(value))
    return task


def _add(parent: ET.Element, name: str, text: str) -> None:
    ET.SubElement(parent, name).text = text


def _plain(text: str) -> str:
    return xml_text(text)[:512]


def _when(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%S")
