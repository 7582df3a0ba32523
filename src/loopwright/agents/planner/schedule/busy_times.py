"""Times that somebody's calendar file says are taken.

An event takes its time unless it is cancelled, marked as free (TRANSP:TRANSPARENT, or Outlook's busy status), or
declined by the calendar's owner, where the file names one. Published busy times (VFREEBUSY) count as well. Whole
days and times without a zone are by the plan's zone. A file that cannot be understood is refused, with the line: an
event that is left out in silence would be a double booking.
"""

from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, timedelta
from math import prod
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import recurring_ical_events
from icalendar import Calendar

from loopwright.agents.planner.schedule.calendar import MOST_DAYS, first_instant, merged
from loopwright.agents.planner.schedule.free_busy import owner_of, published_times, was_declined
from loopwright.agents.planner.schedule.ics_lines import HINT, EventLines, malformed, scan_events
from loopwright.agents.planner.schedule.problem import Span
from loopwright.agents.planner.schedule.recurrence_rule import FREQUENCIES, some_date_fits
from loopwright.kernel.errors import InvalidInput, NotFound

MOST_BYTES = 10_000_000
MOST_EVENTS = 20_000
MOST_SERIES = 2_000
MOST_TIMES_A_DAY = 24
EARLIEST_SERIES = 1900
FURTHEST_OFFSET = timedelta(days=2)
"""Two clocks of the world are at most 26 hours apart."""
_ANY_ZONE = ZoneInfo("UTC")
PROPERTIES_OF_TIME = (None, "DTSTART", "DTEND", "DURATION", "RRULE", "RDATE", "EXDATE", "RECURRENCE-ID")


def read_busy(path: Path, start: datetime, end: datetime, zone: ZoneInfo) -> list[Span]:
    """The taken times of an .ics file between `start` and `end` (aware).

    Args:
        path: an iCalendar file of at most 10 MB.
        start: times before it are cut off.
        end: times after it are cut off.
        zone: for whole days and for times without a zone.

    Returns:
        Spans in UTC, in order, not touching each other.

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
    spans: list[Span] = []
    for calendar in _calendars(text):
        events = calendar.walk("VEVENT")
        _check_events(events, lines[: len(events)])
        lines = lines[len(events) :]
        spans += _taken(calendar, horizon, zone, path.name)
        spans += _within(published_times(calendar, zone, MOST_EVENTS), horizon)
    return merged(spans)


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


def _check_events(events: list[Any], lines: list[EventLines]) -> None:
    series = 0
    for event, place in zip(events, lines, strict=True):
        for name, why in event.errors:
            if name in PROPERTIES_OF_TIME:
                raise malformed(place.of(name), str(why)[:200].rstrip("."))
        if "DTSTART" not in event:
            raise malformed(place.begin, "the event has no DTSTART")
        for name in ("DTSTART", "DTEND", "RECURRENCE-ID"):
            _check_zone(event, name, place)
        _check_order(event, place)
        if "RRULE" in event:
            series += 1
            _check_rules(event, place)
    if series > MOST_SERIES:
        raise InvalidInput(f"The calendar has more than {MOST_SERIES:,} recurring events.", hint="Export only a part.")


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
