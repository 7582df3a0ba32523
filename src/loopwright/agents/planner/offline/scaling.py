"""Giving work its minutes, so that all of it fills the time there is and no more."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from loopwright.agents.planner.offline.goal import Goal, horizon_of
from loopwright.agents.planner.offline.work import GRID, Family, Stretch, Work, families, on_grid, place_sessions

FILL = 0.9
"""Plans are made for nine tenths of the time: the last tenth is life's."""

STATED_FILL = 0.95
"""Of hours that the user has named more is used: they have left space themselves."""
FILLING = 3
STEPS = 40
MOST_DROPPED = 200


@dataclass(frozen=True)
class Space:
    """The time of one part: minutes in all, the days, and how long one day or one session may be."""

    minutes: float
    stretch: Stretch
    minutes_per_day: int | None = None
    session_minutes: int | None = None
    longest: int = 180
    """The longest that may be worked in one go."""
    stated: bool = False
    """Whether the user has said how much time there is: then single work grows until it fills it."""


def fit(works: Sequence[Work], space: Space) -> list[Work]:
    """The works with minutes and occurrences, as near to the space's minutes as their bounds allow.

    Too little time: sessions become rarer, then what is not needed goes. Too much: sessions become more frequent.
    """
    weeks = ((space.stretch.last - space.stretch.first).days + 1) / 7
    bounded = [_bounded(work, space) for work in works]
    for _ in range(MOST_DROPPED):
        smallest = sum(work.low * _expected(work, weeks) for work in bounded)
        if smallest <= space.minutes:
            break
        fewer = _rarer(bounded) or _without_least(bounded)
        if fewer is None:
            break
        bounded = fewer
    for _ in range(MOST_DROPPED):
        largest = sum(work.high * _expected(work, weeks) for work in bounded)
        more = _oftener(bounded, len(space.stretch.weekdays)) if largest < space.minutes else None
        if more is None:
            break
        bounded = more
    sized = _sized(bounded, space.minutes, lambda work: _expected(work, weeks))
    for _ in range(2):
        placed = place_sessions(sized, space.stretch, space.minutes_per_day)
        placed = [work for work in placed if work.occurrences or work.needed]
        placed = [replace(work, occurrences=max(1, work.occurrences)) for work in placed]
        sized = _sized(placed, space.minutes, lambda work: float(work.occurrences))
    return sized


def _bounded(work: Work, space: Space) -> Work:
    """The work with bounds that a day, or the user's own session length, allows."""
    low, high = work.low, work.high
    if work.times:
        if space.session_minutes is not None and high >= 30:
            low = high = on_grid(space.session_minutes)
        if space.minutes_per_day is not None:
            low, high = min(low, space.minutes_per_day), min(high, space.minutes_per_day)
        return replace(work, low=min(low, space.longest), high=min(high, space.longest))
    longest = min(space.longest, space.minutes_per_day or space.longest)
    if space.stated and not work.milestone and not work.review:
        high *= FILLING
    split = work.splittable or high > longest
    return replace(work, splittable=split, high=high)


def _expected(work: Work, weeks: float) -> float:
    return max(1.0, float(int(work.times * weeks))) if work.times else 1.0


def _rarer(works: list[Work]) -> list[Work] | None:
    """One session a week less of what recurs most, unless the user has said how often it comes."""
    free = (work for work in works if work.times > 1 and not work.counted)
    often = max(free, key=lambda work: (work.times, work.priority), default=None)
    if often is None:
        return None
    return [replace(work, times=max(1.0, work.times - 1)) if work is often else work for work in works]


def _without_least(works: list[Work]) -> list[Work] | None:
    """Without the least important task, as long as every holder keeps one."""
    held = [work.holder for work in works]
    spare = [work for work in works if not work.needed and held.count(work.holder) > 1]
    if not spare:
        spare = [work for work in works if work.review and held.count(work.holder) > 1]
    if not spare:
        return None
    least = max(spare, key=lambda work: (work.priority, bool(work.times), work.low, work.key))
    return [replace(work, after=_bridged(work.after, least)) for work in works if work is not least]


def _bridged(after: tuple[str, ...], gone: Work) -> tuple[str, ...]:
    """Whoever waited for what is gone waits for what that waited for."""
    if gone.key not in after:
        return after
    return tuple(dict.fromkeys([key for key in after if key != gone.key] + list(gone.after)))


def _oftener(works: list[Work], days: int) -> list[Work] | None:
    """One session a week more of the most important thing that may have one."""
    free = [work for work in works if work.times >= 1 and work.times < min(work.most_times, days)]
    if not free:
        return None
    chosen = min(free, key=lambda work: (work.times - work.most_times, work.priority, work.key))
    return [replace(work, times=work.times + 1) if work is chosen else work for work in works]


def _sized(works: list[Work], minutes: float, count: Callable[[Work], float]) -> list[Work]:
    """One factor for all, by bisection, then the quarters of an hour that rounding left over go to the largest."""
    low, high = 0.0, 64.0
    for _ in range(STEPS):
        factor = (low + high) / 2
        total = sum(_clamped(work, factor) * count(work) for work in works)
        low, high = (factor, high) if total < minutes else (low, factor)
    sized = [replace(work, minutes=min(_rounded(work, low), max(work.high, GRID))) for work in works]
    rest = minutes - sum(work.minutes * count(work) for work in sized)
    for index in sorted(range(len(sized)), key=lambda place: (-count(sized[place]), sized[place].key)):
        work = sized[index]
        step = GRID * count(work)
        if rest >= step and work.minutes + GRID <= work.high:
            sized[index], rest = replace(work, minutes=work.minutes + GRID), rest - step
        elif rest <= -step and work.minutes - GRID >= max(work.low, GRID):
            sized[index], rest = replace(work, minutes=work.minutes - GRID), rest + step
    return sized


def _rounded(work: Work, factor: float) -> int:
    """In quarters of an hour; what recurs is rounded down, since it would be too much in every week."""
    exact = _clamped(work, factor)
    return max(GRID, int(exact / GRID) * GRID) if work.times else max(GRID, on_grid(exact))


def _clamped(work: Work, factor: float) -> float:
    return min(max(work.base * factor, work.low), work.high)


# How much time a goal really has, in quarters of an hour.

DAILY_FILL = 0.75
"""Short or few days pack badly: what does not fill one of them cannot always be put into another."""
FEW_DAYS = 2
MOST_A_DAY, SPARE = 240, 1.5


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
    stated: bool = False

    @property
    def plannable(self) -> float:
        """The minutes that a plan may fill."""
        return self.total * self.fill

    @property
    def fill(self) -> float:
        """The part of the time that can be planned."""
        if self.stated:
            return STATED_FILL
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
    return Capacity(total, max(per_week, 15), per_day, len(goal.allowed_days), tuple(notes), _roomy(goal, per_week))


def _roomy(goal: Goal, per_week: int) -> bool:
    """Whether hours a week are stated, and the days have space enough for their sessions to move."""
    if goal.minutes_per_week is None:
        return goal.total_minutes is not None
    per_day = goal.minutes_per_day or MOST_A_DAY
    return len(goal.allowed_days) * per_day >= SPARE * per_week
