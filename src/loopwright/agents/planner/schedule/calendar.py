"""When work may be done: a calendar's wall-clock hours as spans of real time.

An instant is working time when the wall clock of the calendar's zone then shows a time within the day's hours and
nothing else takes it. So a window that the clock skips in spring yields less time, one that it shows twice in autumn
yields more, and a whole day has 23, 24 or 25 hours. Between two changes of the zone's offset wall clock and UTC differ
by a constant: everything here works on such segments, where the arithmetic is plain.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from loopwright.agents.planner.schedule.problem import Span, WorkingCalendar
from loopwright.kernel.errors import InvalidInput

DAY = timedelta(days=1)
LOOK_EVERY = timedelta(hours=3)
"""No zone has changed its offset and back again within three hours."""
MOST_DAYS = 20 * 366
"""Horizons above twenty years are refused: the walk over them is linear."""


@dataclass(frozen=True)
class Segment:
    """A stretch of time, in UTC, in which the zone's offset does not change."""

    start: datetime
    end: datetime
    offset: timedelta


def working_spans(calendar: WorkingCalendar, start: datetime, end: datetime) -> list[Span]:
    """The times between `start` and `end` at which work may be done.

    Args:
        calendar: the hours, and what takes them.
        start: aware; the first instant.
        end: aware; the first instant after.

    Returns:
        Spans in UTC, in order, not touching each other.

    Raises:
        InvalidInput: the times are naive, or more than twenty years apart.
    """
    first, last = _in_utc(start), _in_utc(end)
    if last - first > timedelta(days=MOST_DAYS):
        raise InvalidInput("The horizon is longer than twenty years.", hint="Plan a shorter time.")
    open_spans = (span for segment in segments(calendar.zone, first, last) for span in _open_hours(calendar, segment))
    return without(merged(open_spans), [*calendar.blackouts, *calendar.busy])


def merged(spans: Iterable[Span]) -> list[Span]:
    """The same time as spans in UTC, in order, without overlaps; spans that touch become one."""
    ordered = sorted((_in_utc(span.start), _in_utc(span.end)) for span in spans)
    result: list[Span] = []
    for start, end in ordered:
        if end <= start:
            continue
        if result and start <= result[-1].end:
            result[-1] = Span(result[-1].start, max(end, result[-1].end))
        else:
            result.append(Span(start, end))
    return result


def without(spans: list[Span], taken: Iterable[Span]) -> list[Span]:
    """What is left of merged `spans` when the time of `taken` is cut out."""
    holes = merged(taken)
    result: list[Span] = []
    first = 0
    for span in spans:
        while first < len(holes) and holes[first].end <= span.start:
            first += 1
        start = span.start
        for hole in _holes_within(holes, first, span.end):
            if start < hole.start:
                result.append(Span(start, hole.start))
            start = max(start, hole.end)
        if start < span.end:
            result.append(Span(start, span.end))
    return result


def spans_by_day(spans: Iterable[Span], zone: ZoneInfo) -> dict[date, list[Span]]:
    """Spans cut at the zone's midnights, by local date; in UTC. Dates without time are left out."""
    days: dict[date, list[Span]] = defaultdict(list)
    for span in merged(spans):
        for segment in segments(zone, span.start, span.end):
            for day, start, end in _wall_days(segment):
                days[day].append(Span(start - segment.offset, end - segment.offset))
    return {day: merged(pieces) for day, pieces in sorted(days.items())}


def minutes_by_day(spans: Iterable[Span], zone: ZoneInfo) -> dict[date, int]:
    """Minutes of real time in the spans on each local date that has any; begun minutes do not count."""
    return {day: _minutes(pieces) for day, pieces in spans_by_day(spans, zone).items()}


def minutes_by_week(spans: Iterable[Span], zone: ZoneInfo) -> dict[tuple[int, int], int]:
    """Minutes of real time in the spans by ISO year and week of the local date."""
    weeks: dict[tuple[int, int], list[Span]] = defaultdict(list)
    for day, pieces in spans_by_day(spans, zone).items():
        year, week, _ = day.isocalendar()
        weeks[year, week] += pieces
    return {week: _minutes(pieces) for week, pieces in weeks.items()}


def free_minutes(calendar: WorkingCalendar, start: datetime, end: datetime) -> dict[date, int]:
    """Minutes that may be planned on each local date: the open time, at most the day's capacity."""
    most = calendar.minutes_per_day
    by_day = minutes_by_day(working_spans(calendar, start, end), calendar.zone)
    return {day: minutes if most is None else min(minutes, most) for day, minutes in by_day.items()}


def segments(zone: ZoneInfo, start: datetime, end: datetime) -> Iterator[Segment]:
    """The stretches without a change of the zone's offset, from `start` to `end` (both in UTC), in order."""
    begun, offset, moment = start, _offset(zone, start), start
    while moment < end:
        later = min(moment + LOOK_EVERY, end)
        if _offset(zone, later) != offset:
            change = _change(zone, moment, later)
            if change < end:
                yield Segment(begun, change, offset)
                begun, offset = change, _offset(zone, change)
        moment = later
    if begun < end:
        yield Segment(begun, end, offset)


def first_instant(day: date, zone: ZoneInfo) -> datetime:
    """When a local date begins, in UTC; where its midnight is skipped, when the clock goes on."""
    return datetime.combine(day, time(), tzinfo=zone).astimezone(UTC)


def _in_utc(moment: datetime) -> datetime:
    if moment.tzinfo is None or moment.utcoffset() is None:
        raise InvalidInput(f"{moment.isoformat()} has no time zone.", hint="Give times with their offset or zone.")
    return moment.astimezone(UTC)


def _holes_within(holes: list[Span], first: int, end: datetime) -> Iterator[Span]:
    for index in range(first, len(holes)):
        if holes[index].start >= end:
            return
        yield holes[index]


def _minutes(spans: list[Span]) -> int:
    return int(sum((span.end - span.start for span in spans), timedelta()) // timedelta(minutes=1))


def _offset(zone: ZoneInfo, moment: datetime) -> timedelta:
    return moment.astimezone(zone).utcoffset() or timedelta()


def _change(zone: ZoneInfo, before: datetime, after: datetime) -> datetime:
    """The first whole second after `before` at which the offset is another than there."""
    offset = _offset(zone, before)
    low, high = int(before.timestamp()), int(after.timestamp())
    while high - low > 1:
        middle = (low + high) // 2
        if _offset(zone, datetime.fromtimestamp(middle, UTC)) == offset:
            low = middle
        else:
            high = middle
    return datetime.fromtimestamp(high, UTC)


def _wall_days(segment: Segment) -> Iterator[tuple[date, datetime, datetime]]:
    """Each date of a segment with its part of the wall clock (shown as UTC, to keep arithmetic plain)."""
    start, end = segment.start + segment.offset, segment.end + segment.offset
    while start < end:
        midnight = datetime.combine(start.date() + DAY, time(), tzinfo=UTC)
        yield start.date(), start, min(end, midnight)
        start = midnight


def _open_hours(calendar: WorkingCalendar, segment: Segment) -> Iterator[Span]:
    for day, first, last in _wall_days(segment):
        for opens, closes in _hours_of(calendar, day):
            midnight = datetime.combine(day, time(), tzinfo=UTC)
            start = max(first, datetime.combine(day, opens, tzinfo=UTC))
            end = min(last, midnight + DAY if closes == time() else datetime.combine(day, closes, tzinfo=UTC))
            if start < end:
                yield Span(start - segment.offset, end - segment.offset)


def _hours_of(calendar: WorkingCalendar, day: date) -> Iterable[tuple[time, time]]:
    if day in calendar.exceptions:
        return calendar.exceptions[day]
    return [(window.start, window.end) for window in calendar.windows if window.weekday == day.weekday()]
