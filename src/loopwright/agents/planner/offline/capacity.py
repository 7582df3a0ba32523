"""How much time a goal really has, in quarters of an hour."""

from dataclasses import dataclass

from loopwright.agents.planner.offline.family import Family, families
from loopwright.agents.planner.offline.goal import Goal, horizon_of
from loopwright.agents.planner.offline.scaling import FILL
from loopwright.agents.planner.offline.work import on_grid

DAILY_FILL = 0.75
"""Short or few days pack badly: what does not fill one of them cannot always be put into another."""
FEW_DAYS = 2


@dataclass(frozen=True)
class Capacity:
    """`total` minutes from start to deadline; the weekly and daily limits are what a calendar should have.

    `minutes_per_day` is None where the user names no limit for a day.
    """

    total: int
    minutes_per_week: int
    minutes_per_day: int | None
    days_per_week: int = 7
    notes: tuple[str, ...] = ()

    @property
    def plannable(self) -> float:
        """The minutes that a plan may fill."""
        return self.total * self.fill

    @property
    def fill(self) -> float:
        """The part of the time that can be planned."""
        return FILL if self.minutes_per_day is None and self.days_per_week > FEW_DAYS else DAILY_FILL

    def on_days(self, count: int) -> float:
        """The minutes that a plan may fill on so many working days."""
        return count * self.minutes_per_week / self.days_per_week * self.fill


def capacity_of(goal: Goal, family: Family | None = None) -> Capacity:
    """The time that the goal names, or the family's usual one."""
    family = family or families()[goal.family]
    first, last = horizon_of(goal)
    days = (last - first).days + 1
    gone = sum(max(0, (min(end, last) - max(start, first)).days + 1) for start, end in goal.away)
    weeks = max(days - gone, 1) / 7
    notes = []
    per_day = None
    if goal.minutes_per_day is not None:
        per_day = on_grid(goal.minutes_per_day)
        if per_day != goal.minutes_per_day:
            notes.append(f"Blocks are quarters of an hour: {goal.minutes_per_day} minutes are planned as {per_day}.")
    if per_day is not None:
        per_week = round(per_day * min(len(goal.allowed_days), goal.times_per_week or 7.0))
        per_week = min(per_week, goal.minutes_per_week or per_week)
    elif goal.minutes_per_week is not None:
        per_week = goal.minutes_per_week
    elif goal.total_minutes is not None:
        per_week = round(goal.total_minutes / weeks)
    else:
        per_week = round(family.hours_per_week * 60)
    total = goal.total_minutes if goal.total_minutes is not None else round(per_week * weeks)
    return Capacity(total, max(per_week, 15), per_day, len(goal.allowed_days), tuple(notes))
