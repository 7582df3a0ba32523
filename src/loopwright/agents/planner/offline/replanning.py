"""What has happened to a plan, or what is asked about it: "I lost Tuesday", "task 3 took twice as long", "why?"."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date, timedelta
from functools import cache
from importlib import resources
from typing import Any, Literal
from zoneinfo import ZoneInfo

from loopwright.agents.planner.offline.availability import read_availability
from loopwright.agents.planner.offline.change import Change
from loopwright.agents.planner.offline.effort import read_effort
from loopwright.agents.planner.offline.horizon import read_horizon
from loopwright.agents.planner.offline.language import PACKAGE, language
from loopwright.agents.planner.offline.mentions import Mention, mentioned
from loopwright.agents.planner.offline.reading import Reading, number_of

UNCLEAR = (
    "I understand changes like: I lost Tuesday; task 3 took twice as long; I can only do 3 hours a week from now on; "
    "skip the mock exam; why is task 4 here; why not earlier?"
)
MOST_FACTOR = 20.0


@cache
def phrases() -> Mapping[str, Any]:
    """The phrases of changes, with their placeholders filled."""
    raw = json.loads(resources.files(PACKAGE).joinpath("languages", "en_changes.json").read_text(encoding="utf-8"))
    return {name: language().expand(value) if isinstance(value, str) else value for name, value in raw.items()}


def understand_change(text: str, schedule_summary: Mapping[str, Any], today: date, zone: ZoneInfo | str) -> Change:
    """The change that a sentence asks for, by rules; what cannot be told becomes a question to the user.

    Args:
        text: what the user says.
        schedule_summary: has `tasks`, a list of {id, title} in the order shown to the user, optionally with `start`.
        today: the day it is in the user's zone.
        zone: the user's zone; the days are its days.
    """
    reading = Reading.of(text, language())
    tasks = [task for task in schedule_summary.get("tasks", ()) if isinstance(task, Mapping) and "id" in task]
    for read in READERS:
        change = read(reading, tasks, today)
        if change is not None:
            return change
    return Change("unclear", reading.text, question=UNCLEAR)


def _search(name: str, reading: Reading) -> re.Match[str] | None:
    return re.search(phrases()[name], reading.left)


def _on_tasks(change: Change, words: str, tasks: list[Mapping[str, Any]]) -> Change:
    """The change with the tasks that the words name, or with a question which ones are meant."""
    found: Mention = mentioned(words, tasks, phrases()["fillers"], phrases()["task_number"])
    if found.ids:
        return replace(change, node_ids=found.ids)
    if found.candidates:
        titles = "; ".join(found.candidates)
        return replace(change, question=f"Which task do you mean: {titles}?", candidates=found.candidates)
    return replace(change, question="Which task do you mean? Its number or a part of its title is enough.")


def _why(reading: Reading, tasks: list[Mapping[str, Any]], today: date) -> Change | None:
    if _search("why_not_earlier", reading):
        return _on_tasks(Change("why_not_earlier", reading.text), reading.left, tasks)
    if _search("why_here", reading):
        return _on_tasks(Change("why_here", reading.text), reading.left, tasks)
    return None


def _duration(reading: Reading, tasks: list[Mapping[str, Any]], today: date) -> Change | None:
    match = _search("factor", reading)
    if match is not None:
        words = match["factor"]
        known = phrases()["factors"]
        factor = known.get(words) or number_of(re.sub(r"\s*(?:times|x)$", "", words), reading.language)
        if not 0.01 <= factor <= MOST_FACTOR:
            return Change("unclear", reading.text, question="How many hours did it take?")
        return _on_tasks(Change("duration", reading.text, factor=factor), match["what"], tasks)
    match = _search("longer", reading)
    if match is None:
        return None
    minutes = number_of(match["amount"], reading.language) * reading.language.table("time_units")[match["unit"]]
    if not 1 <= minutes <= 60 * 24 * 60:
        return Change("unclear", reading.text, question="How many hours did it take?")
    return _on_tasks(Change("duration", reading.text, minutes=round(minutes)), match["what"], tasks)


def _capacity(reading: Reading, tasks: list[Mapping[str, Any]], today: date) -> Change | None:
    if not _search("hours", reading) and not re.search(r"\d", reading.left):
        return None
    trial = Reading.of(reading.text, reading.language)
    effort = read_effort(trial)
    if trial.problems:
        return Change("unclear", reading.text, question=" ".join(trial.problems))
    if effort.minutes_per_week is None:
        return None
    horizon = read_horizon(trial, today)
    per_day, since = effort.minutes_per_day, horizon.start
    return Change(
        "capacity", reading.text, minutes_per_week=effort.minutes_per_week, minutes_per_day=per_day, since=since
    )


def _lost(reading: Reading, tasks: list[Mapping[str, Any]], today: date) -> Change | None:
    if not _search("lost", reading):
        return None
    days = _days(reading, today)
    if days:
        return Change("lost_days", reading.text, days=days)
    found = mentioned(reading.left, tasks, phrases()["fillers"], phrases()["task_number"])
    if found.ids:
        return Change("move", reading.text, node_ids=found.ids)
    return Change("lost_days", reading.text, question="Which day do you mean?")


def _days(reading: Reading, today: date) -> tuple[date, ...]:
    """The days that the words name. A weekday is the last such day for what has been, else the next one."""
    past = re.search(r"\b(?:lost|missed|was|were|couldn't|skipped|last|yesterday)\b", reading.left) is not None
    week = re.search(phrases()["week"], reading.left)
    if week is not None:
        shift = {"last": -7, "next": 7}.get(week[0].split()[0], 0)
        monday = today - timedelta(days=today.weekday()) + timedelta(days=shift)
        return tuple(monday + timedelta(days=step) for step in range(7))
    if "yesterday" in reading.left:
        return (today - timedelta(days=1),)
    if "tomorrow" in reading.left:
        return (today + timedelta(days=1),)
    if re.search(r"\btoday\b", reading.left):
        return (today,)
    weekdays = reading.language.table("weekdays")
    found = []
    for match in re.finditer(reading.language.expand("{weekdays}"), reading.left):
        ahead = (weekdays[match[0]] - today.weekday()) % 7
        found.append(today + timedelta(days=ahead - 7 if past and ahead else ahead))
    if found:
        return tuple(dict.fromkeys(found))
    trial = Reading.of(f"away {reading.text}" if "away" not in reading.left else reading.text, reading.language)
    spans = read_horizon(trial, today).away
    return tuple(
        start + timedelta(days=step) for start, end in spans for step in range(min(366, (end - start).days + 1))
    )


def _named(kind: Literal["skip", "done", "move"]) -> Callable[[Reading, list[Mapping[str, Any]], date], Change | None]:
    """A reader for `skip X`, `X is done`, `move X to Friday`."""

    def read(reading: Reading, tasks: list[Mapping[str, Any]], today: date) -> Change | None:
        match = _search(kind, reading)
        if match is None:
            return None
        words = next(value for value in (*match.groupdict().values(), "") if value is not None)
        change = Change(kind, reading.text)
        if kind == "move":
            later = reading.text[match.end("what") :]
            days = _days(Reading.of(later, reading.language), today)
            trial = read_horizon(Reading.of(f"by{later.removeprefix(' to')}", reading.language), today)
            change = replace(change, until=days[0] if days else trial.deadline)
        return _on_tasks(change, words, tasks)

    return read


def _weekdays(reading: Reading, tasks: list[Mapping[str, Any]], today: date) -> Change | None:
    trial = Reading.of(reading.text, reading.language)
    found = read_availability(trial)
    if found.excluded or found.days:
        return Change("days", reading.text, weekdays=found.days, excluded_weekdays=found.excluded)
    return None


def _deadline(reading: Reading, tasks: list[Mapping[str, Any]], today: date) -> Change | None:
    if not _search("deadline", reading):
        return None
    until = read_horizon(Reading.of(reading.text, reading.language), today).deadline
    return Change("deadline", reading.text, until=until) if until is not None else None


def _add(reading: Reading, tasks: list[Mapping[str, Any]], today: date) -> Change | None:
    match = _search("add", reading)
    if match is None:
        return None
    effort = re.search(language().expand("{number:amount}\\s*{time_units:unit}"), match["what"])
    title = match["what"] if effort is None else match["what"].replace(effort[0], "")
    title = re.sub(r"\b(?:for|of|with|a|task|to the plan)\b\s*$", "", title.strip()).strip(" :\"'") or match["what"]
    minutes = 60
    if effort is not None:
        unit = language().table("time_units")[effort["unit"]]
        minutes = round(min(number_of(effort["amount"], language()) * unit, 60 * 24 * 60))
    start = match.start("what")
    shown = reading.text[start : start + len(title)] if reading.left[start:].startswith(title) else title
    return Change("add", reading.text, title=shown[:160], minutes=max(15, minutes))


READERS = (
    _why, _duration, _named("done"), _named("move"), _capacity, _deadline, _lost, _named("skip"), _weekdays, _add,
)  # fmt: skip
"""In this order: what is more particular comes first."""
