"""When recurring work is due: the contract's words and RFC 5545 rules, unrolled by the wall clock of a zone."""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from itertools import count, islice, takewhile
from zoneinfo import ZoneInfo

from dateutil.relativedelta import relativedelta

from loopwright.agents.planner.schedule.calendar import MOST_DAYS, first_instant
from loopwright.agents.planner.schedule.problem import Span
from loopwright.agents.planner.schedule.recurrence_rule import RecurrenceRule, parse_rule
from loopwright.kernel.errors import InvalidInput

MOST_OCCURRENCES = 2_000
PERIODS = {
    "daily": relativedelta(days=1),
    "weekly": relativedelta(weeks=1),
    "monthly": relativedelta(months=1),
    "quarterly": relativedelta(months=3),
    "yearly": relativedelta(years=1),
}
LONGER = "The rule gives more than {most:,} occurrences in this time; the first {most:,} are planned."
CUT = "The last {word} period is cut off by the end of the plan and left out."
NO_ROOM = "{missed} of {all} occurrences have too little working time and are left out, the first on {day}."


@dataclass(frozen=True)
class Occurrence:
    """One time at which recurring work is due: `due` by the zone's clock, its work within `window` (UTC)."""

    index: int
    due: datetime
    window: Span


@dataclass(frozen=True)
class Series:
    """The occurrences in order; `notes` tell a person what was left out."""

    occurrences: tuple[Occurrence, ...]
    notes: tuple[str, ...] = ()


def occurrences(rule: str, start: datetime, end: datetime, zone: ZoneInfo, *, first: datetime | None = None) -> Series:
    """Unroll recurring work between `start` and `end`.

    The words (`daily` … `yearly`) make periods that follow each other from the start's date: work is due once in each,
    anywhere in it; a last period that the end cuts off is left out. A rule (`FREQ=WEEKLY;BYDAY=MO,TH`) that names days
    has the work done on these days; one that does not, within the day, week, month or year that begins on the date it
    gives. Wall-clock times that summer time skips are moved behind the gap, of those that come twice the first counts.

    Args:
        rule: a word, `none`, or an RFC 5545 RRULE.
        start: aware; nothing lies before.
        end: aware; nothing lies after.
        zone: whose clock and calendar count.
        first: the rule's DTSTART where it is not the start: COUNT, INTERVAL and the time of day go by it.

    Returns:
        At most 2,000 occurrences.

    Raises:
        InvalidInput: a rule that cannot be read, is finer than a day or never comes; naive times; endless horizons.
    """
    for moment in (start, end, first or start):
        if moment.utcoffset() is None:
            raise InvalidInput(f"{moment.isoformat()} has no time zone.", hint="Give times with their offset or zone.")
    if abs(end.astimezone(UTC) - (first or start).astimezone(UTC)) > timedelta(days=MOST_DAYS):
        raise InvalidInput("The recurrence spans more than twenty years.", hint="Plan a shorter time.")
    horizon = Span(start.astimezone(UTC), end.astimezone(UTC))
    if rule == "none":
        whole = Occurrence(0, start.astimezone(zone), horizon)
        return Series((whole,) if horizon.start < horizon.end else ())
    begin = (first or start).astimezone(zone)
    if rule in PERIODS:
        found, notes = _periods(rule, begin, horizon, zone)
    else:
        found, notes = _by_rule(parse_rule(rule, zone), begin, horizon, zone), ()
    firsts = list(islice(found, MOST_OCCURRENCES + 1))
    if len(firsts) > MOST_OCCURRENCES:
        notes = (LONGER.format(most=MOST_OCCURRENCES),)
    return Series(_numbered(firsts[:MOST_OCCURRENCES]), notes)


def with_room(series: Series, spans: list[Span], minutes: int, *, in_one_piece: bool) -> Series:
    """Leave out occurrences whose window has too little working time, and note how many; the others keep their index.

    Daily work in a calendar without Sundays is due on six days a week: the seventh is no conflict.

    Args:
        series: what `occurrences` gave.
        spans: the working time, as `working_spans` gives it.
        minutes: how long one occurrence takes.
        in_one_piece: whether the time must be in one span.
    """
    ends = [span.end for span in spans]
    kept: list[Occurrence] = []
    missed: list[Occurrence] = []
    for occurrence in series.occurrences:
        window = occurrence.window
        rooms = []
        for span in islice(spans, bisect_right(ends, window.start), None):
            if span.start >= window.end:
                break
            rooms.append(min(span.end, window.end) - max(span.start, window.start))
        room = max(rooms, default=timedelta()) if in_one_piece else sum(rooms, timedelta())
        (kept if room >= timedelta(minutes=minutes) else missed).append(occurrence)
    if not missed:
        return series
    day = missed[0].due.date().isoformat()
    note = NO_ROOM.format(missed=len(missed), all=len(series.occurrences), day=day)
    return Series(tuple(kept), (*series.notes, note))


def _numbered(found: list[Occurrence]) -> tuple[Occurrence, ...]:
    return tuple(replace(occurrence, index=index) for index, occurrence in enumerate(found))


def _periods(word: str, begin: datetime, horizon: Span, zone: ZoneInfo) -> tuple[Iterator[Occurrence], tuple[str, ...]]:
    """Periods count from the first date, not from the one before: 31 January, 28 February, 31 March."""
    step, day = PERIODS[word], begin.date()
    pairs = ((day + step * number, day + step * (number + 1)) for number in count())
    windows = (Span(first_instant(first, zone), first_instant(after, zone)) for first, after in pairs)
    begun = list(takewhile(lambda window: window.start < horizon.end, islice(windows, MOST_DAYS)))
    notes: tuple[str, ...] = ()
    if len(begun) > 1 and begun[-1].end > horizon.end:
        begun.pop()
        notes = (CUT.format(word=word),)
    clipped = (_within(window, horizon) for window in begun)
    return (Occurrence(0, max(part.start, begin).astimezone(zone), part) for part in clipped if part), notes


def _by_rule(rule: RecurrenceRule, begin: datetime, horizon: Span, zone: ZoneInfo) -> Iterator[Occurrence]:
    for wall in rule.wall_times(begin.replace(tzinfo=None)):
        due = wall.replace(tzinfo=zone).astimezone(UTC).astimezone(zone)
        if due.date() > horizon.end.astimezone(zone).date():
            return
        window = _within(_window(due.date(), rule, zone), horizon)
        if window is not None:
            yield Occurrence(0, due, window)


def _window(day: date, rule: RecurrenceRule, zone: ZoneInfo) -> Span:
    after = datetime.combine(day, time()) + PERIODS["daily" if rule.names_days else rule.frequency.lower()]
    return Span(first_instant(day, zone), first_instant(after.date(), zone))


def _within(window: Span, horizon: Span) -> Span | None:
    start, end = max(window.start, horizon.start), min(window.end, horizon.end)
    return Span(start, end) if start < end else None
