"""The calendar file of a plan, as another calendar program reads it."""

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from pathlib import Path
from zoneinfo import ZoneInfo

import recurring_ical_events
from icalendar import Calendar, Component

from loopwright.kernel.account import NothingThereYet, NotMeasurable
from loopwright.kernel.account.reading import hard_tokens

CALENDAR = "plan.ics"


@dataclass(frozen=True)
class Entry:
    """One entry, by the wall clock of the calendar's zone. `whole_day` ones have no time: they are appointments."""

    title: str
    start: datetime
    end: datetime
    whole_day: bool = False

    @property
    def day(self) -> date:
        """The day on which it begins."""
        return self.start.date()

    @property
    def last_day(self) -> date:
        """The last day on which it takes any time."""
        return (self.end - timedelta(microseconds=1)).date()

    @property
    def hours(self) -> float:
        """How long it takes, by the clock of the world: an hour that comes twice counts twice."""
        return (self.end.astimezone(UTC) - self.start.astimezone(UTC)).total_seconds() / 3600


@dataclass(frozen=True)
class PlanCalendar:
    """All entries in the order of time. `work` are those with a time, `appointments` those that take a whole day."""

    entries: tuple[Entry, ...]
    digest: str = ""
    work: tuple[Entry, ...] = field(init=False)
    appointments: tuple[Entry, ...] = field(init=False)

    def __post_init__(self) -> None:
        """Part appointments from work."""
        object.__setattr__(self, "work", tuple(each for each in self.entries if not each.whole_day))
        object.__setattr__(self, "appointments", tuple(each for each in self.entries if each.whole_day))

    def named(self, words: Iterable[str]) -> tuple[Entry, ...]:
        """The entries in whose title all these words stand."""
        wanted = [word.casefold() for word in words]
        return tuple(each for each in self.entries if all(has_word(each.title, word) for word in wanted))

    def doing(self, words: Iterable[str]) -> tuple[Entry, ...]:
        """The entries that are named so, without those whose title quotes a rule instead of naming work."""
        return tuple(each for each in self.named(words) if not quotes_a_rule(each.title))

    def share_of(self, entries: Iterable[Entry]) -> float:
        """What part of the hours of all work these entries are."""
        everything = sum(each.hours for each in self.work)
        return sum(each.hours for each in entries if not each.whole_day) / everything if everything else 0.0


@lru_cache(maxsize=2048)
def quotes_a_rule(title: str) -> bool:
    """Whether a title says a limit or a negation: the user's sentence, copied, and no name of work."""
    return any(token.kind in ("negation", "limit") for token in hard_tokens(title))


def has_word(title: str, word: str) -> bool:
    """Whether a word stands in a title, as it is or in another number (`run`, `runs`, `running`).

    A Latin word must stand by itself; of what another script writes without spaces a part is enough.
    """
    small = title.casefold()
    if not word.isascii():
        return word in small
    if not word.isalnum() and len(parts := _words(word.casefold())) > 1:  # "Statistik-Klausur"
        return all(has_word(title, part) for part in parts)
    stem = stem_of(word)
    return any(stem_of(each) == stem or _same_verb(each, word.casefold()) for each in _words(small))


def _same_verb(one: str, other: str) -> bool:
    """Whether two words are a German verb of what somebody does and of what is to be done: "packt", "sammeln"."""
    doing, to_do = (one, other) if other.endswith(("en", "eln", "ern")) else (other, one)
    if to_do.endswith(("eln", "ern")):
        return doing == f"{to_do[:-1]}t"
    return to_do.endswith("en") and len(to_do) > len("xxen") and doing in (f"{to_do[:-2]}t", f"{to_do[:-2]}et")


def numbered(item: str, place: int) -> re.Pattern[str]:
    """One of several things that are counted, by its number: "Chapter 3", "3. Kapitel"; not by another number."""
    return re.compile(rf"{re.escape(item)}\w*\s*{place}(?!\d)|(?<!\d){place}\.?\s*{re.escape(item)}", re.I)


def _words(text: str) -> list[str]:
    return "".join(letter if letter.isalnum() or letter in "+#" else " " for letter in text).split()


def stem_of(word: str) -> str:
    """A word without the ending of its number or form: enough to find it again, too little to take it for another."""
    word = word.casefold()
    for ending in ("ing", "ies", "es", "s", "ed"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "sz":
        word = word[:-1]  # running, planned
    return word.removesuffix("e") if len(word) > 3 else word.removesuffix("y")


PLURALS = (
    ("ies", "y"), ("sses", "ss"), ("ches", "ch"), ("shes", "sh"), ("xes", "x"), ("toes", "to"), ("roes", "ro"),
    ("stunden", "stunde"), ("fahrten", "fahrt"), ("proben", "probe"), ("ungen", "ung"), ("heiten", "heit"), ("s", ""),
)  # fmt: skip


def one_of(noun: str) -> str:
    """One of what is counted, by the plural's usual endings in English and German; another word stays as it is."""
    for plural, single in PLURALS:
        if noun.endswith(plural) and len(noun) >= len(plural) + 2 and not noun.endswith(("ss", "us", "is")):
            return noun[: -len(plural)] + single
    return noun


def read_calendar(path: Path) -> PlanCalendar:
    """Read a calendar file.

    Raises:
        NothingThereYet: there is none.
        NotMeasurable: it cannot be read as one.
    """
    try:
        data = path.read_bytes()
        parsed = Calendar.from_ical(data)
    except OSError as error:
        raise NothingThereYet(f"there is no calendar file {path.name}") from error
    except ValueError as error:
        raise NotMeasurable(f"{path.name} is no calendar: {error}") from error
    zone = _zone(parsed)
    entries = [_entry(event, zone) for event in _occurrences(parsed) if str(event.get("STATUS", "")) != "CANCELLED"]
    return PlanCalendar(tuple(sorted(entries, key=lambda each: each.start)), hashlib.sha256(data).hexdigest())


def _occurrences(calendar: Calendar) -> list[Component]:
    """The events, each as often as it takes place."""
    events = list(calendar.walk("VEVENT"))
    series = Calendar()
    series.subcomponents = [event for event in events if "RRULE" in event]
    return [event for event in events if "RRULE" not in event] + list(recurring_ical_events.of(series).all())


def _zone(calendar: Calendar) -> ZoneInfo:
    names = [str(part.get("TZID")) for part in calendar.walk("VTIMEZONE")]
    try:
        return ZoneInfo(names[0]) if names else ZoneInfo("UTC")
    except (KeyError, ValueError) as error:
        raise NotMeasurable(f"the zone {names[0][:60]!r} of the calendar is not known") from error


def _entry(event: Component, zone: ZoneInfo) -> Entry:
    start, end = event.decoded("DTSTART"), event.decoded("DTEND", None)
    title = str(event.get("SUMMARY", ""))
    if isinstance(start, datetime):
        begins = start.astimezone(zone)
        return Entry(title, begins, end.astimezone(zone) if isinstance(end, datetime) else begins)
    after = end if isinstance(end, date) else start + timedelta(days=1)
    return Entry(title, _midnight(start, zone), _midnight(after, zone), whole_day=True)


def _midnight(day: date, zone: ZoneInfo) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=zone)


def hours_by_day(entries: Iterable[Entry]) -> dict[date, float]:
    """Hours of each day; what goes past midnight counts on the day on which it begins."""
    days: dict[date, float] = defaultdict(float)
    for entry in entries:
        days[entry.day] += entry.hours
    return dict(days)


def weeks_of(entries: Iterable[Entry], since: date | None = None) -> dict[date, list[Entry]]:
    """The entries of each calendar week, by its Monday; weeks in between without any are there too."""
    held = [each for each in entries if since is None or each.day >= since]
    weeks: dict[date, list[Entry]] = {}
    if held:
        monday, last = (_monday(day) for day in (held[0].day, held[-1].day))
        while monday <= last:
            weeks[monday] = []
            monday += timedelta(days=7)
    for entry in held:
        weeks[_monday(entry.day)].append(entry)
    return weeks


def full_weeks(weeks: dict[date, list[Entry]]) -> dict[date, list[Entry]]:
    """The weeks between the first and the last one, which are seldom whole; all of them where there are two or less."""
    inner = sorted(weeks)[1:-1]
    return {monday: weeks[monday] for monday in inner} or weeks


def _monday(day: date) -> date:
    return day - timedelta(days=day.weekday())
