"""The pieces of work of a part, before and after they are given their minutes."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from functools import cache
from importlib import resources
from typing import Any

from loopwright.agents.planner.offline.heads import head_of, is_meant, prefixes_of

# The goal families: what a good coach would write for a kind of goal, as data in `families/*.json`.

PACKAGE = "loopwright.agents.planner.offline"
GENERIC = {
    "milestone_project": "generic_project",
    "recurring_cycle": "generic_habit",
    "progressive_accumulation_arc": "generic_learning",
    "hybrid_project_cycle": "generic_rounds",
    "strategic_transformation": "generic_change",
}
"""The honest families for goals that no other one knows, by pattern."""


@dataclass(frozen=True)
class Family:
    """One family: how it is recognised, its pattern, its usual size, and its parts as the file has them."""

    key: str
    title: str
    pattern: str
    subtype: str | None
    cues: tuple[tuple[re.Pattern[str], float], ...]
    weeks: int
    hours_per_week: float
    root: str
    subject: str
    parts: tuple[dict[str, Any], ...]
    streams: dict[str, str]
    questions: tuple[dict[str, str], ...]
    assumptions: tuple[str, ...]
    facts: dict[str, Any]
    language: str = "en"

    @classmethod
    def of(cls, raw: dict[str, Any]) -> "Family":
        """Read one file's content."""
        pattern = raw["pattern"]
        return cls(
            key=raw["key"],
            title=raw["title"],
            pattern=pattern["type"],
            subtype=pattern.get("subtype"),
            cues=tuple((re.compile(cue), float(weight)) for cue, weight in raw["cues"]),
            weeks=raw["weeks"],
            hours_per_week=raw["hours_per_week"],
            root=raw["root"],
            subject=raw.get("subject", raw["title"]),
            parts=tuple({"language": raw.get("language", "en"), **part} for part in raw["parts"]),
            streams=raw.get("streams", {}),
            questions=tuple(raw.get("questions", ())),
            assumptions=tuple(raw.get("assumptions", ())),
            facts=raw.get("facts", {}),
            language=raw.get("language", "en"),
        )

    def score(self, head: str) -> float:
        """How much the head of a goal (in small letters) speaks for this family: the sum of its cues."""
        practice = bool({self.pattern, self.subtype} & OWN_PRACTICE)
        found = 0.0
        for cue, weight in self.cues:
            places = cue.finditer(head)
            if any(weight < 0 or is_meant(head, place, practice=practice, language=self.language) for place in places):
                found += weight
        return found


@cache
def families() -> dict[str, Family]:
    """All families by key, in the order of their names."""
    folder = resources.files(PACKAGE).joinpath("families")
    files = sorted((file for file in folder.iterdir() if file.name.endswith(".json")), key=lambda file: file.name)
    found = [Family.of(json.loads(file.read_text(encoding="utf-8"))) for file in files]
    return {family.key: family for family in found}


FOR_OTHERS = re.compile(
    r"^\W*(?:\w+\W+){0,4}?(?:(?:organi[sz](?:e|ing)|host(?:ing)?)(?! my\b)"
    r"|(?:put(?:ting)? on|stag(?:e|ing)) (?:an?|the|our))\b"
)
"""Verbs whose object others take part in."""
OWN_PRACTICE = frozenset(("progressive_accumulation_arc", "protocol_routine", "therapeutic_arc"))
"""Pattern and subtypes of what the user does and gets better at; it is not what is organised for others."""
LEARNING = re.compile(r"lern|prüfung|klausur|kurs|üben|examen|zertifikat|sprache|学|考|练|课")


def recognise(text: str, pattern: str | None, spoken: str) -> tuple[Family, float]:
    """The family that the goal's head names, and how sure that is, 0 to 1; else the generic one of the pattern.

    What stands beside the head (`build a bench for the garden`) decides nothing: a plan for another thing is worse than
    one that is made of what the user names. Of what is organised for others (`organise a charity run`), no family of
    own practice is meant. `spoken` is the language of the user's own words: those of days are translated in `text`.
    """
    head = head_of(text)
    organised = FOR_OTHERS.search(head) is not None
    known = [each for each in families().values() if each.language == spoken]
    known = [each for each in known if not (organised and {each.pattern, each.subtype} & OWN_PRACTICE)]
    for words in prefixes_of(head):
        scored = sorted(((family.score(words), family.key) for family in known), reverse=True)
        best, key = scored[0]
        if best >= KNOWN:
            break
    else:
        if spoken != "en":
            kind = "generic_learning" if LEARNING.search(head) else "generic_project"
            return families()[f"{kind}_{spoken}"], 0.6
        return families()[GENERIC[pattern or "milestone_project"]], 0.5 if pattern else 0.35
    second = scored[1][0]
    return families()[key], round(min(0.95, 0.7 + 0.1 * (best - second)), 2)


KNOWN = 1.0
"""So much has to speak for a family that it is meant."""
GRID = 15
"""Blocks of a schedule begin and end on quarters of an hour."""

LOW, HIGH = 0.5, 4.0
"""How far a one-off task may shrink or grow with the time there is, unless the family says otherwise."""

SESSION_HIGH = 120
REVIEW_MINUTES = 30
REVIEW_WORDS = {"de": "Rückblick", "zh": "回顾"}
SHORTEST = 30
"""Less is no session, unless the user asks for less."""


@dataclass(frozen=True)
class Work:
    """One task. `times` a week is 0 for what is done once; `days` are the weekdays of what recurs.

    `low` and `high` bound its minutes; `minutes` is what it gets, for each occurrence. What is `counted` comes as often
    as the user has said.
    """

    key: str
    template: str
    holder: str
    base: int
    low: int
    high: int
    times: float = 0.0
    most_times: float = 0.0
    counted: bool = False
    priority: int = 3
    stream: str | None = None
    milestone: bool = False
    review: bool = False
    splittable: bool = False
    after: tuple[str, ...] = ()
    number: int | None = None
    minutes: int = 0
    occurrences: int = 1
    days: tuple[int, ...] = ()
    first: date | None = None
    recurrence: str = "none"
    interval: int = 1
    tags: tuple[str, ...] = field(default=())

    @property
    def total(self) -> int:
        """Minutes over all occurrences."""
        return self.minutes * self.occurrences

    @property
    def needed(self) -> bool:
        """Whether the plan makes no sense without it."""
        return self.milestone or self.review or self.priority == 1


def on_grid(minutes: float) -> int:
    """The nearest quarter of an hour, at least one."""
    return max(GRID, int(minutes / GRID + 0.5) * GRID)


def works_of(key: str, raw: dict[str, Any], hours: float, distance_km: float | None) -> list[Work]:
    """The work that lies in a part directly or in its sub-goals, repetitions written out."""
    found: list[Work] = []
    for task in raw.get("tasks", ()):
        found += _repeated(task, f"{key}_", key, None, hours, distance_km)
    for sub_goal in raw.get("sub_goals", ()):
        for task in sub_goal["tasks"]:
            found += _repeated(task, f"{key}_", f"{key}_{sub_goal['key']}", sub_goal.get("stream"), hours, distance_km)
    known = {work.key for work in found}
    found = [replace(work, after=tuple(name for name in work.after if name in known)) for work in found]
    if raw.get("reflection"):
        holder = found[-1].holder if raw.get("sub_goals") else key
        found.append(
            Work(
                key=f"{key}_review",
                template=f"{REVIEW_WORDS.get(raw.get('language', ''), 'Review')}: {raw['reflection']}",
                holder=holder,
                base=REVIEW_MINUTES,
                low=SHORTEST,
                high=45,
                review=True,
                tags=("reflection",),
            )
        )
    return found


def _repeated(
    task: dict[str, Any], prefix: str, holder: str, stream: str | None, hours: float, distance_km: float | None
) -> list[Work]:
    """The task, or its repetitions one after the other; what depends on it depends on the last of them."""
    one = _work(task, prefix, holder, stream, distance_km)
    repeat = task.get("repeat")
    if repeat is None:
        return [one]
    count = max(int(repeat["min"]), min(int(repeat["max"]), round(hours / repeat["per_hours"])))
    found: list[Work] = []
    for number in range(1, count + 1):
        key = one.key if number == count else f"{one.key}_{number}"
        after = one.after if number == 1 else (found[-1].key,)
        found.append(replace(one, key=key, number=number, after=after))
    return found


def _work(task: dict[str, Any], prefix: str, holder: str, stream: str | None, distance_km: float | None) -> Work:
    base = int(task["minutes"])
    by_distance = task.get("minutes_by_km")
    if by_distance and distance_km is not None:
        base = int(distance_km * by_distance) + 60
    times = float(task.get("times_per_week", 0))
    milestone = bool(task.get("milestone"))
    high = task.get("max", SESSION_HIGH if times else base * (1.5 if milestone else HIGH))
    return Work(
        key=prefix + task["key"],
        template=task["title"],
        holder=holder,
        base=base,
        low=max(min(SHORTEST, on_grid(base)), on_grid(min(base, task.get("min", base * LOW)))),
        high=on_grid(max(high, base if times == 0 else GRID)),
        times=times,
        most_times=float(task.get("max_times", times + 2 if times >= 1 else times)),
        priority=int(task.get("priority", 3)),
        stream=task.get("stream", stream),
        milestone=milestone,
        splittable=bool(task.get("splittable")),
        after=tuple(prefix + name for name in task.get("after", ())),
        tags=("milestone",) * milestone + ("event",) * bool(task.get("event")),
    )


# On which weekdays recurring work lies, and how often it then happens in its part's days.

CODES = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")


@dataclass(frozen=True)
class Stretch:
    """The days of a part: first and last, the weekdays that may be used, and the days away."""

    first: date
    last: date
    weekdays: tuple[int, ...]
    away: tuple[tuple[date, date], ...] = ()

    def dates(self, weekdays: Sequence[int]) -> list[date]:
        """The days of these weekdays on which the user is there."""
        span = (self.last - self.first).days + 1
        days = (self.first + timedelta(days=step) for step in range(span))
        return [
            day
            for day in days
            if day.weekday() in weekdays and not any(start <= day <= end for start, end in self.away)
        ]


def place_sessions(works: list[Work], stretch: Stretch, minutes_per_day: int | None) -> list[Work]:
    """The works with their weekdays: longest sessions first, each on the days that carry least, far from each other."""
    load = dict.fromkeys(stretch.weekdays, 0)
    placed: dict[str, Work] = {}
    recurring = sorted((work for work in works if work.times), key=lambda work: (-work.times, -work.minutes, work.key))
    for work in recurring:
        wanted = min(max(1, round(work.times)), len(stretch.weekdays))
        days: list[int] = []
        for _ in range(wanted):
            free = [day for day in stretch.weekdays if day not in days]
            free = [day for day in free if minutes_per_day is None or load[day] + work.minutes <= minutes_per_day]
            if not free:
                break
            days.append(min(free, key=lambda day: (load[day], -_distance(day, days), day)))
            load[days[-1]] += work.minutes
        placed[work.key] = _counted(work, tuple(sorted(days)), stretch, floats=minutes_per_day is None)
    return [placed.get(work.key, work) for work in works]


def _distance(day: int, days: Sequence[int]) -> int:
    return min((min((day - other) % 7, (other - day) % 7) for other in days), default=7)


def _counted(work: Work, days: tuple[int, ...], stretch: Stretch, *, floats: bool) -> Work:
    """How often the session happens: the days of the calendar are counted, so that none lies outside.

    Where days are not short, a session of which there is one a week `floats`: any day of the week will do, and what has
    space to move can be scheduled, and moved when life gets in the way.
    """
    if not days:
        return replace(work, days=(), occurrences=0)
    dates = stretch.dates(days)
    interval = 1 if work.times >= 0.75 else max(2, round(1 / work.times))
    recurrence = "daily" if len(days) == 7 else "weekly"
    whole_weeks = ((stretch.last - stretch.first).days + 1) // (7 * interval)
    if floats and len(days) == 1 and whole_weeks and not stretch.away:
        return replace(
            work, days=(), occurrences=whole_weeks, first=stretch.first, recurrence="weekly", interval=interval
        )
    dates = dates[::interval]
    if not dates:
        return replace(work, days=(), occurrences=0)
    return replace(work, days=days, occurrences=len(dates), first=dates[0], recurrence=recurrence, interval=interval)


def rrule_of(work: Work) -> str:
    """The recurrence as RFC 5545 writes it."""
    if work.recurrence == "daily":
        return f"FREQ=DAILY;COUNT={work.occurrences}"
    interval = f"INTERVAL={work.interval};" if work.interval > 1 else ""
    by_day = f"BYDAY={','.join(CODES[day] for day in work.days)};" if work.days else ""
    return f"FREQ=WEEKLY;{interval}{by_day}COUNT={work.occurrences}"
