"""The tables of one language, and the patterns made of them: another language is another file, not other code."""

import json
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import time
from functools import cache
from importlib import resources
from typing import Any

PACKAGE = "loopwright.agents.planner.offline"
PLACEHOLDER = re.compile(r"\{([a-z_]+)(?::([a-z_]+))?\}")
CLOCK = (
    r"(?:(?:[01]?\d|2[0-3])(?::[0-5]\d ?(?:[ap]\.?m\b\.?)?| ?[ap]\.?m\b\.?| ?o'clock| ?h\b)"
    r"|(?:[01]?\d|2[0-4])(?=\s*(?:$|[,;.!?)]| and\b| or\b| on\b| to\b| until\b|-|–)))"
)
"""A time of day: hours alone only where nothing follows that would make them an amount or a date."""
TABLES = ("months", "weekdays", "seasons", "feasts", "day_parts", "time_units", "span_units", "periods", "currencies")


@dataclass(frozen=True)
class Language:
    """The words and phrases of a language. `table` gives the raw tables, `pattern` a compiled phrase."""

    raw: Mapping[str, Any]
    compiled: dict[str, re.Pattern[str]] = field(default_factory=dict, compare=False, repr=False)

    def table(self, name: str) -> Mapping[str, Any]:
        """The table of this name."""
        found: Mapping[str, Any] = self.raw[name]
        return found

    @property
    def number(self) -> str:
        """A pattern for a number in digits or words; digits glued to an operator or to letters are no number."""
        tens = "|".join(self.table("tens"))
        ones = "|".join(sorted(self.table("numbers"), key=len, reverse=True))
        digits = r"(?<![\w*^.,/+-])\d+(?:[.,]\d+)*"
        hundreds = "|".join(self.table("hundreds"))
        return rf"(?:{digits}|\b(?:{tens})(?:[- ](?:{ones}))?\b|\b(?:{ones})(?: (?:{hundreds}))?\b)"

    def expand(self, template: str) -> str:
        """The template with its placeholders filled: `{months}` is any month, `{months:month}` one that has a name."""
        return PLACEHOLDER.sub(self._filled, template)

    def _filled(self, match: re.Match[str]) -> str:
        name, group = match.groups()
        if name == "number":
            body = self.number
        elif name == "clock":
            body = CLOCK
        elif name == "anyday":
            body = _words({**self.table("weekdays"), **self.table("day_groups")})
        elif name == "date":
            forms = self.table("date_forms")
            body = "|".join(re.sub(r"\?P<\w+>", "?:", self.expand(forms[form])) for form in PLAIN_FORMS)
        else:
            body = _words(self.table(name))
        return f"(?P<{group}>{body})" if group else f"(?:{body})"

    def pattern(self, template: str) -> re.Pattern[str]:
        """The compiled template."""
        found = self.compiled.get(template)
        if found is None:
            # Templates come from the tables alone, so there are no more of these than phrases.
            found = self.compiled[template] = re.compile(self.expand(template))
        return found

    def patterns(self, name: str) -> list[re.Pattern[str]]:
        """The compiled templates of a list."""
        return [self.pattern(template) for template in self.raw[name]]


PLAIN_FORMS = ("iso", "dotted", "slash", "day_month", "month_day", "feast", "month")
"""The forms of a date that may stand in a span `from … to …`."""


def _words(table: Mapping[str, Any]) -> str:
    """Any of the table's words, the longest first, none of them inside a longer word."""
    ordered = sorted(table, key=lambda word: (-len(word), word))
    return "|".join(rf"\b{re.escape(word)}\b" if word[0].isalpha() else re.escape(word) for word in ordered)


@cache
def language(code: str = "en") -> Language:
    """The language of this code, as packaged."""
    text = resources.files(PACKAGE).joinpath("languages", f"{code}.json").read_text(encoding="utf-8")
    return Language(json.loads(text))


# The words of a goal while they are being understood: what is understood is taken away, the rest is the subject.

MOST_CHARACTERS = 2_000
"""A goal is a sentence or a few; what comes after is not read. It also bounds the time of every pattern."""

TAKEN = "\x00"


@dataclass
class Reading:
    """A text, its small letters with the taken parts blanked out, and what was noticed on the way.

    `text` and `left` have the same length, so that names keep their capitals.
    """

    text: str
    left: str
    language: Language
    notes: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    month_first: bool = False
    """Whether 3/4/2027 is a day in March, as it is in the United States."""

    @classmethod
    def of(cls, text: str, language: Language, *, month_first: bool = False) -> "Reading":
        """Read a text: control characters go, spaces are folded, phrases are written the way the tables have them."""
        notes = [f"I read the first {MOST_CHARACTERS} characters only."] if len(text) > MOST_CHARACTERS else []
        clean = unicodedata.normalize("NFC", text[:MOST_CHARACTERS].replace("’", "'"))
        clean = "".join(char if char.isprintable() else " " for char in clean)
        clean = re.sub(r"\s+", " ", clean).strip()
        for old, new in language.raw["rewrites"]:
            clean = re.sub(old, new, clean, flags=re.IGNORECASE)
        small = "".join(low if len(low := char.lower()) == 1 else char for char in clean)
        return cls(clean, small, language, notes, month_first=month_first)

    def find(self, template: str) -> re.Match[str] | None:
        """The first place that fits, left where it is."""
        return self.language.pattern(template).search(self.left)

    def take(self, template: str) -> re.Match[str] | None:
        """The first place that fits, taken away."""
        match = self.find(template)
        if match is not None:
            self.blank(match)
        return match

    def blank(self, match: re.Match[str]) -> None:
        """Take away what was matched."""
        start, end = match.span()
        self.left = self.left[:start] + TAKEN * (end - start) + self.left[end:]

    def original(self, match: re.Match[str], group: str | int = 0) -> str:
        """A group's text with its capitals."""
        start, end = match.span(group)
        return self.text[start:end].strip()


def number_of(words: str, language: Language) -> float:
    """What a number in digits or words is worth; one that is absurdly long is infinite.

    `1,500` and `1.500` have thousands in them where three digits follow each mark, `1,5` and `1.5` have halves.
    """
    words = words.strip().replace("-", " ")
    if words[:1].isdigit():
        digits = re.sub(r"[.,](?=\d{3}(?:\D|$))", "", words).replace(",", ".")
        if len(digits) > 12:
            return float("inf")
        return float(digits) if digits.count(".") <= 1 else float("inf")
    total = 0.0
    for word in words.split():
        if word in language.table("hundreds"):
            total = max(total, 1) * language.table("hundreds")[word]
        else:
            total += language.table("tens").get(word, language.table("numbers").get(word, 0))
    return total


# How much time there is: hours a week, minutes a day, sessions, and how often.

ARITHMETIC = r"\d[\d.,]*\s*(?:\*\*|\*|\^|e\+?)\s*\d[\d.,*^ e+]*\s*(?:hours?|minutes?|mins?|hrs?|h)\b[^,.;]{0,12}"
NEGATIVE = r"(?<!\w)[-−]\s?\d+(?:[.,]\d+)?\s*(?:hours?|minutes?|mins?|hrs?|h)\b(?:\s*(?:a|per|each|/)\s*(?:day|week))?"
MINUTES_A_WEEK = 7 * 24 * 60
SPREAD = {"session_times", "times_session"}


@dataclass
class Effort:
    """What the user can give. None means that the text does not say."""

    minutes_per_week: int | None = None
    minutes_per_day: int | None = None
    session_minutes: int | None = None
    total_minutes: int | None = None
    times_per_week: float | None = None
    recurrence: str = "none"
    days: tuple[int, ...] = ()


def read_effort(reading: Reading) -> Effort:
    """Take everything that says how much; amounts that no week has become problems."""
    effort = Effort()
    for template in (ARITHMETIC, NEGATIVE):
        match = reading.take(template)
        if match is not None:
            shown = reading.original(match)[:60]
            reading.problems.append(f"“{shown}” is no amount of time that I can plan with.")
    if _read_budget(reading, effort):
        _read_limit(reading, effort)
    else:
        _read_workload(reading, effort)
    _read_frequency(reading, effort)
    _judge(reading, effort)
    return effort


def _read_budget(reading: Reading, effort: Effort) -> bool:
    """The first amount of time that the text has, in the form that is most particular."""
    for form, template in reading.language.table("time_budgets").items():
        match = reading.take(template)
        if match is not None:
            _read_amount(reading, form, match, effort)
            return True
    return False


def _read_limit(reading: Reading, effort: Effort) -> None:
    """A second amount: `6 hours a week, at most 2 hours a day` limits both."""
    match = reading.find(reading.language.table("time_budgets")["per"])
    if match is None:
        return
    other = Effort()
    _read_amount(reading, "per", match, other)
    reading.blank(match)
    days = [amount for amount in (effort.minutes_per_day, other.minutes_per_day) if amount is not None]
    weeks = [amount for amount in (effort.minutes_per_week, other.minutes_per_week) if amount is not None]
    effort.minutes_per_day, effort.minutes_per_week = min(days, default=None), min(weeks, default=None)
    effort.times_per_week, effort.recurrence = None, "none"


def _read_amount(reading: Reading, form: str, match: re.Match[str], effort: Effort) -> None:
    language, found = reading.language, match.groupdict()
    unit = language.table("time_units").get(found.get("unit") or "h", 60)
    minutes = number_of(match["amount"], language) * unit
    if found.get("low"):
        minutes = (minutes + number_of(match["low"], language) * unit) / 2
        reading.notes.append(f"I plan {minutes / 60:g} hours where you say “{reading.original(match)[:60]}”.")
    if minutes > MINUTES_A_WEEK * 60 or minutes < 1:
        reading.problems.append(f"“{reading.original(match)[:60]}” is no amount of time that I can plan with.")
        return
    if form in ("total", "have_total"):
        effort.total_minutes = round(minutes)
        return
    if form == "on_days":
        effort.days = named_days(reading, match["days"])
        effort.minutes_per_day = round(minutes)
        effort.minutes_per_week = round(minutes * len(effort.days))
        return
    period = language.table("periods").get(found.get("period") or "week", 1)
    if form in SPREAD:
        times = _times(reading, match["times"]) * period
        effort.session_minutes, effort.times_per_week = round(minutes), times
        effort.minutes_per_week = round(minutes * times)
        return
    effort.minutes_per_week = round(minutes * period)
    if period >= 5:
        effort.minutes_per_day = round(minutes)
        effort.times_per_week, effort.recurrence = float(period), "daily"
        if period == 5:
            effort.days = (0, 1, 2, 3, 4)


def _read_workload(reading: Reading, effort: Effort) -> None:
    for words, hours in reading.language.table("workloads").items():
        if words in reading.left:
            reading.take(re.escape(words))
            effort.minutes_per_week = hours * 60
            return


def _read_frequency(reading: Reading, effort: Effort) -> None:
    """`twice a week`, `every other day`, `one book per month`."""
    language = reading.language
    other = reading.take(language.raw["every_other"])
    if other is not None:
        effort.days = named_days(reading, other["days"])
        effort.recurrence, effort.times_per_week = "weekly", len(effort.days) / 2
        return
    for pattern in language.patterns("frequency"):
        match = pattern.search(reading.left)
        if match is None:
            continue
        found = match.groupdict()
        times = (
            _times(reading, found["times"]) if found.get("times") else number_of(found.get("count") or "1", language)
        )
        if found.get("times"):
            reading.blank(match)
        effort.times_per_week = min(times * language.table("periods")[match["period"]], 21.0)
        effort.recurrence = {"week": "weekly", "wk": "weekly", "day": "daily"}.get(
            match["period"], match["period"] + "ly"
        )
        return
    for words, (recurrence, times) in sorted(language.table("frequencies").items(), key=lambda item: -len(item[0])):
        match = reading.find(rf"(?<!\w){re.escape(words)}\b")
        if match is not None:
            reading.blank(match)
            effort.recurrence, effort.times_per_week = recurrence, effort.times_per_week or times
            return


def _times(reading: Reading, words: str) -> float:
    fixed = reading.language.table("times")
    if words in fixed:
        return float(fixed[words])
    return min(number_of(re.sub(r"\s*(?:times|x|days|evenings|mornings|nights)$", "", words), reading.language), 99.0)


def named_days(reading: Reading, words: str) -> tuple[int, ...]:
    """The weekdays that the words name, 0 is Monday."""
    groups = {**reading.language.table("weekdays"), **reading.language.table("day_groups")}
    found: set[int] = set()
    for match in reading.language.pattern("{anyday}").finditer(words):
        named = groups[match[0]]
        found |= set(named) if isinstance(named, list) else {named}
    return tuple(sorted(found))


def _judge(reading: Reading, effort: Effort) -> None:
    if effort.minutes_per_day is not None and effort.minutes_per_day > 24 * 60:
        reading.problems.append(f"A day has 24 hours, not {effort.minutes_per_day // 60}.")
        effort.minutes_per_day = effort.minutes_per_week = None
    if effort.minutes_per_week is not None and effort.minutes_per_week > MINUTES_A_WEEK:
        reading.problems.append(f"A week has 168 hours, not {effort.minutes_per_week // 60:,}.")
        effort.minutes_per_week = None
    elif effort.minutes_per_week is not None and effort.minutes_per_week > 100 * 60:
        hours = effort.minutes_per_week // 60
        reading.problems.append(f"{hours} hours a week leave no time for sleep; I plan with at most 60.")
        effort.minutes_per_week = 60 * 60
        effort.minutes_per_day = min(effort.minutes_per_day or 600, 600)


# On which days and at what hours.

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
