"""On which days and at what hours."""

import re
from dataclasses import dataclass
from datetime import time

from loopwright.agents.planner.offline.effort import named_days
from loopwright.agents.planner.offline.reading import Reading

ALL_DAYS = (0, 1, 2, 3, 4, 5, 6)


@dataclass
class Availability:
    """`days` are the only days there are (all, where the text names none), `excluded` those that are ruled out."""

    days: tuple[int, ...] = ()
    excluded: tuple[int, ...] = ()
    day_parts: tuple[str, ...] = ()
    excluded_day_parts: tuple[str, ...] = ()
    after: time | None = None
    before: time | None = None


def read_availability(reading: Reading) -> Availability:
    """Take everything that says on which days and when in the day."""
    found = Availability()
    _read_hours(reading, found)
    _read_excluded(reading, found)
    _read_preferred(reading, found)
    _read_parts(reading, found)
    if found.days and set(found.days) <= set(found.excluded):
        reading.problems.append("The days that you name are the very days that you rule out.")
        found.days = ()
    if set(found.excluded) == set(ALL_DAYS):
        reading.problems.append("No day of the week is left to work on.")
        found.excluded = ()
    return found


def _read_hours(reading: Reading, found: Availability) -> None:
    raw = reading.language.raw
    between = reading.take(raw["clock_between"]) or _range(reading)
    if between is not None:
        found.after, found.before = clock(_with_half(between["from"], between["to"])), clock(between["to"])
    else:
        sooner, later = reading.take(raw["clock_before"]), reading.take(raw["clock_after"])
        found.after = clock(later["from"]) if later else None
        found.before = clock(sooner["to"]) if sooner else None
    if found.after is not None and found.before is not None and found.before <= found.after:
        reading.problems.append("The hours that you name end before they begin.")
        found.after = found.before = None


def _range(reading: Reading) -> re.Match[str] | None:
    """`10-12` behind a day, or with `am`, `pm`, `h`: without either it may count anything."""
    match = reading.find(reading.language.raw["clock_range"])
    if match is None or int(match["to"].partition(":")[0]) > 24:
        return None
    known = match["half"] or reading.find(r"{anyday}")
    return reading.take(reading.language.raw["clock_range"]) if known else None


def _with_half(start: str, end: str) -> str:
    """`7 to 9 pm` begins in the evening too."""
    afternoon = re.search(r"p\.?m", end) and not re.search(r"[ap]\.?m", start)
    earlier = int(re.match(r"\d+", start)[0]) < int(re.match(r"\d+", end)[0])  # type: ignore[index]
    return f"{start} pm" if afternoon and earlier else start


def _read_excluded(reading: Reading, found: Availability) -> None:
    days: set[int] = set()
    for pattern in reading.language.patterns("excluded_days"):
        for match in list(pattern.finditer(reading.left))[:10]:
            days |= set(named_days(reading, match["days"]))
            reading.blank(match)
    found.excluded = tuple(sorted(days))


def _read_preferred(reading: Reading, found: Availability) -> None:
    days: set[int] = set()
    weekdays = reading.language.table("weekdays")
    for pattern in reading.language.patterns("day_ranges"):
        for match in list(pattern.finditer(reading.left))[:3]:
            first, last = weekdays[match["first"]], weekdays[match["last"]]
            days |= {(first + step) % 7 for step in range((last - first) % 7 + 1)}
            reading.blank(match)
    for pattern in reading.language.patterns("preferred_days"):
        for match in list(pattern.finditer(reading.left))[:10]:
            days |= set(named_days(reading, match["days"]))
            reading.blank(match)
    found.days = tuple(sorted(days))


def _read_parts(reading: Reading, found: Availability) -> None:
    raw, windows = reading.language.raw, reading.language.table("day_parts")
    excluded: list[str] = []
    parts: list[str] = []
    while (match := reading.take(raw["not_day_parts"])) is not None and len(excluded) < 10:
        excluded.append(match["part"])
    while (match := reading.take(raw["day_part"])) is not None and len(parts) < 10:
        parts.append(match["part"])
    found.excluded_day_parts = tuple(dict.fromkeys(excluded))
    found.day_parts = tuple(dict.fromkeys(parts))
    if len(found.day_parts) == 1 and found.after is None and found.before is None:
        start, end = windows[found.day_parts[0]]
        found.after, found.before = time.fromisoformat(start), time.fromisoformat(end)


def clock(words: str) -> time:
    """The time of day; `24` is the last quarter of an hour of the day."""
    match = re.match(r"(\d{1,2})(?::(\d\d))?", words)
    hour, minute = (int(match[1]), int(match[2] or 0)) if match else (0, 0)
    if re.search(r"p\.?m", words) and hour < 12:
        hour += 12
    if re.search(r"a\.?m", words) and hour == 12:
        hour = 0
    return time(hour, minute) if hour < 24 else time(23, 45)
