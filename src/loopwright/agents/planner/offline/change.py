"""A change of a plan, or a question about it, as understood."""

from dataclasses import dataclass, field
from datetime import date, time
from typing import Literal

ChangeKind = Literal[
    "lost_days", "duration", "capacity", "skip", "add", "done", "move", "deadline", "days", "hours", "why_here",
    "why_not_earlier", "unclear",
]  # fmt: skip


@dataclass(frozen=True)
class Change:
    """What the user wants. Only the fields that the kind needs are set.

    `lost_days`: `days`. `duration`: `node_ids` with `factor`, `minutes` or `more_minutes`, `over` where it is told of
    the past. `capacity`: `minutes_per_week` or `minutes_per_day`, from `since`. `skip`, `done`, `why_here`,
    `why_not_earlier`: `node_ids`. `move`: `node_ids`, `until`. `deadline`: `until`. `days`: `excluded_weekdays`,
    `weekdays`. `hours`: `after`, `before`. `add`: `title`, `minutes`. `question` is set where the user has to be asked;
    it has `candidates` when several tasks fit.
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
