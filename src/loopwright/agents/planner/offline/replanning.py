"""What has happened to a plan, or what is asked about it: "I lost Tuesday", "task 3 took twice as long", "why?"."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, time, timedelta
from functools import cache
from importlib import resources
from typing import Any, Literal
from zoneinfo import ZoneInfo

from loopwright.agents.planner.account.named import find_named
from loopwright.agents.planner.facts.phrases import say
from loopwright.agents.planner.offline.horizon import read_horizon, spelled_day
from loopwright.agents.planner.offline.language import (
    PACKAGE,
    Reading,
    language,
    number_of,
    read_availability,
    read_effort,
)
from loopwright.agents.planner.patterns import language_of

# A change of a plan, or a question about it, as understood.

ChangeKind = Literal[
    "lost_days", "duration", "capacity", "skip", "add", "done", "move", "deadline", "days", "hours", "why_here",
    "why_not_earlier", "unclear", "facts",
]  # fmt: skip


@dataclass(frozen=True)
class Change:
    """What the user wants. Only the fields that the kind needs are set.

    `lost_days`: `days`. `duration`: `node_ids` with `factor`, `minutes` or `more_minutes`, `over` where it is told of
    the past. `capacity`: `minutes_per_week` or `minutes_per_day`, from `since`. `skip`, `done`, `why_here`,
    `why_not_earlier`: `node_ids`. `move`: `node_ids`, `until`. `deadline`: `until`. `days`: `excluded_weekdays`,
    `weekdays`. `hours`: `after`, `before`. `add`: `title`, `minutes`. `question` is set where the user has to be asked;
    it has `candidates` when several tasks fit. `facts` are terms that the grammar of goals has read, from `since` on.
    """

    kind: ChangeKind
    text: str
    node_ids: tuple[str, ...] = ()
    days: tuple[date, ...] = ()
    weekdays: tuple[int, ...] = ()
    excluded_weekdays: tuple[int, ...] = ()
    factor: float | None = None
    minutes: int | None = None
    more_minutes: int | None = None
    over: bool = False
    minutes_per_week: int | None = None
    minutes_per_day: int | None = None
    since: date | None = None
    until: date | None = None
    after: time | None = None
    before: time | None = None
    title: str | None = None
    question: str | None = None
    candidates: tuple[str, ...] = field(default=())


# Which tasks the user means: by number, or by words of the title.

MOST_CANDIDATES = 4


@dataclass(frozen=True)
class Mention:
    """The ids that are meant; or, where several fit equally, the titles to choose from."""

    ids: tuple[str, ...] = ()
    candidates: tuple[str, ...] = ()


def mentioned(words: str, tasks: Sequence[Mapping[str, Any]], fillers: Sequence[str], number: str) -> Mention:
    """The tasks that the words name, numbers counted from one."""
    match = re.search(number, words)
    if match is not None:
        place = int(match["number"] or match["hash"]) - 1
        return Mention((str(tasks[place]["id"]),)) if 0 <= place < len(tasks) else Mention()
    named = find_named(
        " ".join(re.sub(r"\b(?:" + "|".join(map(re.escape, fillers)) + r")\b", " ", words).split()),
        (str(task.get("title", "")) for task in tasks),
    )
    titles = named.titles if len(named.words) >= len(named.unknown) else ()
    if named.several or len(titles) > 1:
        return Mention(candidates=(named.several or titles)[:MOST_CANDIDATES])
    return Mention(tuple(dict.fromkeys(str(task["id"]) for task in tasks if str(task.get("title", "")) in titles)))


# A sentence about a plan, with what it can refer to; every reader of changes looks at one of these.

LONGEST_SPAN = timedelta(days=3_660)
WHICH = "Which task do you mean? Its number or a part of its title is enough."


@cache
def phrases() -> Mapping[str, Any]:
    """The phrases of changes, with their placeholders filled."""
    raw = json.loads(resources.files(PACKAGE).joinpath("languages", "en_changes.json").read_text(encoding="utf-8"))
    return {name: language().expand(value) if isinstance(value, str) else value for name, value in raw.items()}


@dataclass(frozen=True)
class Told:
    """The words; the tasks in the order shown to the user; the day it is; the goal; the last day of the plan."""

    reading: Reading
    tasks: Sequence[Mapping[str, Any]]
    today: date
    goal: str = ""
    ends: date | None = None

    @property
    def text(self) -> str:
        """The words as they were said."""
        return self.reading.text

    def search(self, name: str) -> re.Match[str] | None:
        """The first place where the phrase of this name stands."""
        return re.search(phrases()[name], self.reading.left)

    def again(self, text: str | None = None) -> Reading:
        """A fresh reading, of these words or of other ones."""
        return Reading.of(self.text if text is None else text, self.reading.language)

    def mention(self, words: str) -> Mention:
        """The tasks that the words name."""
        if re.fullmatch(phrases()["all_tasks"], words.strip()):
            return Mention(tuple(str(task["id"]) for task in self.tasks))
        return mentioned(words, self.tasks, phrases()["fillers"], phrases()["task_number"])

    def on_tasks(self, change: Change, words: str) -> Change:
        """The change with the tasks that the words name, or with a question which ones are meant."""
        found = self.mention(words)
        if found.ids:
            return replace(change, node_ids=found.ids)
        if found.candidates:
            titles = "; ".join(found.candidates)
            return replace(change, question=f"Which task do you mean: {titles}?", candidates=found.candidates)
        return replace(change, question=WHICH)

    def amount(self, match: re.Match[str]) -> timedelta | None:
        """A span such as `two weeks`; None where it is longer than any plan."""
        days = {"day": 1, "week": 7, "fortnight": 14, "month": 30, "quarter": 91, "year": 365}
        unit = days[self.reading.language.table("span_units")[match["unit"]]]
        amount = number_of(match["amount"], self.reading.language) * unit
        return timedelta(days=round(amount)) if amount <= LONGEST_SPAN.days else None

    def start_of(self, ids: Sequence[str]) -> date:
        """The day on which the first of the tasks lies; today where that is not known."""
        starts = [str(task["start"])[:10] for task in self.tasks if str(task["id"]) in ids and task.get("start")]
        return min((date.fromisoformat(start) for start in starts), default=self.today)


# Changes of the terms of a plan: another deadline, other hours a week, other days, other times of day.


def read_event(told: Told) -> Change | None:
    """`move the exam to June 3`: what the whole plan works towards has another day, so the deadline has."""
    match = told.search("event_moved")
    if match is None:
        return None
    noun = told.reading.language.table("events")[match["moved"] or match["is"]]
    if noun != "deadline" and noun not in told.goal.lower():
        return None
    later = told.again(f"by {told.text[match.end() :].strip()}")
    until = read_horizon(later, told.today).deadline
    if until is None:
        return Change("unclear", told.text, question=" ".join(later.problems) or "To which day?")
    return Change("deadline", told.text, until=until)


def read_deadline(told: Told) -> Change | None:
    """`I need to be done by June 3`, `give me two more weeks`."""
    match = told.search("more_time")
    if match is not None and (match["extra"] or match["way"]) and told.ends is not None:
        amount = told.amount(match)
        if amount is None:
            return Change("unclear", told.text, question="Until which day?")
        sooner = (match["way"] or "").strip() in ("earlier", "sooner")
        until = told.ends - amount if sooner else told.ends + amount
        return Change("deadline", told.text, until=max(until, told.today))
    if not told.search("deadline"):
        return None
    until_day = read_horizon(told.again(), told.today).deadline
    return Change("deadline", told.text, until=until_day) if until_day is not None else None


def read_capacity(told: Told) -> Change | None:
    """`I have only 3 hours a week from now on`."""
    if not told.search("hours") and not re.search(r"\d", told.reading.left):
        return None
    trial = told.again()
    effort = read_effort(trial)
    if trial.problems:
        return Change("unclear", told.text, question=" ".join(trial.problems))
    if effort.minutes_per_week is None:
        return None
    return Change(
        "capacity",
        told.text,
        minutes_per_week=effort.minutes_per_week,
        minutes_per_day=effort.minutes_per_day,
        since=read_horizon(trial, told.today).start,
    )


def read_days(told: Told) -> Change | None:
    """`no Mondays any more`, `only in the evenings`, `after 7pm only`."""
    found = read_availability(told.again())
    if found.excluded or found.days:
        return Change("days", told.text, weekdays=found.days, excluded_weekdays=found.excluded)
    if found.after is not None or found.before is not None:
        return Change("hours", told.text, after=found.after, before=found.before)
    return None


# Days that were lost or will be: "I lost Tuesday", "I am ill this week", "December 24 is off".

MOST_DAYS = 366


def read_lost(told: Told) -> Change | None:
    """Days on which nothing was, or can be, done; a task that was missed is done later."""
    if not told.search("lost"):
        return None
    days = named_dates(told)
    if days:
        return Change("lost_days", told.text, days=days)
    found = told.mention(told.reading.left)
    if found.ids:
        return Change("move", told.text, node_ids=found.ids, until=told.today)
    return Change("lost_days", told.text, question="Which days do you mean?")


def named_dates(told: Told) -> tuple[date, ...]:
    """The days that the words name. A weekday is the last such day for what has been, else the next one."""
    words, today = told.reading.left, told.today
    past = re.search(phrases()["past"], words) is not None
    spans = read_horizon(told.again(f"away {told.text}" if "away" not in words else told.text), today).away
    if spans:
        return tuple(
            start + timedelta(days=step)
            for start, end in spans
            for step in range(min(MOST_DAYS, (end - start).days + 1))
        )
    week = re.search(phrases()["week"], words)
    if week is not None:
        shift = {"last": -7, "next": 7}.get(week[0].split()[0], 0)
        monday = today - timedelta(days=today.weekday()) + timedelta(days=shift)
        days = [monday + timedelta(days=step) for step in range(7)]
        # Who is ill this week has worked on the days before.
        return tuple(day for day in days if past or day >= today)
    for word, ahead in (("yesterday", -1), ("tomorrow", 1), ("today", 0)):
        if re.search(rf"\b{word}\b", words):
            return (today + timedelta(days=ahead),)
    return _calendar_days(told) or _weekdays(told, past)


def _calendar_days(told: Told) -> tuple[date, ...]:
    found, months = [], told.reading.language.table("months")
    for match in list(told.reading.language.pattern("{date:day}").finditer(told.reading.left))[:20]:
        # A month alone names no day: "I lost May" is asked about.
        day = None if match["day"] in months else spelled_day(told.again(), match["day"], told.today)
        found += [day] if day is not None else []
    return tuple(dict.fromkeys(found))


def _weekdays(told: Told, past: bool) -> tuple[date, ...]:
    table = told.reading.language.table("weekdays")
    found = []
    for match in re.finditer(told.reading.language.expand("{weekdays}"), told.reading.left):
        ahead = (table[match[0]] - told.today.weekday()) % 7
        found.append(told.today + timedelta(days=ahead - 7 if past and ahead else ahead))
    return tuple(dict.fromkeys(found))


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
    return Change("unclear", told.text, question=say("changes", language_of(told.text)))


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
