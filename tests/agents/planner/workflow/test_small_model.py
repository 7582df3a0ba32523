"""Whole plans of a small model: what it proposes is refused or made smaller, what the user has stated stands."""

from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from loopwright.agents.planner.account.calendar_file import PlanCalendar, full_weeks, read_calendar, weeks_of
from loopwright.kernel.gates import Finished, Outcome, Waiting
from tests.agents.planner.workflow.playing import QUIET, Play

DONE: list[Any] = [[("done", {})]]


def parts(*titles: str) -> list[Any]:
    return [("set_parts", {"titles": list(titles)})]


def tasks(part: str, *named: tuple[str, float]) -> list[Any]:
    return [("add_tasks", {"part": part, "tasks": [{"title": title, "hours": hours} for title, hours in named]})]


def sessions(title: str, minutes: int, times: int) -> list[Any]:
    return [("add_sessions", {"title": title, "minutes": minutes, "times_per_week": times})]


FEW = [parts("Start", "Go on"), tasks("Start", ("Buy strings", 1)), tasks("Go on", ("Play a tune", 1))]


async def plan(tmp: Path, goal: str, script: Sequence[Any]) -> tuple[Play, Outcome]:
    """A plan of a small model, with the default of every question."""
    play = Play(tmp, [*script, *DONE * 9], policy=QUIET, settings={"deadline": None}, small=True)
    outcome = await play.begin(goal)
    return play, await play.answer_all(outcome) if isinstance(outcome, Waiting) else outcome


def account(play: Play, state: str) -> list[str]:
    (done,) = play.stored("run_completed")
    return [entry["text"] for entry in done["account"][state]]


def told(play: Play) -> list[str]:
    """The results of the tools, as the model read them."""
    assert play.run is not None
    return [message.content for message in play.run.state.context.messages if message.role == "tool"]


def weekly_hours(calendar: PlanCalendar) -> list[float]:
    return [sum(entry.hours for entry in each) for each in weeks_of(calendar.work).values()]


async def test_more_sessions_than_the_stated_hours_are_refused_with_numbers_that_fit(tmp_path: Path) -> None:
    goal = "Learn the mandolin by April 30 2027, 3 hours a week, never on Mondays"
    play, outcome = await plan(tmp_path, goal, [parts("Start", "Go on"), sessions("Practise scales", 60, 4), *FEW[1:]])
    assert isinstance(outcome, Finished)
    (refusal,) = [text for text in told(play) if "hours" not in text and "It would fit" in text]
    assert "4 times 60 minutes are 4 h a week, but there are 3 h" in refusal
    assert "3 times 60 minutes or 4 times 45 minutes" in refusal
    assert {"by April 30 2027", "3 hours a week", "never on Mondays"} <= set(account(play, "kept"))


async def test_a_day_that_all_work_does_not_fit_before_makes_the_outline_smaller_and_is_told(tmp_path: Path) -> None:
    goal = "Clear out the cellar by January 24 2027, 2 hours a week"
    script = [
        parts("Sort", "Carry away"),
        tasks("Sort", ("Sort boxes", 5)),
        tasks("Carry away", ("Drive to the dump", 4)),
    ]
    play, outcome = await plan(tmp_path, goal, script)
    assert isinstance(outcome, Finished)
    assert {"by January 24 2027", "2 hours a week"} <= set(account(play, "kept"))
    assert max(weekly_hours(read_calendar(tmp_path / "plan.ics"))) <= 2
    (done,) = play.stored("run_completed")
    assert "I have assumed, so that it fits" in done["text"]


async def test_sessions_that_the_user_has_counted_are_there_from_the_start(tmp_path: Path) -> None:
    goal = "Get ready for the city race on May 9 2027: 3 rides a week, no rides on Mondays, the long ride on Sundays"
    play, outcome = await plan(tmp_path, goal, [sessions("Ride", 60, 5), *FEW])
    assert isinstance(outcome, Finished)
    calendar = read_calendar(tmp_path / "plan.ics")
    rides = calendar.named(["ride"])
    counts = [len({entry.day for entry in week}) for week in full_weeks(weeks_of(rides)).values()]
    assert set(counts) == {3}
    assert {entry.day.weekday() for entry in calendar.named(["long", "ride"])} == {6}
    assert 0 not in {entry.day.weekday() for entry in calendar.work}
    assert {"3 rides a week", "no rides on Mondays", "the long ride on Sundays"} <= set(account(play, "kept"))


async def test_what_must_be_done_before_the_deadline_is_there_in_the_users_words_and_in_time(tmp_path: Path) -> None:
    stated = "Mr. Adeyemi must have the budget two weeks before the deadline"
    goal = f"Write a funding request by March 19 2027, 5 hours a week. {stated}."
    play, outcome = await plan(tmp_path, goal, FEW)
    assert isinstance(outcome, Finished)
    (entry, *more) = read_calendar(tmp_path / "plan.ics").named(["Adeyemi", "budget"])
    assert all(each.day <= date(2027, 3, 5) for each in (entry, *more))
    assert stated in account(play, "kept")


@pytest.mark.parametrize("said", ["Title 1", "Part 2", "Schritt 3"])
async def test_a_title_that_only_counts_is_refused(tmp_path: Path, said: str) -> None:
    play, outcome = await plan(tmp_path, "Learn the mandolin by April 30 2027", [parts(said, "Next"), *FEW])
    assert isinstance(outcome, Finished)
    assert f"“{said}” says nothing. Name the work for: mandolin" in told(play)[0]


async def test_titles_that_say_nothing_alone_name_what_the_goal_is_about(tmp_path: Path) -> None:
    goal = "Bis 30. April 2027 die Werkstatt aufräumen, 2 Stunden pro Woche, nur samstags"
    play, outcome = await plan(
        tmp_path, goal, [parts("Start", "Ende"), tasks("Start", ("Kisten", 2)), tasks("Ende", ("Regale", 2))]
    )
    assert isinstance(outcome, Finished)
    assert all("Werkstatt" in entry.title for entry in read_calendar(tmp_path / "plan.ics").work)
    assert {"Bis 30. April 2027", "2 Stunden pro Woche", "nur samstags"} <= set(account(play, "kept"))


async def test_parts_with_few_tasks_are_asked_about_once_while_the_stated_time_is_free(tmp_path: Path) -> None:
    play, outcome = await plan(tmp_path, "Learn the mandolin by April 30 2027, 3 hours a week", FEW)
    assert isinstance(outcome, Finished)
    asked = [text for text in told(play) if "Much of the time is free" in text]
    assert len(asked) == 1, "the model called done, and heard of it no more"
    assert sum(weekly_hours(read_calendar(tmp_path / "plan.ics"))) > 35, "the tasks take the stated hours"


async def test_work_without_stated_hours_is_spread_over_the_time_there_is(tmp_path: Path) -> None:
    _, outcome = await plan(
        tmp_path, "Learn the mandolin by April 30 2027", [*FEW, tasks("Go on", *[(f"Tune {n}", 2) for n in range(8)])]
    )
    assert isinstance(outcome, Finished)
    assert len(weeks_of(read_calendar(tmp_path / "plan.ics").work)) > 4


async def test_work_so_often_a_week_lies_on_so_many_days(tmp_path: Path) -> None:
    goal = "Learn the mandolin by April 30 2027, 3 times a week, never on Mondays"
    play, outcome = await plan(tmp_path, goal, FEW)
    assert isinstance(outcome, Finished)
    assert {"3 times a week", "never on Mondays"} <= set(account(play, "kept"))
