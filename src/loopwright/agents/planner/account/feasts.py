"""Feasts that are named instead of a day, in English, German and Chinese."""

import re
from collections.abc import Iterator
from datetime import date, timedelta
from typing import Final

from dateutil.easter import easter

FEASTS: Final[tuple[tuple[str, tuple[int, int] | int], ...]] = (
    (r"christmas\s+eve|heiligabend|heilig\s+abend|平安夜", (12, 24)),
    (r"christmas|x-?mas|weihnachten|圣诞节?", (12, 25)),
    (r"new\s+year['’]?s\s+eve|silvester|跨年夜?", (12, 31)),
    (r"new\s+year(?:['’]?s(?:\s+day)?)?|neujahr|元旦", (1, 1)),
    (r"halloween", (10, 31)),
    (r"valentine['’]?s?(?:\s+day)?|valentinstag|情人节", (2, 14)),
    (r"good\s+friday|karfreitag", -2),
    (r"easter(?:\s+sunday)?|ostern|ostersonntag|复活节", 0),
    (r"pentecost|whitsun|pfingsten", 49),
)
"""Feasts by their month and day, or by the days from Easter Sunday."""


def feasts_in(text: str, today: date) -> Iterator[tuple[date, tuple[int, int]]]:
    """The feasts that a text names: the next day of each, or that of the year behind it, with its place."""
    taken: list[tuple[int, int]] = []
    for words, when in FEASTS:
        for match in re.finditer(rf"(?<![^\W\d_])(?:{words})(?![^\W\d_])(?:\s+(\d{{4}}))?", text, re.I):
            if any(match.start() < end and start < match.end() for start, end in taken):
                continue
            taken.append(match.span())
            years = [int(match[1])] if match[1] else [today.year, today.year + 1]
            days = [easter(year) + timedelta(when) if isinstance(when, int) else date(year, *when) for year in years]
            day = next((each for each in days if match[1] or each >= today), days[-1])
            yield day, match.span()
