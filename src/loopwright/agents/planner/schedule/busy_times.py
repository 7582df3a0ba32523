"""Times that somebody's calendar file says are taken.

An event takes its time unless it is cancelled, marked as free (TRANSP:TRANSPARENT, or Outlook's busy status), or
declined by the calendar's owner, where the file names one. Published busy times (VFREEBUSY) count as well. Whole
days and times without a zone are by the plan's zone. A file that cannot be understood is refused, with the line: an
event that is left out in silence would be a double booking. What can be read in more than one way, or not as a time at
all, is told: a zone that nobody knows, an event without a beginning.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from math import prod
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import recurring_ical_events
from icalendar import Calendar

from loopwright.agents.planner.schedule.calendar import MOST_DAYS, first_instant, merged
from loopwright.agents.planner.schedule.problem import Span
from loopwright.agents.planner.schedule.problem_checks import load_zone
from loopwright.agents.planner.schedule.recurrence_rule import FREQUENCIES, some_date_fits
from loopwright.agents.planner.schedule.zone_names import unknown_zones, with_zones, zone_meant
from loopwright.kernel.errors import InvalidInput, NotFound

# Where in an iCalendar file things stand, so that a complaint can name the line.

CONTENT_LINE = re.compile(r"([A-Za-z0-9-]+)(?=[;:])")
DEEPEST = 8
HINT = "Export the calendar again as .ics (RFC 5545), or leave this file out."


@dataclass
class EventLines:
    """The line, from 1, of an event's `BEGIN` and of the first of each of its properties."""

    begin: int
    properties: dict[str, int] = field(default_factory=dict)

    def of(self, name: str | None) -> int:
        """The line of a property, or of the event where it has none of this name."""
        return self.properties.get((name or "").upper(), self.begin)


def malformed(line: int, why: str) -> InvalidInput:
    """The refusal of a file for what stands in a line."""
    return InvalidInput(f"The calendar file is not valid in line {line}: {why}.", hint=HINT)


def scan_events(text: str) -> list[EventLines]:
    """Walk over the lines of a file; the events are in the order in which they stand.

    Raises:
        InvalidInput: a line is no content line, or components are not closed as they were opened.
    """
    events: list[EventLines] = []
    open_parts: list[tuple[str, int]] = []
    for number, line in enumerate(re.split(r"\r\n|\n|\r", text), start=1):
        if not line.strip() or line[0] in " \t":
            continue
        match = CONTENT_LINE.match(line)
        if match is None:
            raise malformed(number, f"{line[:40]!r} is not NAME:VALUE")
        name, value = match[1].upper(), line.partition(":")[2].strip().upper()
        if name == "BEGIN":
            _open(open_parts, value, number, events)
        elif not open_parts:
            raise malformed(number, "the file does not begin with BEGIN:VCALENDAR")
        elif name == "END":
            if open_parts[-1][0] != value:
                begun, where = open_parts[-1]
                raise malformed(number, f"END:{value[:40]} closes BEGIN:{begun[:40]} of line {where}")
            open_parts.pop()
        elif open_parts[-1][0] == "VEVENT":
            events[-1].properties.setdefault(name, number)
    if open_parts:
        name, number = open_parts[-1]
        raise malformed(number, f"BEGIN:{name[:40]} is never closed, perhaps the file is cut off")
    return events


def _open(open_parts: list[tuple[str, int]], name: str, number: int, events: list[EventLines]) -> None:
    if not open_parts and name != "VCALENDAR":
        raise malformed(number, "the file does not begin with BEGIN:VCALENDAR")
    if len(open_parts) >= DEEPEST:
        raise malformed(number, f"components lie more than {DEEPEST} deep in each other")
    if name == "VEVENT":
        if len(open_parts) != 1:
            raise malformed(number, "an event lies within another component")
        events.append(EventLines(number))
    open_parts.append((name, number))


# Taken times that a calendar publishes without telling what they are (VFREEBUSY), and declined invitations.

FREE = "FREE"
"""The one FBTYPE that is free: what nobody knows counts as busy (RFC 5545, 3.2.9)."""
OWNER_NAMES = ("X-OWNER", "X-WR-CALNAME")
"""Where programs write whose calendar it is."""


def published_times(calendar: Any, zone: ZoneInfo, most: int) -> Iterator[Span]:
    """The busy periods of a calendar's VFREEBUSY parts, in UTC; at most so many.

    Raises:
        InvalidInput: there are more, or a period ends before it starts or lies in an unknown zone.
    """
    count = 0
    for part in calendar.walk("VFREEBUSY"):
        periods = part.get("FREEBUSY", [])
        for period in periods if isinstance(periods, list) else [periods]:
            count += 1
            if count > most:
                raise InvalidInput(
                    f"The calendar has more than {most:,} periods.", hint="Export only the time planned."
                )
            if str(period.params.get("FBTYPE", "BUSY")).upper() == FREE:
                continue
            named = period.params.get("TZID")
            local = load_zone(str(named)) if named else zone
            start, end = _free_busy_instant(period.start, local), _free_busy_instant(period.end, local)
            if end < start:
                raise InvalidInput(f"A busy period ends before it starts: {start.isoformat()}.", hint=HINT)
            yield Span(start, end)


def _free_busy_instant(moment: datetime, zone: ZoneInfo) -> datetime:
    return (moment if moment.tzinfo else moment.replace(tzinfo=zone)).astimezone(UTC)


def owner_of(calendar: Any) -> str | None:
    """The address of the calendar's owner, where the file tells it."""
    for name in OWNER_NAMES:
        text = _address(calendar.get(name, ""))
        if "@" in text:
            return text
    return None


def was_declined(event: Any, owner: str | None) -> bool:
    """Whether the owner has declined the invitation; whose `no` it is in a calendar without an owner, nobody knows."""
    attendees = event.get("ATTENDEE", [])
    return owner is not None and any(
        _address(attendee) == owner and str(attendee.params.get("PARTSTAT", "")).upper() == "DECLINED"
        for attendee in (attendees if isinstance(attendees, list) else [attendees])
    )


def _address(value: Any) -> str:
    return str(value).strip().lower().removeprefix("mailto:")


MOST_BYTES = 10_000_000
MOST_EVENTS = 20_000
MOST_SERIES = 2_000
MOST_TIMES_A_DAY = 24
EARLIEST_SERIES = 1900
FURTHEST_OFFSET = timedelta(days=2)
"""Two clocks of the world are at most 26 hours apart."""
_ANY_ZONE = ZoneInfo("UTC")
PROPERTIES_OF_TIME = (None, "DTSTART", "DTEND", "DURATION", "RRULE", "RDATE", "EXDATE", "RECURRENCE-ID")


@dataclass(frozen=True)
class BusyTimes:
    """Taken times, in UTC, in order and not touching each other; `notes` are what the user should look at."""

    spans: list[Span]
    notes: list[str]


def busy_times(path: Path, start: datetime, end: datetime, zone: ZoneInfo) -> BusyTimes:
    """The taken times of an .ics file between `start` and `end` (aware).

    Args:
        path: an iCalendar file of at most 10 MB.
        start: times before it are cut off.
        end: times after it are cut off.
        zone: for whole days, for times without a zone, and for those whose zone nothing tells.

    Raises:
        InvalidInput: there is no such file, or it is too large or malformed; then the message names the line.
    """
    horizon = Span(start.astimezone(UTC), end.astimezone(UTC))
    if horizon.end - horizon.start > timedelta(days=MOST_DAYS):
        raise InvalidInput("Busy times of more than twenty years are asked for.", hint="Plan a shorter time.")
    text = _text(path)
    lines = scan_events(text)
    if len(lines) > MOST_EVENTS:
        raise InvalidInput(f"{path.name} has more than {MOST_EVENTS:,} events.", hint="Export only the time planned.")
    meant = {name: zone_meant(name) for name in unknown_zones(text)}
    notes = [_zone_note(path.name, name, found, zone) for name, found in sorted(meant.items())]
    text = with_zones(text, {name: found or zone.key for name, found in meant.items()}) if meant else text
    spans: list[Span] = []
    without_start = 0
    for calendar in _calendars(text):
        events = calendar.walk("VEVENT")
        without_start += _check_events(events, lines[: len(events)])
        lines = lines[len(events) :]
        calendar.subcomponents = [each for each in calendar.subcomponents if each.name != "VEVENT" or "DTSTART" in each]
        _adopt_orphans(calendar)
        spans += _taken(calendar, horizon, zone, path.name)
        spans += _within(published_times(calendar, zone, MOST_EVENTS), horizon)
    if without_start:
        count = f"{without_start} {'entry' if without_start == 1 else 'entries'}"
        notes.append(f"{path.name}: {count} without a beginning (DTSTART) left out: no time is kept free for them.")
    return BusyTimes(merged(spans), notes)


def _zone_note(file: str, name: str, found: str | None, zone: ZoneInfo) -> str:
    if found is not None:
        return f"{file}: times in the zone {name[:60]!r} are read as those of {found}."
    return f"{file}: nothing tells what the zone {name[:60]!r} is; its times are read by the plan's clock ({zone.key})."


def _adopt_orphans(calendar: Any) -> None:
    """A changed occurrence with dates of its own, whose series the file leaves out, is a series itself."""
    masters = {str(event.get("UID")) for event in calendar.walk("VEVENT") if "RECURRENCE-ID" not in event}
    for event in calendar.walk("VEVENT"):
        if str(event.get("UID")) not in masters and ("RDATE" in event or "RRULE" in event):
            event.pop("RECURRENCE-ID", None)


def _text(path: Path) -> str:
    if not path.is_file():
        raise NotFound(f"There is no calendar file {path.name!r}.", hint="Check the path.")
    if path.stat().st_size > MOST_BYTES:
        raise InvalidInput(f"{path.name} is larger than {MOST_BYTES // 1_000_000} MB.", hint="Export only a part.")
    content = path.read_bytes()
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise malformed(content[: error.start].count(b"\n") + 1, "it is not UTF-8") from error


def _calendars(text: str) -> list[Any]:
    try:
        found = Calendar.from_ical(text, multiple=True)
    except (ValueError, KeyError, IndexError, TypeError) as error:
        raise InvalidInput(f"The calendar file is not valid: {str(error)[:200]}.", hint=HINT) from error
    if not found:
        raise malformed(1, "the file does not begin with BEGIN:VCALENDAR")
    return list(found)


def _check_events(events: list[Any], lines: list[EventLines]) -> int:
    """Refuse what cannot be a time; returns how many events have no beginning."""
    series = without_start = 0
    for event, place in zip(events, lines, strict=True):
        for name, why in event.errors:
            if name in PROPERTIES_OF_TIME:
                raise malformed(place.of(name), str(why)[:200].rstrip("."))
        if "DTSTART" not in event:
            without_start += 1
            continue
        for name in ("DTSTART", "DTEND", "RECURRENCE-ID"):
            _check_zone(event, name, place)
        _check_order(event, place)
        if "RRULE" in event:
            series += 1
            _check_rules(event, place)
    if series > MOST_SERIES:
        raise InvalidInput(f"The calendar has more than {MOST_SERIES:,} recurring events.", hint="Export only a part.")
    return without_start


def _check_zone(event: Any, name: str, place: EventLines) -> None:
    if name not in event or isinstance(event[name], list):
        if name in event:
            raise malformed(place.of(name), f"{name} stands twice in one event")
        return
    moment, zone = event[name].dt, event[name].params.get("TZID")
    if zone and isinstance(moment, datetime) and moment.tzinfo is None:
        raise malformed(place.of(name), f"the time zone {str(zone)[:60]!r} is not known, nor defined in the file")


def _check_order(event: Any, place: EventLines) -> None:
    line = place.of("DTEND" if "DTEND" in event else "DURATION")
    try:
        start, end = event.start, event.end
    except ValueError as error:
        raise malformed(line, str(error)[:200].rstrip(".")) from error
    backwards = "DURATION" in event and event["DURATION"].dt < timedelta()
    if backwards or _instant(end, _ANY_ZONE) < _instant(start, _ANY_ZONE):
        raise malformed(line, "the event ends before it starts")


def _check_rules(event: Any, place: EventLines) -> None:
    rules = event["RRULE"]
    if event["DTSTART"].dt.year < EARLIEST_SERIES:
        raise malformed(place.of("DTSTART"), f"a recurring event begins before {EARLIEST_SERIES}")
    for rule in rules if isinstance(rules, list) else [rules]:
        parts = {name: ",".join(map(str, values)).upper() for name, values in rule.items()}
        times = prod(len(rule.get(name, [0])) for name in ("BYHOUR", "BYMINUTE", "BYSECOND"))
        if parts.get("FREQ") not in FREQUENCIES or times > MOST_TIMES_A_DAY:
            raise malformed(place.of("RRULE"), "the event recurs too often; daily is the finest")
        try:
            possible = some_date_fits(parts)
        except ValueError as error:
            raise malformed(place.of("RRULE"), f"the rule cannot be followed ({str(error)[:100]})") from error
        if not possible:
            raise malformed(place.of("RRULE"), "there is no date on which the event recurs")


def _taken(calendar: Any, horizon: Span, zone: ZoneInfo, name: str) -> Iterator[Span]:
    try:
        query = recurring_ical_events.of(calendar)
        events = query.between(horizon.start - FURTHEST_OFFSET, horizon.end + FURTHEST_OFFSET)
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
        raise InvalidInput(f"{name} cannot be unrolled: {str(error)[:200]}.", hint=HINT) from error
    owner = owner_of(calendar)
    spans = (
        Span(_instant(event.start, zone), _instant(event.end, zone))
        for event in events
        if _takes_time(event) and not was_declined(event, owner)
    )
    yield from _within(spans, horizon)


def _within(spans: Iterable[Span], horizon: Span) -> Iterator[Span]:
    for span in spans:
        clipped = Span(max(span.start, horizon.start), min(span.end, horizon.end))
        if clipped.start < clipped.end:
            yield clipped


def _takes_time(event: Any) -> bool:
    return (
        str(event.get("STATUS", "")).upper() != "CANCELLED"
        and str(event.get("TRANSP", "")).upper() != "TRANSPARENT"
        and str(event.get("X-MICROSOFT-CDO-BUSYSTATUS", "")).upper() != "FREE"
    )


def _instant(moment: date | datetime, zone: ZoneInfo) -> datetime:
    if not isinstance(moment, datetime):
        return first_instant(moment, zone)
    return (moment if moment.tzinfo else moment.replace(tzinfo=zone)).astimezone(UTC)
