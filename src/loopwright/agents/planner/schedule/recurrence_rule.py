"""RFC 5545 recurrence rules, read strictly: what is finer than a day or never comes is refused.

The expansion is python-dateutil's. It looks for the next date until the year 9999, some seconds long, before it says
that there is none, so rules of which no date can come are told apart here.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from itertools import count, islice, takewhile
from zoneinfo import ZoneInfo

from dateutil.relativedelta import relativedelta
from dateutil.rrule import rrulestr

from loopwright.agents.planner.schedule.calendar import MOST_DAYS, first_instant
from loopwright.agents.planner.schedule.problem import Span
from loopwright.kernel.errors import InvalidInput

LONGEST_RULE = 500
FREQUENCIES = ("DAILY", "WEEKLY", "MONTHLY", "YEARLY")
WEEKDAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
HIGHEST = {
    "COUNT": 10**9,
    "INTERVAL": 1_000,
    "BYMONTH": 12,
    "BYMONTHDAY": 31,
    "BYYEARDAY": 366,
    "BYWEEKNO": 53,
    "BYHOUR": 23,
    "BYMINUTE": 59,
}
SET_POSITIONS = {"WEEKLY": 7, "MONTHLY": 31, "YEARLY": 366}
ONLY_YEARLY = {"BYYEARDAY", "BYWEEKNO"}
MAY_BE_NEGATIVE = {"BYMONTHDAY", "BYYEARDAY", "BYWEEKNO", "BYSETPOS"}
MAY_BE_ZERO = {"BYHOUR", "BYMINUTE"}
JUST_ONE = {"COUNT", "INTERVAL", "BYHOUR", "BYMINUTE"}
DAY_PARTS = {"BYDAY", "BYMONTHDAY", "BYYEARDAY"}
UNTIL = re.compile(r"(\d{8})(?:T(\d{6})(Z?))?")
WEEKDAY = re.compile(r"([+-]?[1-9]\d?)?(MO|TU|WE|TH|FR|SA|SU)")
NUMBER = re.compile(r"[+-]?\d{1,10}")
HINT = "Write an RFC 5545 rule such as FREQ=WEEKLY;BYDAY=MO,TH or FREQ=MONTHLY;BYDAY=1SA;COUNT=12."
CYCLE = 28 * 366
"""After 28 years every date has fallen on every weekday."""


@dataclass(frozen=True)
class RecurrenceRule:
    """A rule that was read and can be unrolled; UNTIL is by the wall clock."""

    frequency: str
    parts: dict[str, str]

    @property
    def names_days(self) -> bool:
        """Whether the rule says on which day work is due, and not only in which week, month or year."""
        return self.frequency == "DAILY" or bool(DAY_PARTS & self.parts.keys())

    def wall_times(self, begin: datetime) -> Iterator[datetime]:
        """What the wall clock shows when work is due, from `begin` (naive) on; perhaps endless."""
        text = ";".join(f"{name}={value}" for name, value in self.parts.items())
        return iter(rrulestr(text, dtstart=begin.replace(second=0, microsecond=0)))


def parse_rule(text: str, zone: ZoneInfo) -> RecurrenceRule:
    """Read a rule, with or without `RRULE:` before it.

    Raises:
        InvalidInput: it is no rule, or none that is planned: finer than a day, impossible, out of range.
    """
    plain = text.strip().upper().removeprefix("RRULE:")
    if len(plain) > LONGEST_RULE:
        raise InvalidInput(f"A recurrence rule is longer than {LONGEST_RULE} characters.", hint=HINT)
    parts: dict[str, str] = {}
    for part in plain.rstrip(";").split(";"):
        name, equals, value = part.partition("=")
        if not equals or not value:
            raise _refused(text, f"{part!r} is not NAME=VALUE")
        if name in parts:
            raise _refused(text, f"{name} stands twice")
        parts[name] = value
    frequency = parts.get("FREQ", "")
    if frequency in {"SECONDLY", "MINUTELY", "HOURLY"}:
        raise _refused(text, "work does not recur more often than daily")
    if frequency not in FREQUENCIES:
        raise _refused(text, f"FREQ is none of {', '.join(FREQUENCIES)}")
    if "COUNT" in parts and "UNTIL" in parts:
        raise _refused(text, "COUNT and UNTIL exclude each other")
    for name, value in parts.items():
        _check_part(text, frequency, name, value)
    if "UNTIL" in parts:
        parts["UNTIL"] = _until(text, parts["UNTIL"], zone)
    if not some_date_fits(parts):
        raise _refused(text, "there is no such date")
    return RecurrenceRule(frequency, parts)


def _refused(text: str, why: str) -> InvalidInput:
    shown = text if len(text) <= 100 else text[:99] + "…"
    return InvalidInput(f"The recurrence {shown!r} cannot be planned: {why}.", hint=HINT)


def _check_part(text: str, frequency: str, name: str, value: str) -> None:
    if name in {"FREQ", "UNTIL"}:
        return
    if name == "WKST":
        if value not in WEEKDAYS:
            raise _refused(text, f"WKST is none of {', '.join(WEEKDAYS)}")
    elif name == "BYDAY":
        for item in value.split(","):
            match = WEEKDAY.fullmatch(item)
            if match is None or (match[1] and (frequency not in {"MONTHLY", "YEARLY"} or abs(int(match[1])) > 53)):
                raise _refused(text, f"BYDAY={item} is no day of this rule")
    elif name == "BYSETPOS":
        if frequency not in SET_POSITIONS:
            raise _refused(text, "BYSETPOS needs weeks, months or years")
        _check_numbers(text, name, value, SET_POSITIONS[frequency])
    elif name not in HIGHEST:
        raise _refused(text, f"{name} is not known")
    elif name in ONLY_YEARLY and frequency != "YEARLY":
        raise _refused(text, f"{name} needs FREQ=YEARLY")
    else:
        _check_numbers(text, name, value, HIGHEST[name])


def _check_numbers(text: str, name: str, value: str, highest: int) -> None:
    items = value.split(",")
    if name in JUST_ONE and len(items) > 1:
        raise _refused(text, f"{name} takes one number: give other times of the day a rule of their own")
    lowest = -highest if name in MAY_BE_NEGATIVE else 0
    for item in items:
        if (
            not NUMBER.fullmatch(item)
            or not lowest <= int(item) <= highest
            or (not int(item) and name not in MAY_BE_ZERO)
        ):
            raise _refused(text, f"{name}={item[:20]} is out of range")


def _until(text: str, value: str, zone: ZoneInfo) -> str:
    """The last instant by the wall clock; a bare date includes its day."""
    match = UNTIL.fullmatch(value)
    if match is None:
        raise _refused(text, f"UNTIL={value[:20]} is no date")
    try:
        last = datetime.strptime(match[1] + (match[2] or "235959") + "+0000", "%Y%m%d%H%M%S%z")
    except ValueError:
        raise _refused(text, f"UNTIL={value} is no date") from None
    if match[3]:
        last = last.astimezone(zone)
    return last.strftime("%Y%m%dT%H%M%S")


def some_date_fits(parts: dict[str, str]) -> bool:
    """Whether any date has the months, days of the month and weekdays that the rule names."""
    months = {int(item) for item in parts.get("BYMONTH", "").split(",") if item}
    days = {int(item) for item in parts.get("BYMONTHDAY", "").split(",") if item}
    weekdays = {WEEKDAYS.index(item[-2:]) for item in parts.get("BYDAY", "").split(",") if item}
    return any(
        (not months or day.month in months)
        and (not weekdays or day.weekday() in weekdays)
        and (not days or day.day in days or _from_the_end(day) in days)
        for day in (date(2000, 1, 1) + timedelta(days=number) for number in range(CYCLE))
    )


def _from_the_end(day: date) -> int:
    """-1 for the last day of a month."""
    following = (day.replace(day=28) + timedelta(days=4)).replace(day=1)
    return (day - following).days


# When recurring work is due: the contract's words and RFC 5545 rules, unrolled by the wall clock of a zone.

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
NO_SPACE = "{missed} of {all} occurrences have too little working time and are left out, the first on {day}."


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


def with_space(series: Series, spans: list[Span], minutes: int, *, in_one_piece: bool) -> Series:
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
        spaces = []
        for span in islice(spans, bisect_right(ends, window.start), None):
            if span.start >= window.end:
                break
            spaces.append(min(span.end, window.end) - max(span.start, window.start))
        space = max(spaces, default=timedelta()) if in_one_piece else sum(spaces, timedelta())
        (kept if space >= timedelta(minutes=minutes) else missed).append(occurrence)
    if not missed:
        return series
    day = missed[0].due.date().isoformat()
    note = NO_SPACE.format(missed=len(missed), all=len(series.occurrences), day=day)
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
