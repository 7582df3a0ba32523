"""Judges a plan by its calendar file: what the events of the exported .ics show of each fact that the goal states."""

import re
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from pathlib import Path
from statistics import median
from typing import Any
from zoneinfo import ZoneInfo

import recurring_ical_events
from icalendar import Calendar

from bench.small_model.outcome import Fact, Outcome

FIRST, LAST = date(2000, 1, 1), date(2100, 1, 1)
"""Between which events are read, each as often as it takes place."""

ZONE = ZoneInfo("Europe/Berlin")
PREPARES = re.compile(r"\b(buy|choose|get|shop|order|prepar\w*|pick|select|plan|decide|gather|collect|cover)\b", re.I)
"""Words of a title that is about getting ready for a thing, not about doing it."""

OF_WORK = ("hours_per_week", "hours_per_day", "not_on", "only_on", "within", "sessions_per_week")
"""Checks that look at working time: the day of an exam is none, unless a calendar has nothing but days."""


@dataclass(frozen=True)
class Event:
    """One event, in local time."""

    title: str
    start: datetime
    end: datetime
    whole_day: bool = False

    @property
    def hours(self) -> float:
        """How long it is."""
        return (self.end - self.start) / timedelta(hours=1)

    def names(self, words: list[str]) -> bool:
        """Whether the title has one of the words, or of the beginnings of words."""
        return any(re.search(rf"\b{re.escape(word)}", self.title, re.I) for word in words)


def read_events(text: str) -> list[Event]:
    """The events of a calendar, in order; a day without a time lasts to its end, and is no working time.

    Raises:
        ValueError: it is no calendar.
    """
    events = []
    for each in recurring_ical_events.of(Calendar.from_ical(text)).between(FIRST, LAST):
        whole_day = not isinstance(each.decoded("dtstart"), datetime)
        start = _moment(each.decoded("dtstart"))
        length = each.decoded("duration", timedelta(days=whole_day))
        end = _moment(each.decoded("dtend")) if "dtend" in each else start + length
        end -= timedelta(seconds=whole_day and end > start)
        events.append(Event(str(each.get("summary", "")), start, end, whole_day))
    return sorted(events, key=lambda event: (event.start, event.end))


def judge(case: dict[str, Any], outcome: Outcome) -> list[Fact]:
    """A fact for each stated one; all fail where there is no calendar, or an empty one."""
    file = outcome.extra.get("ics")
    try:
        events = read_events(Path(file).read_text(encoding="utf-8")) if file else []
    except (OSError, ValueError) as error:
        return [Fact(fact["words"], False, f"the calendar cannot be read: {error}") for fact in case["facts"]]
    if not events:
        return [Fact(fact["words"], False, "there is no event in any calendar") for fact in case["facts"]]
    start = date.fromisoformat(case["start"])
    first = events[0].start.date()
    facts = [Fact("begins", False, f"an event on {first}, before {start}")] if first < start else []
    timed = [event for event in events if not event.whole_day] or events
    for fact in case["facts"]:
        problem = _CHECKS[fact["check"]](fact, timed if fact["check"] in OF_WORK else events)
        facts.append(Fact(fact["words"], problem is None, problem or ""))
    return facts


def _moment(value: date) -> datetime:
    if not isinstance(value, datetime):
        return datetime.combine(value, time(), ZONE)
    return value.astimezone(ZONE) if value.tzinfo else value.replace(tzinfo=ZONE)


def _weeks(events: list[Event]) -> dict[tuple[int, int], list[Event]]:
    weeks = defaultdict(list)
    for event in events:
        year, week, _ = event.start.isocalendar()
        weeks[year, week].append(event)
    return weeks


def _ends_by(fact: dict[str, Any], events: list[Event]) -> str | None:
    last = max(event.end for event in events)
    limit = date.fromisoformat(fact["date"])
    return None if (last - timedelta(seconds=1)).date() <= limit else f"the last event ends {last:%Y-%m-%d %H:%M}"


def _hours_per_week(fact: dict[str, Any], events: list[Event]) -> str | None:
    """Never more, and in the middle week at least half: hours that are named are to be used."""
    hours = {week: sum(event.hours for event in each) for week, each in _weeks(events).items()}
    most, middle = max(hours.values()), median(hours.values())
    if most > fact["most"] + 0.01:
        return f"a week holds {most:.1f} h"
    return None if middle >= fact["most"] / 2 else f"the middle week holds {middle:.1f} h only"


def _hours_per_day(fact: dict[str, Any], events: list[Event]) -> str | None:
    days: dict[date, float] = defaultdict(float)
    for event in events:
        days[event.start.date()] += event.hours
    day, most = max(days.items(), key=lambda item: item[1])
    return None if most <= fact["most"] + 0.01 else f"{day} holds {most:.1f} h"


def _not_on(fact: dict[str, Any], events: list[Event]) -> str | None:
    wrong = [event for event in events if event.start.weekday() in fact["days"]]
    return f"{wrong[0].title!r} on {wrong[0].start:%A %Y-%m-%d}" if wrong else None


def _only_on(fact: dict[str, Any], events: list[Event]) -> str | None:
    return _not_on({"days": [day for day in range(7) if day not in fact["days"]]}, events)


def _within(fact: dict[str, Any], events: list[Event]) -> str | None:
    earliest = time.fromisoformat(fact["from"])
    wrong = [event for event in events if event.start.time() < earliest or event.end.date() > event.start.date()]
    wrong = [event for event in wrong if not (event.end.time() == time() and event.start.time() >= earliest)]
    return f"{wrong[0].title!r} at {wrong[0].start:%Y-%m-%d %H:%M}" if wrong else None


def _order(fact: dict[str, Any], events: list[Event]) -> str | None:
    first = [event for event in events if event.names(fact["first"])]
    then = [event for event in events if event.names(fact["then"]) and event not in first]
    then = [event for event in then if not PREPARES.search(event.title)]
    if not first or not then:
        return f"no event is named after {fact['first' if not first else 'then']}"
    return None if first[0].end <= then[0].start else f"{then[0].title!r} begins before {first[0].title!r} ends"


def _done_by(fact: dict[str, Any], events: list[Event]) -> str | None:
    named = [event for event in events if event.names(fact["any"])]
    if not named:
        return f"no event is named after {fact['any']}"
    late = [event for event in named if event.end.date() > date.fromisoformat(fact["date"])]
    return f"{late[0].title!r} ends {late[0].end:%Y-%m-%d}" if late else None


def _names(fact: dict[str, Any], events: list[Event]) -> str | None:
    return None if any(event.names(fact["any"]) for event in events) else f"no event is named after {fact['any']}"


def _sessions_per_week(fact: dict[str, Any], events: list[Event]) -> str | None:
    """Runs where events are named so, else all; the first and the last week may be cut off."""
    runs = [event for event in events if event.names(["run", "jog"])] or events
    weeks = sorted(_weeks(runs).items())
    inner = weeks[1:-1] if len(weeks) > 2 else weeks
    counts = {week: len({event.start.date() for event in each}) for week, each in inner}
    wrong = {week: count for week, count in counts.items() if count != fact["exactly"]}
    return (
        f"{len(wrong)} of {len(counts)} weeks have another number, such as {next(iter(wrong.items()))}"
        if wrong
        else None
    )


def _named_on(fact: dict[str, Any], events: list[Event]) -> str | None:
    named = [event for event in events if event.names(fact["any"])]
    if not named:
        return f"no event is named {fact['any']}"
    wrong = [event for event in named if event.start.weekday() not in fact["days"]]
    return f"{wrong[0].title!r} on {wrong[0].start:%A}" if wrong else None


_CHECKS: dict[str, Callable[[dict[str, Any], list[Event]], str | None]] = {
    "ends_by": _ends_by,
    "hours_per_week": _hours_per_week,
    "hours_per_day": _hours_per_day,
    "not_on": _not_on,
    "only_on": _only_on,
    "within": _within,
    "order": _order,
    "done_by": _done_by,
    "names": _names,
    "sessions_per_week": _sessions_per_week,
    "named_on": _named_on,
}
