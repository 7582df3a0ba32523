"""Whether a value that a text names agrees with an argument of a claim."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from decimal import Decimal, InvalidOperation
from typing import Any

from loopwright.kernel.account.reading.lexicon import (
    Leaf,
    last_part,
    normal,
    parts_of,
    scan,
    unit_of,
    unit_sizes,
    unit_words,
)
from loopwright.kernel.account.reading.values import Value, near_hue, read_values
from loopwright.kernel.account.reading.values.amounts import days_of, year_of

_WEEKDAYS = ("mo", "tu", "we", "th", "fr", "sa", "su")
_ISO = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?:$|[T ])")
_MONTH = re.compile(r"(\d{4})-(\d\d)")
_HEX = re.compile(r"#[0-9a-fA-F]{3,8}")
_RGB = re.compile(r"rgba?\(\s*(\d{1,3})[,\s]+(\d{1,3})[,\s]+(\d{1,3})")
_DAY_NAMES = frozenset(("weekday", "weekdays", "day_of_week"))
_PLACE_NAMES = frozenset(
    ("index", "position", "number", "nth", "ordinal", "place", "n", "which", "row", "rank", "item")
)
_PAGE_NAMES = _PLACE_NAMES - {"number", "n"} | {"page", "level", "line", "column"}
_RATE_NAMES = frozenset(("per", "period", "every", "unit", "units", "measure", "rate", "interval", "frequency"))
_CLOSE = Decimal("0.0001")


def value_stands(
    value: Value, text: str, leaves: Sequence[Leaf], check: frozenset[str], today: date | None = None
) -> bool:
    """Whether one of the leaves says the value; `text` are the words of its token, `check` those of the check's name.

    A date without a year is the next one from `today` on, where that is known.
    """
    if value.type == "calendar" and today is not None and any(_within(value, leaf, today) for leaf in leaves):
        return True
    if value.type == "date" and today is not None and (year := year_of(value.unit, today)) is not None:
        if any(_date(value, text, leaf) for leaf in leaves):  # a text that names it in the same words
            return True
        value = replace(value, value=f"{year}{str(value.value)[1:]}", unit="")
    if value.type == "date" and today is not None and str(value.value).startswith("--"):
        leaves = [leaf for leaf in leaves if not _far(leaf, today)]
    if value.type in ("date", "weekday", "time", "colour", "calendar", "ordinal"):
        if value.type == "calendar" and value.per:
            return any(_says_per(value.per, leaf, check) for leaf in leaves)
        return any(_AGREES[value.type](value, text, leaf) for leaf in leaves)
    return any(
        _amount(value, leaf, check) and (not value.per or _says_per(value.per, leaf, check))
        for leaf in leaves
        if not isinstance(leaf.value, bool)
    )


def _far(leaf: Leaf, today: date) -> bool:
    """Whether a date is not within a year from today, or from the day before it in another zone."""
    today -= timedelta(days=1)
    iso = leaf.value.isoformat()[:10] if isinstance(leaf.value, date) else str(leaf.value).strip()[:10]
    if not _ISO.match(iso):
        return False
    return not today.isoformat() <= iso < f"{today.year + 1}{today.isoformat()[4:]}"


def _says_per(per: str, leaf: Leaf, check: frozenset[str]) -> bool:
    """Whether a rate is said of this value: in the check's name, the value's own name, its text, or beside it."""
    words = {per, f"per_{per}", {"day": "daily"}.get(per, f"{per}ly")}
    if words & check or words & {word for name in leaf.path for word in parts_of(name)}:
        return True
    own = leaf.value if isinstance(leaf.value, str) else ""
    beside = [text for name, text in leaf.beside.items() if name in _RATE_NAMES]
    said = {word.norm for text in (own, *beside) for word in scan(text)}
    return bool(words & said) or per in {value.per for value in read_values(own)}


def _texts(leaf: Leaf) -> list[Value]:
    return read_values(leaf.value) if isinstance(leaf.value, str) and len(leaf.value) < 2_000 else []


def _within(value: Value, leaf: Leaf, today: date) -> bool:
    """Whether a date lies in the days that are told from today: "next week"."""
    days = days_of(str(value.value), today)
    iso = _ISO.match(leaf.value.strip()) if isinstance(leaf.value, str) else None
    if days is None or not (iso or isinstance(leaf.value, date)):
        return False
    try:
        day = date.fromisoformat(iso[0][:10]) if iso else leaf.value
    except ValueError:
        return False
    return days[0] <= (day.date() if isinstance(day, datetime) else day) <= days[1]


def _date(value: Value, text: str, leaf: Leaf) -> bool:
    wanted = str(value.value)
    year = None if wanted.startswith("--") else wanted[:4]
    month, _, day = (wanted[2:] if year is None else wanted[5:]).partition("-")
    name = leaf.path[-1].lower() if leaf.path else ""
    if isinstance(leaf.value, int) and not isinstance(leaf.value, bool):
        whole_month = year is None and not day and not value.unit and "month" in name and leaf.value == int(month)
        return whole_month or (not month and "year" in name and str(leaf.value) == year)
    if isinstance(leaf.value, date):
        return _same_date(leaf.value.isoformat()[:10], year, month, day) and _same_part(value.unit, leaf.value.day)
    if not isinstance(leaf.value, str):
        return False
    iso = _ISO.match(leaf.value.strip())
    if iso:
        return _same_date(iso[0][:10], year, month, day) and _same_part(value.unit, int(iso[3]))
    if _MONTH.fullmatch(leaf.value.strip()):
        return not day and not value.unit and _same_date(leaf.value.strip() + "-00", year, month, day)
    # A text that names the date, as it should be seen.
    return any(
        found.type == "date" and (str(found.value), found.unit) == (wanted, value.unit) for found in _texts(leaf)
    )


def _same_date(iso: str, year: str | None, month: str, day: str) -> bool:
    return (not year or iso[:4] == year) and (not month or iso[5:7] == month) and (not day or iso[8:10] == day)


def _same_part(part: str, day: int) -> bool:
    """Whether a day lies in the named third of its month."""
    return {"": True, "begin": day <= 10, "middle": 10 < day <= 20, "end": day > 20}.get(part, False)


def _weekday(value: Value, text: str, leaf: Leaf) -> bool:
    name = leaf.path[-1].lower() if leaf.path else ""
    if isinstance(leaf.value, int) and not isinstance(leaf.value, bool):
        return name in _DAY_NAMES and leaf.value == value.value
    if not isinstance(leaf.value, str):
        return False
    short = normal(leaf.value.strip())[:2] if len(leaf.value.strip()) <= 3 else ""
    if short and _WEEKDAYS[int(value.value)] == short:
        return True
    return any(found.type == "weekday" and found.value == value.value for found in _texts(leaf))


def _time(value: Value, text: str, leaf: Leaf) -> bool:
    name = leaf.path[-1].lower() if leaf.path else ""
    if isinstance(leaf.value, int) and not isinstance(leaf.value, bool):
        return name.endswith(("_minute", "minute_of_day")) and leaf.value == value.value
    if isinstance(leaf.value, (time, datetime)):
        return leaf.value.hour * 60 + leaf.value.minute == value.value
    if not isinstance(leaf.value, str):
        return False
    clock = re.fullmatch(r"(?:\d{4}-\d\d-\d\d[T ])?(\d\d?):(\d\d)(?::00)?(?:Z|[+-]\d\d:?\d\d)?", leaf.value.strip())
    if clock:
        return int(clock[1]) * 60 + int(clock[2]) == value.value
    return any(found.type == "time" and found.value == value.value for found in _texts(leaf))


def _colour(value: Value, text: str, leaf: Leaf) -> bool:
    if not isinstance(leaf.value, str):
        return False
    literal = _HEX.fullmatch(text.strip()) is not None
    rgb = _RGB.search(leaf.value)
    given = ["#{:02x}{:02x}{:02x}".format(*(min(255, int(part)) for part in rgb.groups()))] if rgb else []
    found = [str(near.value) for near in _texts(leaf) if near.type == "colour"] + given
    if literal:
        return str(value.value) in found
    if normal(text) in normal(leaf.value) and any(near.type == "colour" for near in _texts(leaf)):
        return True
    return any(near_hue(str(value.value), other) for other in found)


def _calendar(value: Value, text: str, leaf: Leaf) -> bool:
    if not isinstance(leaf.value, str):
        return False
    return any(found.type == "calendar" and found.value == value.value for found in _texts(leaf))


def _ordinal(value: Value, text: str, leaf: Leaf) -> bool:
    name = leaf.path[-1].lower() if leaf.path else ""
    if isinstance(leaf.value, int) and not isinstance(leaf.value, bool):
        return bool(set(name.split("_")) & _PLACE_NAMES) and leaf.value == value.value
    return any(found.type == "ordinal" and found.value == value.value for found in _texts(leaf))


_AGREES = {
    "date": _date,
    "weekday": _weekday,
    "time": _time,
    "colour": _colour,
    "calendar": _calendar,
    "ordinal": _ordinal,
}


def _amount(value: Value, leaf: Leaf, check: frozenset[str]) -> bool:
    """Whether a number or a text of the arguments is the amount, its unit included."""
    if isinstance(leaf.value, str) and any(_same_amount(value, found) for found in _texts(leaf)):
        return True
    number = _number(leaf.value)
    if number is None:
        return False
    if value.type in ("count", "number"):
        if value.type == "count" and (isinstance(leaf.value, str) or last_part(leaf) in _PAGE_NAMES):
            return False
        # A count in an argument that is in mm or minutes is another number that happens to be the same.
        return _near(number, Decimal(str(value.value))) and unit_of(leaf, frozenset()) in (None, value.unit, value.per)
    unit = unit_of(leaf, check)
    if value.type == "money":
        return _near(number, Decimal(str(value.value))) and value.unit.lower() in unit_words(leaf)
    if unit is None:
        return False
    kind, size = unit_sizes().get(unit, ("quantity", 1.0))
    base = {"length": "mm", "duration": "minute", "months": "month", "mass": "g", "volume": "l"}.get(kind, unit)
    return base == value.unit and _near(number * Decimal(str(size)), Decimal(str(value.value)))


def _same_amount(value: Value, found: Value) -> bool:
    if value.type in ("count", "number"):
        counted = value.type == "number" or normal(found.unit) == normal(value.unit)
        same = found.type in ("count", "number") and _near(Decimal(str(found.value)), Decimal(str(value.value)))
        return same and counted
    if value.type == "date" or found.type in ("date", "weekday", "calendar", "colour", "time", "ordinal"):
        return False
    return (found.type, found.unit) == (value.type, value.unit) and _near(
        Decimal(str(found.value)), Decimal(str(value.value))
    )


def _near(first: Decimal, second: Decimal) -> bool:
    return abs(first - second) <= _CLOSE * max(Decimal(1), abs(second))


def _number(value: Any) -> Decimal | None:
    if isinstance(value, (int, float, Decimal)):
        return Decimal(str(value))
    if isinstance(value, str) and re.fullmatch(r"\s*-?\d+(?:\.\d+)?\s*", value):
        try:
            return Decimal(value.strip())
        except InvalidOperation:
            return None
    return None
