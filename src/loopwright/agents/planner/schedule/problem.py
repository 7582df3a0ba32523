"""A scheduling problem in wall-clock terms, and its answer. All times are aware."""

from dataclasses import dataclass, field
from datetime import date, datetime, time
from typing import Literal
from zoneinfo import ZoneInfo

LinkType = Literal["finish_to_start", "start_to_start", "finish_to_finish", "start_to_finish"]
GRID_MINUTES = 15
"""Blocks begin and end on quarters of an hour; durations are rounded up to them."""


@dataclass(frozen=True)
class Span:
    """A stretch of time, the end not included."""

    start: datetime
    end: datetime


@dataclass(frozen=True)
class Window:
    """Working hours on one weekday, 0 is Monday; `end` 00:00 is midnight of the same day."""

    weekday: int
    start: time
    end: time


@dataclass(frozen=True)
class WorkingCalendar:
    """When work may be done, in one zone; wall-clock hours stay the same across changes of summer time.

    `exceptions` replace a date's windows (none: a day off). `blackouts` and `busy` are times that are taken.
    Capacities are minutes of work; None is no limit. `break_minutes` lie between two blocks of different tasks, and
    after `max_consecutive_minutes` of work.
    """

    zone: ZoneInfo
    windows: tuple[Window, ...]
    exceptions: dict[date, tuple[tuple[time, time], ...]] = field(default_factory=dict)
    blackouts: tuple[Span, ...] = ()
    busy: tuple[Span, ...] = ()
    minutes_per_day: int | None = 480
    minutes_per_week: int | None = 2_400
    tasks_per_day: int | None = 10
    break_minutes: int = 15
    max_consecutive_minutes: int | None = 240


@dataclass(frozen=True)
class Task:
    """One piece of work. Recurring work is unrolled into one task for each occurrence before it comes here.

    `priority` 1 is the most important, 5 the least. A splittable task is done in blocks of at least
    `min_block_minutes` (the last one may be what is left). A locked task lies where `locked` says, whatever else.
    """

    id: str
    title: str
    minutes: int
    priority: int = 3
    earliest: datetime | None = None
    latest: datetime | None = None
    splittable: bool = False
    min_block_minutes: int = 30
    locked: tuple[Span, ...] = ()
    previous: tuple[Span, ...] = ()
    """Where the task lay in an earlier schedule: replanning moves as little as possible."""


@dataclass(frozen=True)
class Link:
    """`after` depends on `before`.

    `lag_minutes` of elapsed time lie at least between the two named ends, at most `max_lag_minutes` where given; a
    negative lag is a lead.
    """

    before: str
    after: str
    type: LinkType = "finish_to_start"
    lag_minutes: int = 0
    max_lag_minutes: int | None = None


@dataclass(frozen=True)
class Problem:
    """What is to be scheduled between `start` and `end`, by one person."""

    tasks: tuple[Task, ...]
    links: tuple[Link, ...]
    calendar: WorkingCalendar
    start: datetime
    end: datetime
    mode: Literal["push", "relax", "hybrid", "manual"] = "hybrid"


@dataclass(frozen=True)
class Block:
    """A stretch in which a task is worked on."""

    task_id: str
    start: datetime
    end: datetime


@dataclass(frozen=True)
class Cause:
    """Why there is no schedule, so that a person understands it.

    `kind`: `cycle`, `window` (a task longer than all time it may take), `demand` (more work than time in a span),
    `chain` (a chain of tasks longer than its span), `pair` (two tasks exclude each other), `core` (a minimal set),
    `unproved` (tasks that found no place in the time there was: there may be a schedule).
    """

    kind: Literal["cycle", "window", "demand", "chain", "pair", "locked", "core", "unproved"]
    text: str
    task_ids: tuple[str, ...] = ()
    span: Span | None = None
    needed_minutes: int | None = None
    available_minutes: int | None = None
    found_before_solver: bool = True


@dataclass(frozen=True)
class Relaxation:
    """A change of the problem with which there is a schedule: solved, not guessed. Cheaper ones come first."""

    text: str
    kind: str
    cost: float
    change: dict[str, object]


@dataclass(frozen=True)
class Answer:
    """What the solver says. `bound` is proved: no schedule has a smaller objective; `gap` is relative to it."""

    status: Literal["optimal", "feasible", "infeasible", "unknown"]
    blocks: tuple[Block, ...] = ()
    objective: float | None = None
    bound: float | None = None
    gap: float | None = None
    seconds: float = 0.0
    cause: Cause | None = None
    relaxations: tuple[Relaxation, ...] = ()
