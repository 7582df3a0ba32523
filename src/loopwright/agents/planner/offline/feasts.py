"""Feasts as RFC 5545 rules, the movable ones too, and the public holidays of the user's country."""

from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from functools import cache
from importlib import resources

from dateutil.rrule import rrulestr

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
