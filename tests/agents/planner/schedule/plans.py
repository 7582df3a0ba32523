"""Small plans for the tests of the solver, its proofs and its ways out."""

from datetime import datetime, time, timedelta
from itertools import product
from zoneinfo import ZoneInfo

from loopwright.agents.planner.schedule.checker import check_schedule
from loopwright.agents.planner.schedule.problem import (
    Block,
    Link,
    Problem,
    Span,
    Task,
    Window,
    WorkingCalendar,
)

BERLIN = ZoneInfo("Europe/Berlin")
MONDAY = datetime(2026, 6, 1, tzinfo=BERLIN)


def at(day: int, hour: int, minute: int = 0) -> datetime:
    """A time in the week of Monday, 1 June 2026, in Berlin; day 0 is the Monday."""
    return MONDAY + timedelta(days=day, hours=hour, minutes=minute)


def span(day: int, start: int, end: int) -> Span:
    """Whole hours of a day."""
    return Span(at(day, start), at(day, end))


def hours(*pairs: tuple[int, int], days: int = 5, **limits: object) -> WorkingCalendar:
    """The same hours from Monday on, without limits but those that are given."""
    windows = tuple(Window(day, time(a), time(b % 24)) for day in range(days) for a, b in pairs)
    limits = {
        "minutes_per_day": None,
        "minutes_per_week": None,
        "tasks_per_day": None,
        "break_minutes": 0,
        "max_consecutive_minutes": None,
        **limits,
    }
    return WorkingCalendar(BERLIN, windows, **limits)


def plan(tasks, links=(), calendar=None, days: int = 5, mode: str = "push") -> Problem:
    """A problem from the Monday on."""
    calendar = calendar or hours((9, 17))
    return Problem(tuple(tasks), tuple(links), calendar, MONDAY, MONDAY + timedelta(days=days), mode)


def task(name: str, minutes: int, **more) -> Task:
    """A task whose title is its id, longer."""
    return Task(name, f"Task {name}", minutes, **more)


def after(first: str, second: str, **more) -> Link:
    """`second` depends on `first`."""
    return Link(first, second, **more)


def every_schedule(problem: Problem):
    """All schedules of tasks in one piece, by trying each quarter of an hour: the oracle of the tests."""
    free = [item for item in problem.tasks if not item.locked]
    slots = int((problem.end - problem.start) / timedelta(minutes=15))
    starts = []
    for item in free:
        alone = Problem((item,), (), problem.calendar, problem.start, problem.end, problem.mode)
        blocks = [block_of(problem, item, number) for number in range(slots)]
        starts.append([block for block in blocks if not check_schedule(alone, [block])])
    locked = [Block(item.id, piece.start, piece.end) for item in problem.tasks for piece in item.locked]
    for blocks in product(*starts):
        if not check_schedule(problem, [*blocks, *locked]):
            yield blocks


def block_of(problem: Problem, item: Task, number: int) -> Block:
    """The block of a task that starts in a slot."""
    start = problem.start + timedelta(minutes=15 * number)
    return Block(item.id, start, start + timedelta(minutes=item.minutes))
