"""The pieces of work of a part, before and after they are given their minutes."""

from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

GRID = 15
"""Blocks of a schedule begin and end on quarters of an hour."""

LOW, HIGH = 0.5, 4.0
"""How far a one-off task may shrink or grow with the time there is, unless the family says otherwise."""

SESSION_HIGH = 120
REVIEW_MINUTES = 30


@dataclass(frozen=True)
class Work:
    """One task. `times` a week is 0 for what is done once; `days` are the weekdays of what recurs.

    `low` and `high` bound its minutes; `minutes` is what it gets, for each occurrence.
    """

    key: str
    template: str
    holder: str
    base: int
    low: int
    high: int
    times: float = 0.0
    most_times: float = 0.0
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
                template=f"Review: {raw['reflection']}",
                holder=holder,
                base=REVIEW_MINUTES,
                low=GRID,
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
        low=on_grid(min(base, task.get("min", base * LOW))),
        high=on_grid(max(high, base if times == 0 else GRID)),
        times=times,
        most_times=float(task.get("max_times", times + 2 if times >= 1 else times)),
        priority=int(task.get("priority", 3)),
        stream=task.get("stream", stream),
        milestone=milestone,
        splittable=bool(task.get("splittable")),
        after=tuple(prefix + name for name in task.get("after", ())),
        tags=("milestone",) if milestone else (),
    )
