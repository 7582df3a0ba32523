"""What is wrong with a schedule."""

from dataclasses import dataclass
from typing import Literal

from loopwright.agents.planner.schedule.problem import Span

Rule = Literal[
    "naive_time",
    "empty_block",
    "unknown_task",
    "locked",
    "unscheduled",
    "minutes",
    "in_one_piece",
    "min_block",
    "grid",
    "working_hours",
    "blackout",
    "busy",
    "overlap",
    "horizon",
    "earliest",
    "latest",
    "day_capacity",
    "week_capacity",
    "tasks_per_day",
    "break",
    "max_consecutive",
    "finish_to_start",
    "start_to_start",
    "finish_to_finish",
    "start_to_finish",
    "max_lag",
]


@dataclass(frozen=True)
class Violation:
    """One broken rule: `text` tells a person, `task_ids` whose blocks break it, `span` where."""

    rule: Rule
    text: str
    task_ids: tuple[str, ...] = ()
    span: Span | None = None
