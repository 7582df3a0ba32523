"""The checker's own clock: blocks in seconds since 1970, and what the wall clock shows then."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from loopwright.agents.planner.schedule.problem import Block, Span, Task

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MINUTE = 60
SECOND = timedelta(seconds=1)


@dataclass(frozen=True)
class Piece:
    """A block as the checker sees it; `start` and `end` in seconds since 1970, the end not included."""

    task_id: str
    title: str
    start: float
    end: float
    locked: bool

    @classmethod
    def of(cls, block: Block, task: Task) -> "Piece":
        """The piece for a block of a task."""
        return cls(task.id, task.title, seconds(block.start), seconds(block.end), bool(task.locked))

    @property
    def span(self) -> Span:
        """When it lies, in UTC."""
        return Span(clock_time(self.start), clock_time(self.end))


def seconds(moment: datetime) -> float:
    """Seconds since 1970 of an aware time.

    Subtracting two times of one zone would subtract what their wall clocks show: the epoch is in UTC for this reason.
    """
    return (moment - EPOCH).total_seconds()


def clock_time(moment: float) -> datetime:
    """The time in UTC."""
    return EPOCH + moment * SECOND


def wall_time(moment: float, zone: ZoneInfo) -> datetime:
    """What the clock on the zone's walls shows."""
    return clock_time(moment).astimezone(zone)
