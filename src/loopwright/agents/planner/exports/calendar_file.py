"""A schedule as an iCalendar file (RFC 5545), also as a change of one that was written before.

What recurs at one hour in even steps is one event with RRULE; every other block is an event of its own. Against an
earlier file each event that has changed has a higher SEQUENCE and a new DTSTAMP, one that is gone is CANCELLED, and one
that is as it was stays as it was written: a calendar program that reads both shows the newer plan and nothing else.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from typing import Any
from uuid import NAMESPACE_URL, UUID, uuid5
from zoneinfo import ZoneInfo

from icalendar import Alarm, Calendar, Event, Timezone, TimezoneDaylight, TimezoneStandard, vRecur

from loopwright.agents.planner.contracts import Appointment, PlanOutline, Schedule, ScheduleBlock
from loopwright.agents.planner.exports.reading import plan_title
from loopwright.agents.planner.history import DONE_TAG
from loopwright.agents.planner.schedule.calendar import segments
from loopwright.agents.planner.schedule.problem_checks import load_zone

PRODUCT = "-//Loopwright//Planner//EN"
OURS = "@loopwright"
ROOT = "X-LOOPWRIGHT-PLAN"
"""Whose events a file holds: the events of another plan are not cancelled by this one."""
CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f]+")
MARGIN = timedelta(days=1)
REMIND = timedelta(minutes=15)
REMIND_DAY = timedelta(hours=15)
"""Before a whole day: at nine in the morning of the day before."""
LEAST_SERIES = 3
"""Events from which on a series is one event."""
MOST_LEFT_OUT = 0.25
"""Of a series, the part of its dates on which it may not take place."""
LONGEST_STEP = 28
OCCURRENCE = "occurrence:"

VOLATILE = ("DTSTAMP", "SEQUENCE")
"""What tells when and how often an event was written, not what it is."""


def write_ics(
    outline: PlanOutline, schedule: Schedule, *, before: str | None = None, now: datetime | None = None
) -> str:
    """The schedule's blocks as events, by the wall clock of its zone.

    Args:
        outline: the plan.
        schedule: its times.
        before: what this function has written of the same plan before; what cannot be read as that is left aside.
        now: the moment of writing (aware), DTSTAMP of all that is new; the present by default.

    Returns:
        The file's text. With the same schedule and `before` it is `before` again.

    Raises:
        InvalidInput: the schedule's time zone is unknown.
    """
    zone = load_zone(schedule.timezone)
    stamp = (now or datetime.now(UTC)).astimezone(UTC).replace(microsecond=0)
    events = changed(plan_events(schedule), _events_before(before, str(outline.root_id)), stamp)
    calendar = Calendar()
    calendar.add("prodid", PRODUCT)
    calendar.add("version", "2.0")
    calendar.add("calscale", "GREGORIAN")
    calendar.add("method", "PUBLISH")
    calendar.add("x-wr-calname", _printable(plan_title(outline)))
    calendar.add(ROOT, str(outline.root_id))
    _fill(calendar, events, zone)
    return bytes(calendar.to_ical()).decode()


def plan_events(schedule: Schedule) -> list[Any]:
    """The events of a schedule, not stamped yet; those of one version of a plan and of the next have the same UIDs.

    Raises:
        InvalidInput: the schedule's time zone is unknown.
    """
    zone = load_zone(schedule.timezone)
    blocks = sorted(schedule.blocks, key=lambda block: (block.start.astimezone(UTC), str(block.plan_node_id)))
    events: list[Any] = [_appointment(each) for each in schedule.appointments]
    return events + [_event(series, zone) for series in series_of(blocks, zone)]


def event_file(event: Any, zone: ZoneInfo) -> str:
    """One event as a file of its own, as calendar servers keep them."""
    calendar = Calendar()
    calendar.add("prodid", PRODUCT)
    calendar.add("version", "2.0")
    _fill(calendar, [event], zone)
    return bytes(calendar.to_ical()).decode()


def _fill(calendar: Calendar, events: list[Any], zone: ZoneInfo) -> None:
    """Put in the events, and before them what the zone's clock does meanwhile."""
    if (around := _zone_span(events, zone)) is not None and zone.key != "UTC":
        calendar.add_component(_timezone(zone, *around))
    for event in events:
        calendar.add_component(event)


# Which blocks are one series.


@dataclass(frozen=True)
class Series:
    """Blocks of one node at one hour, every `step` days, but on the days of `left_out`; or one block, with step 0."""

    uid: str
    block: ScheduleBlock
    step: int = 0
    count: int = 1
    left_out: tuple[date, ...] = ()


def series_of(blocks: list[ScheduleBlock], zone: ZoneInfo) -> Iterator[Series]:
    """The blocks, in the order of time, as series and single blocks; a UID names the same work in every version."""
    rows: dict[tuple[Any, ...], list[ScheduleBlock]] = defaultdict(list)
    for block in blocks:
        local = block.start.astimezone(zone)
        length = block.end.astimezone(UTC) - block.start.astimezone(UTC)
        # A clock that is put back or forward in between would make an occurrence longer than the others.
        plain = not local.fold and block.end.astimezone(zone).utcoffset() == local.utcoffset()
        weekday = local.weekday() if plain else None
        key = (block.plan_node_id, block.title, block.notes, length, local.time(), weekday, plain or local)
        rows[key].append(block)
    joined: dict[int, Series] = {}
    taken: set[int] = set()
    numbers: Counter[UUID] = Counter()
    for row in rows.values():
        found = _regular(row, zone) if row else None
        if found is None:
            continue
        step, count, left_out = found
        node = row[0].plan_node_id
        uid = f"{node}-s{numbers[node]}{OURS}"
        numbers[node] += 1
        joined[id(row[0])] = Series(uid, row[0], step, count, left_out)
        taken |= {id(block) for block in row}
    singles: Counter[str] = Counter()
    for block in blocks:
        if id(block) in joined:
            yield joined[id(block)]
        elif id(block) not in taken:
            occurrence = next((tag.removeprefix(OCCURRENCE) for tag in block.tags if tag.startswith(OCCURRENCE)), "")
            name = f"{block.plan_node_id}-{f'o{occurrence}-' if occurrence else ''}"
            yield Series(f"{name}{singles[name]}{OURS}", block)
            singles[name] += 1


def _regular(row: list[ScheduleBlock], zone: ZoneInfo) -> tuple[int, int, tuple[date, ...]] | None:
    """The step in days, how many dates, and those left out, where the blocks are a series; else None."""
    days = [block.start.astimezone(zone).date() for block in row]
    if len(days) < LEAST_SERIES or len(set(days)) < len(days) or row[0].start.astimezone(zone).fold:
        return None
    apart = [(later - day).days for day, later in pairwise(days)]
    step = min(apart)
    if step > LONGEST_STEP or any(each % step for each in apart):
        return None
    dates = [days[0] + timedelta(days=step * number) for number in range(sum(apart) // step + 1)]
    left_out = tuple(sorted(set(dates) - set(days)))
    return (step, len(dates), left_out) if len(left_out) <= MOST_LEFT_OUT * len(dates) else None


# Events.


def _appointment(appointment: Appointment) -> Event:
    """A whole day; its UID is made of its title, so that a later day moves it."""
    event = Event()
    event.add("uid", f"{uuid5(NAMESPACE_URL, f'loopwright/{appointment.title}')}{OURS}")
    event.add("dtstart", appointment.date)
    event.add("dtend", appointment.date + timedelta(days=1))
    event.add("summary", _printable(appointment.title))
    event.add_component(_alarm(appointment.title, REMIND_DAY))
    return event


def _event(series: Series, zone: ZoneInfo) -> Event:
    block, event = series.block, Event()
    event.add("uid", series.uid)
    event.add("dtstart", _local(block.start, zone))
    event.add("dtend", _local(block.end, zone))
    event.add("summary", _printable(block.title))
    if series.step:
        frequency = "WEEKLY" if series.step % 7 == 0 else "DAILY"
        interval = series.step // 7 if series.step % 7 == 0 else series.step
        rule = {"FREQ": [frequency], **({"INTERVAL": [interval]} if interval > 1 else {}), "COUNT": [series.count]}
        event.add("rrule", vRecur(rule))
        clock = block.start.astimezone(zone).time()
        gone = [datetime.combine(day, clock, zone) for day in series.left_out]
        if gone:
            event.add("exdate", gone if zone.key != "UTC" else [moment.replace(tzinfo=UTC) for moment in gone])
    if block.notes:
        event.add("description", _printable(block.notes))
    tags = [tag for tag in block.tags if tag != DONE_TAG and not tag.startswith(OCCURRENCE)]
    if tags:
        event.add("categories", [_printable(tag) for tag in tags])
    event.add_component(_alarm(block.title, REMIND))
    return event


def _alarm(title: str, ahead: timedelta) -> Alarm:
    alarm = Alarm()
    alarm.add("action", "DISPLAY")
    alarm.add("description", _printable(title))
    alarm.add("trigger", -ahead)
    return alarm


# Against what was written before.


def _events_before(text: str | None, root: str) -> dict[str, Any]:
    """The plan's events in an earlier file, by UID; none where the file is another plan's, or cannot be read."""
    if text is None:
        return {}
    try:
        calendar = Calendar.from_ical(text)
    except (ValueError, KeyError, IndexError, TypeError):
        return {}  # whatever lies there is no file of ours: nothing of it can be stale
    return events_of(calendar) if str(calendar.get(ROOT, "")) == root else {}


def events_of(calendar: Any) -> dict[str, Any]:
    """The events that a plan has made, by UID."""
    return {str(event["UID"]): event for event in calendar.walk("VEVENT") if str(event.get("UID", "")).endswith(OURS)}


def changed(events: list[Event], before: dict[str, Any], stamp: datetime) -> list[Any]:
    """The events as a change of those before: stamped, counted, and what is gone cancelled at the end."""
    found: list[Any] = []
    for event in events:
        old = before.get(str(event["UID"]))
        if old is not None and substance(old) == substance(event):
            found.append(old)
            continue
        event.add("dtstamp", stamp)
        event.add("sequence", 0 if old is None else int(old.get("SEQUENCE", 0)) + 1)
        found.append(event)
    known = {str(event["UID"]) for event in events}
    return found + [cancelled(old, stamp) for uid, old in before.items() if uid not in known]


def substance(event: Any) -> bytes:
    """What an event is, without when and how often it was written."""
    copy = event.copy(recursive=True)
    for name in VOLATILE:
        copy.pop(name, None)
    return bytes(copy.to_ical())


def cancelled(old: Any, stamp: datetime) -> Any:
    """An event that does not take place any more; one that was cancelled before stays as it is."""
    if str(old.get("STATUS", "")) == "CANCELLED":
        return old
    event = Event()
    for name in ("UID", "DTSTART", "DTEND", "SUMMARY", "RRULE", "EXDATE"):
        if name in old:
            event[name] = old[name]
    event.add("status", "CANCELLED")
    event.add("dtstamp", stamp)
    event.add("sequence", int(old.get("SEQUENCE", 0)) + 1)
    return event


def _zone_span(events: list[Any], zone: ZoneInfo) -> tuple[datetime, datetime] | None:
    """From the first to the last moment (UTC) at which an event takes place by the zone's clock."""
    starts = [event["DTSTART"].dt for event in events if isinstance(event["DTSTART"].dt, datetime)]
    if not starts:
        return None
    ends = [_last(event) for event in events if isinstance(event["DTSTART"].dt, datetime)]
    return min(each.astimezone(UTC) for each in starts) - MARGIN, max(ends) + MARGIN


def _last(event: Any) -> datetime:
    """When an event's last occurrence ends, in UTC; for a moment after a change of the clock an hour more or less."""
    end: datetime = event["DTEND"].dt
    rule = event.get("RRULE")
    if rule is not None:
        days = 7 if rule["FREQ"][0] == "WEEKLY" else 1
        end += timedelta(days=days * rule.get("INTERVAL", [1])[0] * (rule["COUNT"][0] - 1))
    return end.astimezone(UTC)


def _local(moment: datetime, zone: ZoneInfo) -> datetime:
    """By the zone's wall clock; in UTC where the wall clock shows the time for a second time, which no file can say."""
    local = moment.astimezone(zone)
    return moment.astimezone(UTC) if local.fold or zone.key == "UTC" else local


def _timezone(zone: ZoneInfo, start: datetime, end: datetime) -> Timezone:
    """What the zone's clock does from `start` to `end` (UTC).

    Onsets are told by the clock that is put back or forward, as RFC 5545 (3.6.5) wants it.
    """
    part = Timezone()
    part.add("tzid", zone.key)
    before = start.astimezone(zone).utcoffset() or timedelta()
    for segment in segments(zone, start, end):
        local = segment.start.astimezone(zone)
        rule = TimezoneDaylight() if local.dst() else TimezoneStandard()
        rule.add("dtstart", (segment.start + before).replace(tzinfo=None))
        rule.add("tzoffsetfrom", before)
        rule.add("tzoffsetto", segment.offset)
        rule.add("tzname", local.tzname() or zone.key)
        part.add_component(rule)
        before = segment.offset
    return part


def _printable(text: str) -> str:
    """Without the control characters that RFC 5545 forbids in text."""
    return CONTROL.sub(" ", text.replace("\r\n", "\n")).strip()
