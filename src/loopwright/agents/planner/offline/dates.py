"""What date a phrase names, seen from a day."""

import calendar
import re
from collections.abc import Mapping
from datetime import date, timedelta
from typing import Literal

from loopwright.agents.planner.offline.feasts import feast_day
from loopwright.agents.planner.offline.language import Language

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
