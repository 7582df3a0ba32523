"""The aims before early work: whole sessions, even weeks, even days with free days between them."""

from collections import Counter
from dataclasses import replace
from itertools import pairwise

from loopwright.agents.planner.schedule.checker import check_schedule
from loopwright.agents.planner.schedule.problem import Problem
from loopwright.agents.planner.schedule.solver import solve
from tests.agents.planner.schedule.plans import at, hours, plan, span, task

EVEN = ("whole", "even_weeks", "even_days", "early")


def days_of(problem: Problem) -> Counter[int]:
    """How many blocks lie on each day of the plan, the first one 0; the checker must agree with the schedule."""
    answer = solve(problem, seconds=2)
    assert check_schedule(problem, answer.blocks) == []
    return Counter((block.start - at(0, 0)).days for block in answer.blocks)


def test_sessions_of_a_week_have_free_days_between_them():
    """Three sessions that may lie anywhere in a week of seven days do not follow each other day by day."""
    runs = [task(f"run{n}", 60, earliest=at(0, 0), latest=at(7, 0)) for n in range(3)]
    found = days_of(replace(plan(runs, calendar=hours((9, 17), days=7), days=7), aims=EVEN))
    assert list(found.values()) == [1, 1, 1]
    used = sorted(found)
    assert all(later - day >= 2 for day, later in pairwise(used))


def test_weeks_carry_the_same_up_to_the_end_and_leave_a_buffer():
    """Twenty hours in five weeks are about four a week, not twenty in the first."""
    problem = replace(plan([task(str(n), 60) for n in range(20)], days=35), aims=EVEN)
    weeks = Counter[int]()
    for day, count in days_of(problem).items():
        weeks[day // 7] += count
    assert max(weeks.values()) <= 5
    assert len(weeks) >= 4


def test_work_that_fits_whole_is_not_cut():
    """Cutting would end earlier; whole sessions come first."""
    tasks = [task("short", 60, priority=1), task("long", 240, splittable=True)]
    calendar = hours((9, 12), (13, 17))
    cut = solve(plan(tasks, calendar=calendar), seconds=2)
    whole = solve(replace(plan(tasks, calendar=calendar), aims=EVEN), seconds=2)
    assert (cut.terms["split_tasks"], whole.terms["split_tasks"]) == (1, 0)


def test_what_must_be_cut_leaves_no_fragment():
    """Two hours and a quarter in days of one hour: no last quarter of an hour, though that would end earlier."""
    problem = replace(plan([task("a", 135, splittable=True)], calendar=hours((9, 10))), aims=EVEN)
    answer = solve(problem, seconds=2)
    assert check_schedule(problem, answer.blocks) == []
    assert min((block.end - block.start).seconds // 60 for block in answer.blocks) >= 30


def test_what_was_planned_stays_though_another_place_were_more_even():
    """A schedule of before is not moved for the sake of evenness."""
    tasks = [task(str(n), 60, previous=(span(0, 9 + 2 * n, 10 + 2 * n),)) for n in range(3)]
    assert days_of(replace(plan(tasks), aims=EVEN)) == {0: 3}


def test_a_limit_that_leaves_no_schedule_is_not_kept():
    """Four sessions that are due on one day lie on it."""
    tasks = [task(str(n), 60, latest=at(1, 0)) for n in range(4)]
    assert days_of(replace(plan(tasks), aims=EVEN)) == {0: 4}
