"""What has happened to a plan, or what is asked about it: "I lost Tuesday", "task 3 took twice as long", "why?"."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date
from typing import Any, Literal
from zoneinfo import ZoneInfo

from loopwright.agents.planner.offline.change import Change
from loopwright.agents.planner.offline.horizon import read_horizon
from loopwright.agents.planner.offline.language import language
from loopwright.agents.planner.offline.lost_days import named_dates, read_lost
from loopwright.agents.planner.offline.reading import Reading, number_of
from loopwright.agents.planner.offline.term_changes import read_capacity, read_days, read_deadline, read_event
from loopwright.agents.planner.offline.told import Told, phrases

UNCLEAR = (
    "I understand changes like: I lost Tuesday; I am ill this week; task 3 took twice as long; I can only do 3 hours a "
    "week from now on; no more Fridays; move the exam to June 3; skip task 2; why is task 4 here; why not earlier?"
)
MOST_FACTOR = 20.0
MOST_MINUTES = 60 * 24 * 60
Named = Literal["skip", "done"]


def understand_change(text: str, schedule_summary: Mapping[str, Any], today: date, zone: ZoneInfo | str) -> Change:
    """The change that a sentence asks for, by rules; what cannot be told becomes a question to the user.

    Args:
        text: what the user says.
        schedule_summary: has `tasks`, a list of {id, title} in the order shown to the user, optionally with `start`;
            `goal`, the user's words for the whole; `ends`, the last day of the plan as an ISO date.
        today: the day it is in the user's zone.
        zone: the user's zone; the days are its days.
    """
    told = Told(
        reading=Reading.of(text, language()),
        tasks=[task for task in schedule_summary.get("tasks", ()) if isinstance(task, Mapping) and "id" in task],
        today=today,
        goal=str(schedule_summary.get("goal") or ""),
        ends=date.fromisoformat(schedule_summary["ends"]) if schedule_summary.get("ends") else None,
    )
    for read in READERS:
        change = read(told)
        if change is not None:
            return change
    return Change("unclear", told.text, question=UNCLEAR)


def _why(told: Told) -> Change | None:
    if told.search("why_not_earlier"):
        return told.on_tasks(Change("why_not_earlier", told.text), told.reading.left)
    if told.search("why_here"):
        return told.on_tasks(Change("why_here", told.text), told.reading.left)
    return None


def _duration(told: Told) -> Change | None:
    match = told.search("factor")
    if match is not None:
        words = match["factor"]
        known = phrases()["factors"]
        factor = known.get(words) or number_of(re.sub(r"\s*(?:times|x)$", "", words), told.reading.language)
        if not 0.01 <= factor <= MOST_FACTOR:
            return Change("unclear", told.text, question="How many hours did it take?")
        return _taking(told, Change("duration", told.text, factor=factor, over=_over(match)), match)
    match = told.search("longer")
    if match is None:
        return None
    language_of = told.reading.language
    minutes = number_of(match["amount"], language_of) * language_of.table("time_units")[match["unit"]]
    if not 1 <= minutes <= MOST_MINUTES:
        return Change("unclear", told.text, question="How many hours did it take?")
    change = Change("duration", told.text, over=_over(match))
    if match["more"]:
        more = -minutes if match["more"] in ("less", "shorter") else minutes
        return _taking(told, replace(change, more_minutes=round(more)), match)
    return _taking(told, replace(change, minutes=round(minutes)), match)


def _taking(told: Told, change: Change, match: re.Match[str]) -> Change:
    """The change on the tasks before the verb; `it took …` is about a task that is named elsewhere."""
    found = told.on_tasks(change, match["what"])
    if found.node_ids or found.candidates:
        return found
    return told.on_tasks(change, told.reading.left[: match.end("what")])


def _over(match: re.Match[str]) -> bool:
    """Whether it is told of what has been: it took, needed, lasted so long."""
    return re.search(r"\b(?:took|needed|lasted)\b", match[0]) is not None


def _named(kind: Named) -> Callable[[Told], Change | None]:
    """A reader for `skip X`, `X is done`; vaguer words count only where they name a task."""

    def read(told: Told) -> Change | None:
        match, vague = told.search(kind), told.search(f"{kind}_vague")
        if match is not None:
            return told.on_tasks(Change(kind, told.text), _what(match))
        if vague is not None:
            found = told.on_tasks(Change(kind, told.text), _what(vague))
            return found if found.node_ids or found.candidates else None
        return None

    return read


def _what(match: re.Match[str]) -> str:
    return next(value for value in (*match.groupdict().values(), "") if value is not None)


def _move(told: Told) -> Change | None:
    """`move X to Friday`, `postpone X by a week`."""
    match = told.search("move")
    if match is None:
        return None
    change = told.on_tasks(Change("move", told.text), match["what"])
    later = told.text[match.end("what") :]
    span = re.search(phrases()["by_span"], later.lower())
    if span is not None:
        amount = told.amount(span)
        until = told.start_of(change.node_ids) + amount if amount is not None else None
    else:
        days = named_dates(replace(told, reading=told.again(later)))
        until = days[0] if days else read_horizon(told.again(f"by{later.removeprefix(' to')}"), told.today).deadline
    if until is None and change.question is None:
        return replace(change, question="To which day?")
    return replace(change, until=until)


def _add(told: Told) -> Change | None:
    match = told.search("add")
    if match is None:
        return None
    effort = re.search(language().expand("{number:amount}\\s*{time_units:unit}"), match["what"])
    title = match["what"] if effort is None else match["what"].replace(effort[0], "")
    title = re.sub(r"\b(?:for|of|with|a|task|to the plan)\b\s*$", "", title.strip(" ,")).strip(" ,:\"'")
    title = title or match["what"]
    minutes = 60
    if effort is not None:
        unit = language().table("time_units")[effort["unit"]]
        minutes = round(min(number_of(effort["amount"], language()) * unit, MOST_MINUTES))
    start = match.start("what")
    shown = told.text[start : start + len(title)] if told.reading.left[start:].startswith(title) else title
    return Change("add", told.text, title=shown[:160], minutes=max(15, minutes))


READERS: tuple[Callable[[Told], Change | None], ...] = (
    read_event, _why, _duration, _named("done"), _move, read_capacity, read_deadline, read_lost, _named("skip"),
    read_days, _add,
)  # fmt: skip
"""In this order: what is more particular comes first."""
