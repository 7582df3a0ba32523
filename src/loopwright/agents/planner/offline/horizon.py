"""From when to when: start, deadline, and the days on which the user is away."""

import calendar
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import cache
from importlib import resources
from typing import Literal

from dateutil.rrule import rrulestr

from loopwright.agents.planner.offline.language import Language, Reading, number_of

# Feasts as RFC 5545 rules, the movable ones too, and the public holidays of the user's country.

DAY = timedelta(days=1)
MOST_YEARS = 6


def feast_day(rule: str, today: date, year: int | None = None) -> date | None:
    """The day of a feast: the next one, or that of a year; None where the year has none.

    Args:
        rule: its days as RFC 5545 has them, with `BYEASTER` for days counted from Easter Sunday.
        today: the first day that counts where no year is named.
        year: the year that is meant.
    """
    first = date(year, 1, 1) if year is not None else today
    begin = datetime.combine(first, time())
    day = rrulestr(f"FREQ=YEARLY;{rule}", dtstart=begin).after(begin, inc=True)
    return None if day is None or (year is not None and day.year != year) else day.date()


@cache
def country_of(zone: str) -> str | None:
    """The ISO 3166 code of the country to which a time zone belongs; None for zones of no country."""
    table = resources.files("tzdata").joinpath("zoneinfo", "zone.tab").read_text(encoding="utf-8")
    rows = (line.split("\t") for line in table.splitlines() if not line.startswith("#"))
    return next((row[0] for row in rows if row[2] == zone), None)


def public_holidays(country: str, first: date, last: date) -> dict[date, str]:
    """The nationwide public holidays between two days, with their names; none where the country is not known."""
    # Imported here: only few goals need it.
    from holidays import country_holidays, list_supported_countries

    if country not in list_supported_countries(include_aliases=False):
        return {}
    last = min(last, first + timedelta(days=366 * MOST_YEARS))
    found = country_holidays(country, years=range(first.year, last.year + 1))
    return {day: str(name) for day, name in sorted(found.items()) if first <= day <= last}


def stretches(days: list[date]) -> Iterator[tuple[date, date]]:
    """Days as first and last of runs of consecutive ones."""
    known = set(days)
    for first in sorted(day for day in known if day - DAY not in known):
        last = first
        while last + DAY in known:
            last += DAY
        yield first, last


# What date a phrase names, seen from a day.

Edge = Literal["start", "before", "by", "in"]
"""How the phrase stands to its date: `by June` ends as June begins, `in June` when it ends."""

SOON = 60
"""So many days ahead at most, `next December` and `this year` hardly mean the nearest."""
WEEKS = {"fir": 0, "1st": 0, "sec": 1, "2nd": 1, "thi": 2, "3rd": 2, "fou": 3, "4th": 3}
PARTS = {"end": "end", "late": "end", "mid": "middle", "middle": "middle"}


class NoSuchDate(ValueError):
    """The phrase names a day that no calendar has."""


def resolve(
    form: str, match: re.Match[str], today: date, edge: Edge, language: Language, *, month_first: bool = False
) -> date:
    """The day that a date form means.

    A deadline is the last day on which one may work: `before 1 March` is the last of February. Without a year it is
    the next such day. `month_first` is how 3/4/2027 is read where both could be the month.

    Raises:
        NoSuchDate: there is no such day.
    """
    found = match.groupdict()
    try:
        if form == "day_of_month":
            exact = _day_of_month(int(found["day"] or 0), today)
            return exact - timedelta(days=1) if edge == "before" else exact
        if form in ("iso", "dotted", "slash", "day_month", "month_day"):
            exact = _exact(form, found, today, language, month_first)
            return exact - timedelta(days=1) if edge == "before" else exact
        if form in ("month", "part_of_month", "week_of_month", "season", "quarter", "part_of_quarter", "year"):
            return _stretch(form, found, match[0], today, edge, language)
        return _relative(form, found, match[0], today, edge, language)
    except (ValueError, OverflowError) as error:
        raise NoSuchDate(match[0].strip()) from error


def _exact(form: str, found: Mapping[str, str | None], today: date, language: Language, month_first: bool) -> date:
    day = int(found["day"] or 0)
    month = int(language.table("months").get(found["month"] or "", 0) or found["month"] or 0)
    if form == "slash" and (month > 12 >= day or (month_first and day <= 12)):
        day, month = month, day
    if found.get("year"):
        return date(int(found["year"] or 0), month, day)
    for year in range(today.year, today.year + 9):
        if day <= calendar.monthrange(year, month)[1] and date(year, month, day) >= today:
            return date(year, month, day)
    raise NoSuchDate(f"{day}.{month}.")


def _day_of_month(day: int, today: date) -> date:
    """The next day with this number."""
    for ahead in range(12):
        year, month = divmod(today.year * 12 + today.month - 1 + ahead, 12)
        if day <= calendar.monthrange(year, month + 1)[1] and date(year, month + 1, day) >= today:
            return date(year, month + 1, day)
    raise NoSuchDate(f"the {day}.")


def _stretch(
    form: str, found: Mapping[str, str | None], words: str, today: date, edge: Edge, language: Language
) -> date:
    """The edge of a month, season, quarter or year."""
    part = PARTS.get(re.split(r"[ -]", (found.get("part") or "").strip())[0], "begin") if found.get("part") else ""
    length = {"season": 3, "quarter": 3, "part_of_quarter": 3, "year": 12}.get(form, 1)
    month = 1
    if form in ("month", "part_of_month", "week_of_month"):
        month = language.table("months")[found["month"] or ""]
    elif form == "season":
        month = language.table("seasons")[found["season"] or ""]
        part = "end" if "end of" in words else part
    elif form in ("quarter", "part_of_quarter"):
        month = 3 * int(found["quarter"] or 1) - 2
    year_words = found.get("year")
    years = [int(year_words)] if year_words else list(range(today.year - 1, today.year + 3))
    if form == "week_of_month":
        days = [_edge_of(*_week(year, month, found["which"] or ""), edge, "") for year in years]
    else:
        days = [_edge_of_months(year, month, length, edge, part) for year in years]
    days = [day for day in days if day >= today] or days[-1:]
    # In November "next December" is hardly the one that begins in a few days.
    skips = form == "month" and found.get("which") == "next" and (days[0] - today).days < SOON and len(days) > 1
    return days[1] if skips else days[0]


def _week(year: int, month: int, which: str) -> tuple[date, date]:
    """The first seven days of a month, the next ones, or the last."""
    last = calendar.monthrange(year, month)[1]
    begin = last - 6 if which == "last" else 7 * WEEKS[which[:3]] + 1
    return date(year, month, begin), date(year, month, min(begin + 6, last))


def _edge_of_months(year: int, month: int, length: int, edge: Edge, part: str) -> date:
    first = date(year, month, 1)
    return _edge_of(first, add_months(first, length) - timedelta(days=1), edge, part)


def _edge_of(first: date, last: date, edge: Edge, part: str) -> date:
    if part == "end":
        return last if edge != "start" else last - timedelta(days=6)
    if part == "middle":
        return first + (last - first) // 2
    if part == "begin":
        return first
    return {"start": first, "by": first, "before": first - timedelta(days=1), "in": last}[edge]


def _relative(
    form: str, found: Mapping[str, str | None], words: str, today: date, edge: Edge, language: Language
) -> date:
    """Days that are told from today."""
    if form == "feast":
        year = int(found["year"] or 0) or None
        day = feast_day(language.table("feasts")[found["feast"] or ""], today, year)
        if day is None:
            raise NoSuchDate(words.strip())
        return day - timedelta(days=edge == "before")
    if form == "weekday":
        ahead = (language.table("weekdays")[found["weekday"] or ""] - today.weekday()) % 7 or 7
        ahead += 7 if "next" in words and ahead < 7 - today.weekday() else 0
        return today + timedelta(days=ahead - (edge == "before"))
    if form in ("today", "tomorrow"):
        return today + timedelta(days=form == "tomorrow")
    if form == "end_of_named_year":
        return date(int(found["year"] or 0), 12, 31)
    if form in ("end_of_year", "end_of_next_year"):
        return date(today.year + (form == "end_of_next_year"), 12, 31)
    first = first_of_next(today, found["unit"] or "week")
    if form == "this_unit":
        # Who plans a year's work in December means twelve months.
        if found["unit"] == "year" and (first - today).days <= SOON:
            return add_months(today, 12) - timedelta(days=1)
        return first - timedelta(days=1)
    if form == "end_of_unit":
        return first - timedelta(days=1)
    after = first_of_next(first, found["unit"] or "week")
    if form == "end_of_next_unit" or edge == "in":
        return after - timedelta(days=1)
    return first - timedelta(days=edge == "before")


def first_of_next(day: date, unit: str) -> date:
    """The first day of the next week (they begin on Mondays), month, quarter or year."""
    if unit == "week":
        return day + timedelta(days=7 - day.weekday())
    if unit == "year":
        return date(day.year + 1, 1, 1)
    first = day.replace(day=1)
    return add_months(first, 1 if unit == "month" else 3 - (day.month - 1) % 3)


def add_months(day: date, months: int) -> date:
    """The same day so many months later, or the last of that month where it has no such day."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    return date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))


def add_span(day: date, amount: float, unit: str) -> date:
    """The day after a span of days, weeks, months or years."""
    if unit in ("month", "quarter", "year"):
        whole = {"month": 1, "quarter": 3, "year": 12}[unit] * amount
        return add_months(day, int(whole)) + timedelta(days=round((whole - int(whole)) * 30))
    return day + timedelta(days=round(amount * {"day": 1, "week": 7, "fortnight": 14}[unit]))


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
