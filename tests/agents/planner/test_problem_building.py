"""Roadmaps become problems that mean the same."""

from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from loopwright.agents.planner.contracts import Roadmap
from loopwright.agents.planner.contracts.state import GoalFacts
from loopwright.agents.planner.problem_building import build_problem, read_schedule, task_of
from loopwright.agents.planner.roadmap_options import enumerate_options
from loopwright.agents.planner.schedule.problem import Answer, Block
from loopwright.agents.planner.terms import read_terms
from loopwright.kernel.errors import InvalidInput
from tests.agents.planner.grammar.outlines import node, outline, two_phases, uid

GOAL = node("goal", None, "goal", 1)
ZONE = ZoneInfo("Europe/Berlin")


def facts(**given: Any) -> GoalFacts:
    usual = {"today": date(2027, 1, 4), "timezone": "Europe/Berlin", "deadline": date(2027, 1, 31)}
    return GoalFacts.model_validate(usual | given)


def built(data: dict[str, Any], **given: Any):  # type: ignore[no-untyped-def] # the builder's own type
    return build_problem(Roadmap.model_validate(data), read_terms(facts(**given)))


def links(data: dict[str, Any]) -> set[tuple[str, str, str]]:
    return {(link.before, link.after, link.type) for link in built(data).problem.links}


def test_a_phase_waits_for_the_last_work_of_another() -> None:
    found = links(two_phases())
    assert found == {
        (uid("a"), uid("b"), "finish_to_start"),
        (uid("c"), uid("d"), "finish_to_start"),
        (uid("b"), uid("c"), "finish_to_start"),
    }


def test_done_work_is_left_out_and_begun_work_is_shorter() -> None:
    problem = built(two_phases(a={"status": "done"}, b={"progress": 0.5})).problem
    assert {task.id: task.minutes for task in problem.tasks} == {uid("b"): 30, uid("c"): 60, uid("d"): 60}
    assert uid("a") not in {link.before for link in problem.links}


def test_a_cycle_comes_each_week_and_waits_within_itself() -> None:
    week = outline(
        GOAL,
        node("w", "goal", "cycle", 2, recurrence="weekly"),
        node("a", "w", "task", 3),
        node("b", "w", "task", 3, after=["a"]),
    )
    problem = built(week).problem
    assert [task.id for task in problem.tasks] == [f"{uid(name)}#{number}" for name in "ab" for number in (1, 2, 3, 4)]
    assert {(link.before, link.after) for link in problem.links} == {
        (f"{uid('a')}#{number}", f"{uid('b')}#{number}") for number in (1, 2, 3, 4)
    }
    first = problem.tasks[0]
    assert first.latest - first.earliest == timedelta(days=7)


def test_windows_bound_recurring_work() -> None:
    minutes = {"estimated_minutes": 30, "rrule": "FREQ=WEEKLY;BYDAY=TU,TH"}
    window = {"window": {"first": "2027-01-11", "after": "2027-01-25"}}
    data = outline(GOAL, node("p", "goal", "phase", 2, metadata=window), node("a", "p", "task", 3, metadata=minutes))
    tasks = built(data).problem.tasks
    assert [task.earliest.astimezone(ZONE).date().day for task in tasks] == [12, 14, 19, 21]
    data["nodes"][2]["metadata"]["occurrences"] = 3
    assert len(built(data).problem.tasks) == 3


def test_metadata_becomes_the_tasks_terms() -> None:
    extra = {
        "estimated_minutes": 300,
        "priority": 1,
        "earliest": "2027-01-11",
        "latest": "2027-01-12",
        "locked": [{"start": "2027-01-11T10:00", "end": "2027-01-11T15:00"}],
    }
    (task,) = built(outline(GOAL, node("a", "goal", "task", 2, metadata=extra))).problem.tasks
    assert task.splittable
    assert task.priority == 1
    assert task.earliest == datetime(2027, 1, 11, tzinfo=ZONE)
    assert task.latest == datetime(2027, 1, 13, tzinfo=ZONE)
    assert task.locked[0].start == datetime(2027, 1, 11, 10, tzinfo=ZONE)


def test_facts_become_the_calendar() -> None:
    calendar = built(
        two_phases(), hours="daily 18–21", hours_per_week=5, facts={"days": [0, 2], "days_off": ["2027-01-06"]}
    ).problem.calendar
    assert {window.weekday for window in calendar.windows} == {0, 2}
    assert calendar.minutes_per_week == 300
    assert calendar.exceptions == {date(2027, 1, 6): ()}


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"timezone": "Mars/Olympus"}, "zone"),
        ({"deadline": date(2026, 1, 1)}, "before the start"),
        ({"facts": {"mode": "frantic"}}, "no mode"),
        ({"facts": {"days_off": ["soon"]}}, "no date"),
        ({"facts": {"minutes_per_day": 0}}, "minutes_per_day"),
        ({"busy": [("soon", "later")]}, "no date or time"),
    ],
)
def test_what_cannot_be_meant_is_refused(given: dict[str, Any], told: str) -> None:
    with pytest.raises(InvalidInput, match=told):
        built(two_phases(), **given)


def test_without_a_deadline_there_is_room_for_all_the_work() -> None:
    data = two_phases(a={"metadata": {"estimated_minutes": 6_000}})
    problem = built(data, deadline=None, hours_per_week=10).problem
    assert problem.end - problem.start > timedelta(weeks=10)


def test_answers_become_blocks_of_nodes_on_the_users_clock() -> None:
    week = outline(GOAL, node("w", "goal", "cycle", 2, recurrence="weekly"), node("a", "w", "task", 3))
    done = built(week)
    start = datetime.fromisoformat("2027-01-12T09:00:00+00:00")
    answer = Answer("feasible", (Block(f"{uid('a')}#2", start, start + timedelta(hours=1)),), 3.0, 2.0, 1 / 3)
    schedule = read_schedule(answer, done)
    (block,) = schedule.blocks
    assert str(block.plan_node_id) == uid("a")
    assert block.start.hour == 10
    assert task_of(block) == f"{uid('a')}#2"
    assert schedule.gap == pytest.approx(1 / 3)


def test_options_differ_and_fit_the_deadline() -> None:
    roadmap = Roadmap.model_validate(two_phases(a={"metadata": {"estimated_minutes": 1_200}}))
    terms = read_terms(facts(hours_per_week=20))
    options = enumerate_options(roadmap, terms, roadmap_strategy("hybrid"))
    assert {option.key for option in options} == {"front_loaded", "even", "overlapping"}
    ends = {option.key: option.end for option in options}
    assert ends["front_loaded"] < ends["even"] == date(2027, 2, 1)
    pushed = enumerate_options(roadmap, terms, roadmap_strategy("push"))
    assert pushed[0].key == "front_loaded"


@pytest.mark.parametrize("mode", ["push", "hybrid", "relax"])
@pytest.mark.parametrize("first_part_days", [7, 20])
def test_an_option_that_keeps_the_hours_comes_before_any_that_does_not(mode: str, first_part_days: int) -> None:
    """In seven days the first part's 20 hours break a limit of 10 a week; spread until the deadline they do not."""
    begin, end = date(2027, 1, 4), date(2027, 2, 1)
    middle = begin + timedelta(days=first_part_days)
    windows = {"one": (begin, middle), "two": (middle, end)}
    data = two_phases(a={"metadata": {"estimated_minutes": 1_200}})
    for item in data["nodes"]:
        for name, (first, after) in windows.items():
            if item["id"] == uid(name):
                item["metadata"] = {"window": {"first": first.isoformat(), "after": after.isoformat()}}
    terms = read_terms(facts(hours_per_week=10))
    options = enumerate_options(Roadmap.model_validate(data), terms, roadmap_strategy(mode))
    broken = [option.peak_minutes > 600 for option in options]
    assert "as_written" in {option.key for option in options}
    assert not broken[0]
    assert broken == sorted(broken)


def roadmap_strategy(mode: str):  # type: ignore[no-untyped-def] # a literal in disguise
    from loopwright.agents.planner.contracts import StrategyProfile

    return StrategyProfile.model_validate({"mode": mode})
