"""A schedule as an iCalendar file (RFC 5545): one event for each block, so that any calendar program shows it."""

import re
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from icalendar import Calendar, Event, Timezone, TimezoneDaylight, TimezoneStandard

from loopwright.agents.planner.contracts import PlanOutline, Schedule, ScheduleBlock
from loopwright.agents.planner.exports.titles import plan_title
from loopwright.agents.planner.schedule.calendar import segments
from loopwright.agents.planner.schedule.problem_checks import load_zone

PRODUCT = "-//Loopwright//Planner//EN"
CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f]+")
MARGIN = timedelta(days=1)


def write_ics(outline: PlanOutline, schedule: Schedule) -> str:
    """The schedule's blocks as events, by the wall clock of its zone.

    The same schedule gives the same text. An event's UID is made of its node and its number among the node's blocks,
    so a calendar that reads a later version moves the events it knows.

    Raises:
        InvalidInput: the schedule's time zone is unknown.
    """
    zone = load_zone(schedule.timezone)
    blocks = sorted(schedule.blocks, key=lambda block: (block.start.astimezone(UTC), str(block.plan_node_id)))
    calendar = Calendar()
    calendar.add("prodid", PRODUCT)
    calendar.add("version", "2.0")
    calendar.add("calscale", "GREGORIAN")
    calendar.add("method", "PUBLISH")
    calendar.add("x-wr-calname", _printable(plan_title(outline)))
    if blocks:
        first = blocks[0].start.astimezone(UTC)
        last = max(block.end.astimezone(UTC) for block in blocks)
        if schedule.timezone != "UTC":
            calendar.add_component(_timezone(zone, first - MARGIN, last + MARGIN))
        stamp = first.replace(hour=0, minute=0, second=0, microsecond=0)
        for event in _events(blocks, zone, stamp):
            calendar.add_component(event)
    return bytes(calendar.to_ical()).decode()


def _events(blocks: list[ScheduleBlock], zone: ZoneInfo, stamp: datetime) -> Iterator[Event]:
    numbers: Counter[str] = Counter()
    for block in blocks:
        node = str(block.plan_node_id)
        event = Event()
        event.add("uid", f"{node}-{numbers[node]}@loopwright")
        numbers[node] += 1
        # The plan knows no time at which it was written; a stamp of now would make each export another file.
        event.add("dtstamp", stamp)
        event.add("dtstart", _local(block.start, zone))
        event.add("dtend", _local(block.end, zone))
        event.add("summary", _printable(block.title))
        if block.notes:
            event.add("description", _printable(block.notes))
        if block.tags:
            event.add("categories", [_printable(tag) for tag in block.tags])
        yield event


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
