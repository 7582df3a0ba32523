"""How much time there is: hours a week, minutes a day, sessions, and how often."""

import re
from dataclasses import dataclass

from loopwright.agents.planner.offline.reading import Reading, number_of

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
        reading.problems.append(f"{hours} hours a week leave no room for sleep; I plan with at most 60.")
        effort.minutes_per_week = 60 * 60
        effort.minutes_per_day = min(effort.minutes_per_day or 600, 600)
