"""Feasts fall on the days that calendars have for them; zones belong to countries."""

from datetime import date, timedelta

import pytest
from dateutil.easter import easter

from loopwright.agents.planner.offline.horizon import country_of, feast_day, public_holidays, stretches
from loopwright.agents.planner.offline.language import language

RULES = language().table("feasts")
KNOWN = [
    ("easter", 2024, date(2024, 3, 31)),
    ("good friday", 2027, date(2027, 3, 26)),
    ("pentecost", 2026, date(2026, 5, 24)),
    ("ascension", 2025, date(2025, 5, 29)),
    ("thanksgiving", 2024, date(2024, 11, 28)),
    ("advent", 2023, date(2023, 12, 3)),
    ("advent", 2022, date(2022, 11, 27)),
    ("memorial day", 2027, date(2027, 5, 31)),
    ("mother's day", 2026, date(2026, 5, 10)),
    ("christmas", 2026, date(2026, 12, 24)),
]


@pytest.mark.parametrize(("name", "year", "day"), KNOWN)
def test_a_feast_has_its_day(name: str, year: int, day: date) -> None:
    assert feast_day(RULES[name], date(1999, 1, 1), year) == day


def test_every_feast_comes_within_a_year() -> None:
    today = date(2028, 2, 29)
    for name, rule in RULES.items():
        day = feast_day(rule, today)
        assert day is not None, name
        assert today <= day <= today + timedelta(days=400), name


def test_easter_is_right_for_a_century() -> None:
    assert all(feast_day(RULES["easter"], date(1999, 1, 1), year) == easter(year) for year in range(2000, 2100))


def test_zones_have_countries_and_countries_have_holidays() -> None:
    assert (country_of("Europe/Berlin"), country_of("America/Chicago"), country_of("UTC")) == ("DE", "US", None)
    german = public_holidays("DE", date(2027, 3, 1), date(2027, 4, 30))
    assert list(german) == [date(2027, 3, 26), date(2027, 3, 29)]
    assert public_holidays("XX", date(2027, 3, 1), date(2027, 4, 30)) == {}


def test_days_in_a_row_are_one_stretch() -> None:
    days = [date(2027, 1, 1), date(2026, 12, 31), date(2027, 1, 3)]
    assert list(stretches(days)) == [(date(2026, 12, 31), date(2027, 1, 1)), (date(2027, 1, 3), date(2027, 1, 3))]
