"""From when to when: start, deadline, and the days on which the user is away."""

import re
from dataclasses import dataclass
from datetime import date, timedelta

from loopwright.agents.planner.offline.dates import Edge, NoSuchDate, add_span, resolve
from loopwright.agents.planner.offline.reading import Reading, number_of

FARTHEST_DAYS = 5 * 366
"""Nobody keeps to a day-by-day plan for longer than five years."""


@dataclass
class Horizon:
    """When the work begins and by when it is done; `deadline` is the last day on which one may work."""

    start: date
    deadline: date | None = None
    away: tuple[tuple[date, date], ...] = ()
    start_given: bool = False


def read_horizon(reading: Reading, today: date) -> Horizon:
    """Take everything that says when; what is impossible becomes a problem, never an error."""
    horizon = Horizon(start=today)
    horizon.away = _away(reading, today)
    start = _prefixed(reading, today, "start")
    if start is not None:
        if start < today:
            reading.notes.append(f"The start {start.isoformat()} has passed; the plan starts today.")
        horizon.start, horizon.start_given = max(start, today), True
    horizon.deadline = _deadline(reading, horizon.start, today)
    unknown = reading.find(reading.language.raw["unknown_day"]) if horizon.deadline is None else None
    if unknown is not None:
        reading.notes.append(f"I do not know when “{reading.original(unknown, 'what')}” is; name the day.")
    _judge(reading, horizon, today)
    return horizon


def _deadline(reading: Reading, start: date, today: date) -> date | None:
    edges: tuple[Edge, ...] = ("before", "by")
    for edge in edges:
        found = _prefixed(reading, start if edge != "before" else today, edge)
        if found is not None:
            return found
    for name in ("spans", "long_spans"):
        span = _span(reading, start, name)
        if span is not None or reading.problems:
            return span
        if name == "spans":
            found = _prefixed(reading, start, "in") or _bare(reading, start)
            if found is not None:
                return found
    return None


def _span(reading: Reading, start: date, name: str) -> date | None:
    """The last day of `in 12 weeks`, counted from the start."""
    for pattern in reading.language.patterns(name):
        match = pattern.search(reading.left)
        if match is None:
            continue
        reading.blank(match)
        amount = number_of(match["amount"], reading.language)
        unit = reading.language.table("span_units")[match["unit"]]
        try:
            if amount <= 100_000:
                return max(start, add_span(start, amount, unit) - timedelta(days=1))
        except (OverflowError, ValueError):
            reading.notes.append("I count years up to 9999.")
        reading.problems.append(f"“{reading.original(match)[:60]}” is longer than any plan can be.")
        return None
    return None


def _prefixed(reading: Reading, today: date, edge: Edge) -> date | None:
    """The first date after one of the edge's words, whatever its form; the words in the text's order do not matter."""
    prefix = reading.language.raw["date_prefixes"][edge]
    for form, template in reading.language.table("date_forms").items():
        if edge == "in" and form in ("weekday", "today", "tomorrow", "next_unit"):
            continue
        match = reading.find(rf"(?<![a-z])(?:{prefix})(?:about |around )?{template}")
        if match is None:
            continue
        reading.blank(match)
        return _date(reading, form, match, today, edge)
    return None


def _bare(reading: Reading, today: date) -> date | None:
    """`next summer` without a preposition."""
    for form, template in reading.language.table("bare_dates").items():
        match = reading.take(template)
        if match is None:
            continue
        inner = reading.language.pattern(reading.language.table("date_forms")[form]).search(match[0])
        return None if inner is None else _date(reading, form, inner, today, "in")
    return None


def _date(reading: Reading, form: str, match: re.Match[str], today: date, edge: Edge) -> date | None:
    try:
        day = resolve(form, match, today, edge, reading.language, month_first=reading.month_first)
    except NoSuchDate as error:
        reading.problems.append(f"I know no such day as “{error}”.")
        return None
    if _ambiguous(form, match, day, today):
        reading.notes.append(f"I read “{match[0].strip()}” as {day:%A}, {day.day} {day:%B %Y}.")
    return day


def _ambiguous(form: str, match: re.Match[str], day: date, today: date) -> bool:
    """Whether somebody else could read the words as another day."""
    if form == "slash":
        return int(match["day"]) <= 12 and int(match["month"]) <= 12 and match["day"] != match["month"]
    if form == "this_unit":
        return day.year > today.year
    return form in ("season", "day_of_month") or (form == "month" and match["which"] == "next")


def _away(reading: Reading, today: date) -> tuple[tuple[date, date], ...]:
    """The spans of days on which nothing may be planned."""
    found: list[tuple[date, date]] = []
    for pattern in reading.language.patterns("away"):
        for match in list(pattern.finditer(reading.left))[:10]:
            first = spelled_day(reading, match["from"], today)
            last = spelled_day(reading, match["to"], first or today)
            if first is None or last is None or last < first:
                reading.problems.append(f"I cannot tell which days “{reading.original(match)}” means.")
            else:
                found.append((first, last))
            reading.blank(match)
    return (*found, *_away_stretches(reading, today))


def _away_stretches(reading: Reading, today: date) -> list[tuple[date, date]]:
    """`not in August`, `except in the last week of December`: the next such month or week."""
    found = []
    for pattern in reading.language.patterns("away_stretch"):
        for match in list(pattern.finditer(reading.left))[:10]:
            form = "week_of_month" if "week" in match["when"] else "month"
            inner = reading.language.pattern(reading.language.table("date_forms")[form]).search(match["when"])
            if inner is not None:
                last = resolve(form, inner, today, "in", reading.language)
                found.append((max(today, last - timedelta(days=6 if "week" in match["when"] else last.day - 1)), last))
                reading.blank(match)
    return found


def spelled_day(reading: Reading, words: str, today: date) -> date | None:
    """The day that the words name, all of them; what no calendar has becomes a problem of the reading."""
    for form, template in reading.language.table("date_forms").items():
        match = reading.language.pattern(template).fullmatch(words)
        if match is not None:
            return _date(reading, form, match, today, "by")
    return None


def _judge(reading: Reading, horizon: Horizon, today: date) -> None:
    deadline = horizon.deadline
    if deadline is None:
        return
    if deadline < today:
        reading.problems.append(f"The deadline {deadline.isoformat()} has passed.")
        horizon.deadline = None
    elif deadline < horizon.start:
        reading.problems.append(
            f"The deadline {deadline.isoformat()} lies before the start {horizon.start.isoformat()}."
        )
        horizon.deadline = None
    elif (deadline - horizon.start).days > FARTHEST_DAYS:
        reading.problems.append(f"{deadline.isoformat()} is more than five years away; I plan the first five years.")
        horizon.deadline = horizon.start + timedelta(days=FARTHEST_DAYS)
