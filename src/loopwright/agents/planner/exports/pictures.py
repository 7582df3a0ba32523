"""A plan as a picture: a Gantt chart as SVG, and a page with the chart and a calendar of each week.

One bar is one occurrence: work that comes back has as many bars in its row as it has times. Everything that is shown is
escaped; nothing is loaded from anywhere; colours follow the reader's light or dark setting.
"""

from collections import defaultdict
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from math import ceil
from uuid import UUID
from zoneinfo import ZoneInfo

from loopwright.agents.planner.contracts import Schedule, ScheduleBlock
from loopwright.agents.planner.contracts.plan import Outline
from loopwright.agents.planner.exports.reading import markup, phase_titles, plan_title, walk_nodes
from loopwright.agents.planner.schedule.problem_checks import load_zone

DAY = timedelta(days=1)
WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
PALETTE = 6
"""Colours of parts; a seventh part begins again."""
LABELS, CHART = 300, 900
ROW, HEAD, MARGIN = 22, 44, 16
LEAST_BAR = 4.0
"""Pixels: an hour in a year is still seen."""
MOST_LABEL = 60
DATES = 12
"""Dates on the axis, at most about."""
STEPS = (1, 2, 7, 14, 28, 56, 91, 182, 365)
HOUR = 44
"""Pixels of an hour in the calendar of a week."""
OTHER = "Other"

STYLE = """
:root { color-scheme: light dark; --ground: #ffffff; --text: #1b1f24; --faint: #59636e; --line: #d8dee4;
  --shade: #f6f8fa; --event: #b3261e; --on: #ffffff;
  --c0: #1f6feb; --c1: #1a7f37; --c2: #9a6700; --c3: #8250df; --c4: #bf3989; --c5: #0e7490; }
@media (prefers-color-scheme: dark) { :root { --ground: #0d1117; --text: #e6edf3; --faint: #9198a1; --line: #30363d;
  --shade: #161b22; --event: #ff8a80; --on: #0d1117;
  --c0: #79b8ff; --c1: #7ee787; --c2: #e3b341; --c3: #d2a8ff; --c4: #ff9bce; --c5: #67d5e8; } }
text { font: 12px system-ui, sans-serif; fill: var(--text); }
.faint { fill: var(--faint); } .title { font-size: 18px; font-weight: 600; } .part { font-weight: 600; }
.ground { fill: var(--ground); } .shade { fill: var(--shade); } .line { stroke: var(--line); }
.event { stroke: var(--event); stroke-width: 2; } .event-name { fill: var(--event); }
.c0 { fill: var(--c0); } .c1 { fill: var(--c1); } .c2 { fill: var(--c2); } .c3 { fill: var(--c3); }
.c4 { fill: var(--c4); } .c5 { fill: var(--c5); }
"""
PAGE_STYLE = """
body { margin: 24px; background: var(--ground); color: var(--text); font: 14px/1.35 system-ui, sans-serif; }
h1 { font-size: 22px; } h2 { font-size: 16px; margin: 28px 0 6px; }
.chart { overflow-x: auto; } .chart svg { max-width: 100%; height: auto; }
.week { display: grid; grid-template-columns: 44px repeat(7, minmax(0, 1fr)); border: 1px solid var(--line); }
.day { border-left: 1px solid var(--line); min-width: 0; }
.name { padding: 4px 6px; border-bottom: 1px solid var(--line); background: var(--shade); }
.appointment { padding: 2px 6px; color: var(--event); font-weight: 600; overflow-wrap: anywhere; }
.hours { position: relative; background-image: linear-gradient(var(--line) 1px, transparent 1px); }
.hour { position: absolute; right: 6px; font-size: 11px; color: var(--faint); }
.block { position: absolute; left: 2px; right: 2px; overflow: hidden; border-radius: 4px; padding: 1px 5px;
  color: var(--on); font-size: 12px; line-height: 14px; box-sizing: border-box; overflow-wrap: anywhere; }
.b0 { background: var(--c0); } .b1 { background: var(--c1); } .b2 { background: var(--c2); }
.b3 { background: var(--c3); } .b4 { background: var(--c4); } .b5 { background: var(--c5); }
@media (max-width: 700px) { .week { display: block; } .day { border-left: 0; } .axis { display: none; } }
"""
POLICY = "default-src 'none'; style-src 'unsafe-inline'"


@dataclass(frozen=True)
class _Row:
    """A line of the chart: the heading of a part, or a task with its blocks."""

    text: str
    colour: int
    blocks: tuple[ScheduleBlock, ...] = ()


def write_svg(outline: Outline, schedule: Schedule) -> str:
    """The schedule as a Gantt chart of its own, by the wall clock of its zone.

    Raises:
        InvalidInput: the schedule's time zone is unknown.
    """
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + _chart(outline, schedule, STYLE)


def write_html(outline: Outline, schedule: Schedule) -> str:
    """A page with the chart and a calendar of each week in which something takes place.

    Raises:
        InvalidInput: the schedule's time zone is unknown.
    """
    zone, title = load_zone(schedule.timezone), markup(plan_title(outline))
    parts = [
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{markup(POLICY)}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{title}</title>\n<style>{STYLE}{PAGE_STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>",
        f'<div class="chart">{_chart(outline, schedule, "")}</div>',
        *_weeks(outline, schedule, zone),
        "</body>\n</html>\n",
    ]
    return "\n".join(parts)


# The chart.


def _chart(outline: Outline, schedule: Schedule, style: str) -> str:
    zone, rows = load_zone(schedule.timezone), _rows(outline, schedule)
    first, days = _span(schedule, zone)
    height = HEAD + 2 * MARGIN + ROW * (len(rows) + 1)
    width = LABELS + CHART + 2 * MARGIN
    name = markup(plan_title(outline))
    size = f'xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    lines = [
        f'<svg {size} role="img" aria-label="{name}">',
        f"<style>{style}</style>" if style else "",
        f"<title>{name}</title>",
        f'<rect class="ground" width="{width}" height="{height}"/>',
        f'<text class="title" x="{MARGIN}" y="{MARGIN + 14}">{markup(_short(plan_title(outline), 100))}</text>'
        if style
        else "",
        *_axis(first, days, height),
    ]
    for number, row in enumerate(rows):
        top = HEAD + MARGIN + ROW * number
        if not row.blocks:
            lines.append(f'<rect class="shade" x="{MARGIN}" y="{top}" width="{LABELS + CHART}" height="{ROW}"/>')
        kind = ' class="part"' if not row.blocks else ""
        shown = markup(_short(row.text, MOST_LABEL))
        # Cut off where the chart begins, however wide the letters are.
        lines.append(
            f'<svg x="{MARGIN}" y="{top}" width="{LABELS - 8}" height="{ROW}"><text{kind} x="6" y="15">{shown}'
        )
        lines.append(f"<title>{markup(row.text)}</title></text></svg>")
        lines += [_bar(block, row.colour, top, first, days, zone) for block in row.blocks]
    for appointment in schedule.appointments:
        x = _x(datetime.combine(appointment.date, time(12)), first, days)
        bottom = HEAD + MARGIN + ROW * len(rows)
        lines.append(f'<line class="event" x1="{x:.1f}" x2="{x:.1f}" y1="{HEAD + MARGIN}" y2="{bottom}"/>')
        told = f"{_short(appointment.title, 40)}, {_day(appointment.date)}"
        lines.append(
            f'<text class="event-name" x="{x - 4:.1f}" y="{bottom + 15}" text-anchor="end">{markup(told)}</text>'
        )
    return "\n".join([*filter(None, lines), "</svg>"])


def _rows(outline: Outline, schedule: Schedule) -> list[_Row]:
    """The parts in the plan's order, each with its tasks; blocks of nodes that the plan does not have come last."""
    blocks: dict[UUID, list[ScheduleBlock]] = defaultdict(list)
    for block in sorted(schedule.blocks, key=lambda block: block.start.astimezone(UTC)):
        blocks[block.plan_node_id].append(block)
    phases = phase_titles(outline)
    known = [node.id for _, node in walk_nodes(outline)]
    rows: list[_Row] = []
    part, colour = None, -1
    for node in [*known, *(each for each in blocks if each not in phases)]:
        if node not in blocks:
            continue
        if phases.get(node, OTHER) != part:
            part, colour = phases.get(node, OTHER), colour + 1
            rows.append(_Row(part, colour % PALETTE))
        rows.append(_Row(blocks[node][0].title, colour % PALETTE, tuple(blocks[node])))
    return rows


def _span(schedule: Schedule, zone: ZoneInfo) -> tuple[date, int]:
    """The Monday of the first week, and how many days the chart shows."""
    days = [block.start.astimezone(zone).date() for block in schedule.blocks]
    days += [block.end.astimezone(zone).date() for block in schedule.blocks]
    days += [appointment.date for appointment in schedule.appointments]
    if not days:
        return date(1970, 1, 5), 7
    monday = min(days) - timedelta(days=min(days).weekday())
    return monday, max(7, (max(days) - monday).days + 1)


def _x(moment: datetime, first: date, days: int) -> float:
    """Where a wall-clock time lies."""
    passed = (moment - datetime.combine(first, time())) / DAY
    return MARGIN + LABELS + CHART * passed / days


def _axis(first: date, days: int, height: int) -> list[str]:
    step = next((step for step in STEPS if days / step <= DATES), STEPS[-1])
    lines = []
    for number in range(0, days, step):
        day = first + timedelta(days=number)
        x = _x(datetime.combine(day, time()), first, days)
        year = f" {day.year}" if number == 0 or day.year != (day - timedelta(days=step)).year else ""
        lines.append(f'<line class="line" x1="{x:.1f}" x2="{x:.1f}" y1="{HEAD}" y2="{height - MARGIN - ROW}"/>')
        lines.append(f'<text class="faint" x="{x + 3:.1f}" y="{HEAD + 10}">{day.day} {day:%b}{year}</text>')
    return lines


def _bar(block: ScheduleBlock, colour: int, top: int, first: date, days: int, zone: ZoneInfo) -> str:
    start, end = (moment.astimezone(zone).replace(tzinfo=None) for moment in (block.start, block.end))
    x, until = _x(start, first, days), _x(end, first, days)
    width = max(LEAST_BAR, until - x)
    told = markup(f"{block.title}: {_day(start.date())}, {start:%H:%M}–{end:%H:%M}")
    return (
        f'<rect class="bar c{colour}" x="{x:.1f}" y="{top + 4}" width="{width:.1f}" height="{ROW - 8}" rx="2">'
        f"<title>{told}</title></rect>"
    )


def _short(text: str, most: int) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= most else plain[: most - 1].rstrip() + "…"


def _day(day: date) -> str:
    return f"{WEEKDAYS[day.weekday()]} {day.day} {day:%b %Y}"


# The calendar of each week.


@dataclass(frozen=True)
class _Shown:
    """A part of a block on one day, in hours of its wall clock."""

    block: ScheduleBlock
    start: float
    end: float


def _weeks(outline: Outline, schedule: Schedule, zone: ZoneInfo) -> list[str]:
    days: dict[date, list[_Shown]] = defaultdict(list)
    for block in sorted(schedule.blocks, key=lambda block: block.start.astimezone(UTC)):
        for day, shown in _by_day(block, zone):
            days[day].append(shown)
    events: dict[date, list[str]] = defaultdict(list)
    for appointment in schedule.appointments:
        events[appointment.date].append(appointment.title)
    low = int(min((each.start for row in days.values() for each in row), default=8))
    high = ceil(max((each.end for row in days.values() for each in row), default=18))
    colours = {row_block.plan_node_id: row.colour for row in _rows(outline, schedule) for row_block in row.blocks}
    found = []
    for monday in sorted({day - timedelta(days=day.weekday()) for day in [*days, *events]}):
        year, week, _ = monday.isocalendar()
        axis = "".join(
            f'<span class="hour" style="top:{(hour - low) * HOUR}px">{hour:02}:00</span>' for hour in range(low, high)
        )
        hours = f'style="height:{(high - low) * HOUR}px;background-size:100% {HOUR}px"'
        # The axis begins where the days' hours do: below their names and appointments.
        rows = [f'<div class="axis"><div class="name">&nbsp;</div><div class="hours" {hours}>{axis}</div></div>']
        for day in (monday + timedelta(days=number) for number in range(7)):
            named = "".join(f'<div class="appointment">{markup(title)}</div>' for title in events[day])
            blocks = "".join(_block(each, low, colours[each.block.plan_node_id]) for each in days[day])
            rows.append(
                f'<div class="day"><div class="name">{WEEKDAYS[day.weekday()]} {day.day} {day:%b}{named}</div>'
                f'<div class="hours" {hours}>{blocks}</div></div>'
            )
        found.append(f'<h2>Week {week} of {year}</h2>\n<div class="week">{"".join(rows)}</div>')
    return found


def _by_day(block: ScheduleBlock, zone: ZoneInfo) -> list[tuple[date, _Shown]]:
    """The block cut at midnight."""
    start, end = (moment.astimezone(zone).replace(tzinfo=None) for moment in (block.start, block.end))
    found = []
    while start < end:
        midnight = datetime.combine(start.date() + DAY, time())
        until = min(end, midnight)
        begins = datetime.combine(start.date(), time())
        hours = [(moment - begins) / timedelta(hours=1) for moment in (start, until)]
        found.append((start.date(), _Shown(block, *hours)))
        start = until
    return found


def _block(shown: _Shown, low: int, colour: int) -> str:
    top, height = (shown.start - low) * HOUR, max(16.0, (shown.end - shown.start) * HOUR - 2)
    clock = [f"{int(hour):02}:{round(hour % 1 * 60):02}" for hour in (shown.start, shown.end % 24)]
    text = markup(f"{clock[0]} {shown.block.title}")
    title = markup(f"{shown.block.title}, {clock[0]}–{clock[1]}")
    return f'<div class="block b{colour}" style="top:{top:.0f}px;height:{height:.0f}px" title="{title}">{text}</div>'
