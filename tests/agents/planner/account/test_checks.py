"""Each check holds of a calendar that does what was asked, and is false of generated ones that do not."""

import random
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any

import pytest

from loopwright.agents.planner.account import arguments as told
from loopwright.agents.planner.account.checks import CHECKS
from loopwright.kernel.account import NothingThereYet, NotMeasurable
from tests.agents.planner.account.calendars import FakeRun, Times, daily, ics, without_weekday

CHECK = {check.name: check for check in CHECKS}
MONDAY = "2027-01-04"
WORK = without_weekday(daily("Read chapter", MONDAY, 28, 2.0), 6)
Entry = Times | tuple[str, str]


def later(entry: Times, **delta: float) -> Times:
    """The same entry at another time."""
    return (entry[0], *(str(datetime.fromisoformat(text) + timedelta(**delta)) for text in entry[1:]))  # type: ignore[return-value]


def one_more(title: str, day: str, first: str, last: str) -> Callable[[random.Random], list[Entry]]:
    """The good work, and one entry at a wrong time, somewhere in the file."""

    def broken(chance: random.Random) -> list[Entry]:
        entries: list[Entry] = list(WORK)
        entries.insert(chance.randrange(len(entries)), (title, f"{day} {first}", f"{day} {last}"))
        return entries

    return broken


def moved(chance: random.Random) -> list[Entry]:
    """One entry lies at a time of the day at which none may lie."""
    place = chance.randrange(len(WORK))
    return [later(each, hours=chance.choice((-3, 8, 10))) if n == place else each for n, each in enumerate(WORK)]


def earlier(chance: random.Random) -> list[Entry]:
    """One entry begins before the hour at which work may begin."""
    place = chance.randrange(len(WORK))
    return [later(each, hours=-chance.choice((1, 3, 8))) if n == place else each for n, each in enumerate(WORK)]


STEPS: list[Entry] = [
    ("Chapter 1: read", f"{MONDAY} 09:00", f"{MONDAY} 10:00"),
    ("Chapter 1: exercises", f"{MONDAY} 10:00", f"{MONDAY} 11:00"),
    ("Chapter 2: read", f"{MONDAY} 11:00", f"{MONDAY} 12:00"),
    ("Chapter 2: exercises", f"{MONDAY} 12:00", f"{MONDAY} 13:00"),
]
CASES: list[tuple[str, told.Arguments, list[Entry], Callable[[random.Random], list[Entry]]]] = [
    (
        "gone",
        told.Gone(of=("paint",), since=date(2027, 1, 10)),
        [*WORK, ("Paint the walls", f"{MONDAY} 12:00", f"{MONDAY} 13:00")],
        lambda chance: [*WORK, ("Paint", *(f"2027-01-{chance.randrange(10, 30)} {at}:00" for at in ("12", "13")))],
    ),
    (
        "on_day",
        told.OnDay(event=("exam",), date=date(2027, 2, 1)),
        [*WORK, ("Bar exam", "2027-02-01")],
        lambda chance: [*WORK, ("Bar exam", str(date(2027, 2, 1) + timedelta(days=chance.choice((-7, -1, 1, 28)))))],
    ),
    (
        "per_week",
        told.PerWeek(unit="hours", relation="about", amount=12),
        list(WORK),
        one_more("Read more", "2027-01-12", "12:00", "13:00"),
    ),
    (
        "per_week",
        told.PerWeek(unit="sessions", relation="about", amount=6, of=("read",)),
        list(WORK),
        lambda chance: (lambda gone: [*WORK[:gone], *WORK[gone + 1 :]])(chance.randrange(6, 18)),
    ),
    (
        "per_day",
        told.PerDay(relation="at_most", hours=2),
        list(WORK),
        one_more("Read more", "2027-01-12", "12:00", "12:15"),
    ),
    (
        "also_on",
        told.Weekdays(weekdays=(0,)),
        list(WORK),
        lambda chance: [each for each in WORK if date.fromisoformat(each[1][:10]).weekday() != 0],
    ),
    ("none_on", told.Weekdays(weekdays=(6,)), list(WORK), one_more("Rest", "2027-01-10", "09:00", "09:30")),
    (
        "only_on",
        told.Weekdays(weekdays=(0, 1, 2, 3, 4, 5)),
        list(WORK),
        one_more("R", "2027-01-10", "09:00", "09:30"),
    ),
    (
        "free",
        told.Free(first=date(2027, 2, 1), last=date(2027, 2, 5)),
        list(WORK),
        one_more("Read", "2027-02-03", "09:00", "10:00"),
    ),
    (
        "free",
        told.Free(first=date(2027, 1, 11), last=date(2027, 1, 15), of=("swim",)),
        [*WORK, ("Swim", "2027-01-18 18:00", "2027-01-18 19:00")],
        lambda chance: [*WORK, ("Swim", f"2027-01-{chance.randrange(11, 16)} 18:00", "2027-01-18 19:00")],
    ),
    (
        "assigned",
        told.Assigned(who="Ben", items=(("electrics",),)),
        [*WORK, ("Electrics (Ben)", "2027-01-12 14:00", "2027-01-12 15:00")],
        lambda chance: [*WORK, ("Electrics", "2027-01-12 14:00", f"2027-01-12 {chance.randrange(15, 18)}:00")],
    ),
    (
        "sitting",
        told.Sitting(relation="about", minutes=120),
        list(WORK),
        one_more("Read chapter", "2027-01-12", "14:00", "14:30"),
    ),
    (
        "daily",
        told.Daily(weekdays=(6,)),
        list(WORK),
        lambda chance: (lambda gone: [*WORK[:gone], *WORK[gone + 1 :]])(chance.randrange(3, 18)),
    ),
    (
        "together",
        told.Together(
            parts=(
                {"per_day": told.PerDay(relation="at_most", hours=2).model_dump(mode="json")},
                {"none_on": told.Weekdays(weekdays=(6,)).model_dump(mode="json")},
            )
        ),
        list(WORK),
        one_more("Rest", "2027-01-10", "09:00", "09:30"),
    ),
    ("within", told.Within(since=time(9), until=time(14)), list(WORK), moved),
    ("within", told.Within(not_before=time(9)), list(WORK), earlier),
    (
        "gap",
        told.Apart(before=("cancel", "lease"), after=("movers",), days=3),
        [
            ("Cancel the lease", f"{MONDAY} 09:00", f"{MONDAY} 10:00"),
            ("Order movers", "2027-01-08 09:00", "2027-01-08 10:00"),
        ],
        lambda chance: [
            ("Cancel the lease", f"{MONDAY} 09:00", f"{MONDAY} 10:00"),
            ("Order movers", f"2027-01-0{chance.randrange(1, 7)} 10:00", "2027-01-07 12:00"),
        ],
    ),
    (
        "total",
        told.Total(relation="at_most", hours=48),
        list(WORK),
        one_more("Read more", "2027-01-12", "12:00", "13:00"),
    ),
    (
        "ends_by",
        told.EndsBy(date=date(2027, 1, 31)),
        list(WORK),
        lambda chance: [*WORK, *daily("Read", str(date(2027, 2, 1) + timedelta(days=chance.randrange(20))), 1)],
    ),
    (
        "ends_by",
        told.EndsBy(date=date(2027, 1, 31), not_before=date(2027, 1, 20)),
        list(WORK),
        lambda chance: list(WORK[: chance.randrange(1, 10)]),
    ),
    (
        "starts",
        told.Starts(date=date(2027, 1, 4)),
        list(WORK),
        lambda chance: [*daily("Read", str(date(2027, 1, 3) - timedelta(days=chance.randrange(20))), 1), *WORK],
    ),
    (
        "starts",
        told.Starts(date=date(2027, 5, 15), of=("plant", "tomatoes")),
        [*WORK, ("Plant the tomatoes", "2027-05-15 09:00", "2027-05-15 10:00")],
        lambda chance: [*WORK, ("Plant the tomatoes", f"2027-05-{chance.randrange(10, 15)} 09:00", "2027-05-15 10:00")],
    ),
    (
        "total",
        told.Total(relation="about", hours=4, of=("writing",)),
        [*WORK, ("Writing (1/2)", "2027-03-01 09:00", "2027-03-01 11:00"), *daily("Writing", "2027-03-02", 1, 2.0)],
        lambda chance: [*WORK, *daily("Writing", "2027-03-02", chance.choice((1, 3, 4)), 2.0)],
    ),
    (
        "within",
        told.Within(of=("anna",), weekdays=(5,), until=time(12)),
        [*WORK, ("Books (Anna)", "2027-01-09 09:00", "2027-01-09 11:00")],
        lambda chance: [*WORK, ("Books (Anna)", "2027-01-09 09:00", f"2027-01-09 {chance.randrange(13, 18)}:00")],
    ),
    (
        "within",
        told.Within(weeks="odd", since=time(6), until=time(14), outside=True, weekdays=(0, 1, 2, 3, 4)),
        daily("Read", "2027-01-11", 5, 1.0),  # the second week of its year
        lambda chance: daily("Read", str(date(2027, 1, 4) + timedelta(days=14 * chance.randrange(4))), 5, 1.0),
    ),
    (
        "each_of",
        told.EachOf(item="chapter", count=2, steps=(("read",), ("exercises",))),
        STEPS,
        lambda chance: [each for n, each in enumerate(STEPS) if n != chance.randrange(4)][: chance.randrange(1, 4)],
    ),
    (
        "each_of",
        told.EachOf(item="module", count=2, steps=((),), minutes=120),
        [*daily("Module 1 (1/2)", "2027-03-01", 2, 1.0), *daily("Module 2 (1/2)", "2027-03-03", 2, 1.0)],
        lambda chance: [
            *daily("Module 1 (1/2)", "2027-03-01", 2, 1.0),
            *daily("Module 2", "2027-03-03", chance.choice((0, 1, 3)), 1.0),
        ],
    ),
    (
        "does_only",
        told.DoesOnly(who="Wang", items=(("testing",),)),
        [*WORK, ("Testing (Wang)", f"{MONDAY} 15:00", f"{MONDAY} 16:00")],
        lambda chance: [*WORK, (chance.choice(("Design (Wang)", "Wang reads")), f"{MONDAY} 15:00", f"{MONDAY} 16:00")],
    ),
    (
        "not_in_a_row",
        told.NotInARow(of=("run",)),
        [*WORK, *(("Run", f"2027-01-{day:02} 18:00", f"2027-01-{day:02} 19:00") for day in (4, 6, 9))],
        lambda chance: [
            ("Run", f"2027-01-{day:02} 18:00", f"2027-01-{day:02} 19:00")
            for first in (chance.randrange(4, 20),)
            for day in (first, first + 1, first + 4)
        ],
    ),
    (
        "task",
        told.Task(of=("sell", "furniture")),
        [*WORK, ("Sell the furniture", f"{MONDAY} 15:00", f"{MONDAY} 16:00")],
        lambda chance: [
            *WORK,
            (chance.choice(("Furniture", "Sell the car", "Selling")), f"{MONDAY} 15:00", f"{MONDAY} 16:00"),
        ],
    ),
    (
        "titled",
        told.Titled(title=("learn", "read", "chapter"), subject=("read", "chapter")),
        list(WORK),
        lambda chance: [(chance.choice(("Read on", "Chapters", "Already")), *each[1:]) for each in WORK],
    ),
]


async def measured(folder: Path, check: str, arguments: Any, entries: list[Entry]) -> bool:
    (folder / "plan.ics").write_text(ics(*entries))
    found = await CHECK[check].measure(FakeRun(folder), arguments)  # type: ignore[arg-type]
    assert found.value
    assert found.where == "plan.ics"
    assert len(found.digest) == 64
    return found.holds


@pytest.mark.parametrize(("check", "arguments", "good", "generate"), CASES)
async def test_a_check_holds_of_what_was_asked_and_of_nothing_else(
    tmp_path: Path, check: str, arguments: told.Arguments, good: list[Entry], generate: Any
) -> None:
    assert await measured(tmp_path, check, arguments, good)
    for seed in range(25):
        assert not await measured(tmp_path, check, arguments, generate(random.Random(seed))), f"seed {seed}"


def test_every_check_has_a_generator() -> None:
    assert {check for check, *_ in CASES} == set(CHECK)


@pytest.mark.parametrize(("check", "arguments"), [(check, arguments) for check, arguments, *_ in CASES])
async def test_an_empty_calendar_keeps_nothing(tmp_path: Path, check: str, arguments: told.Arguments) -> None:
    assert not await measured(tmp_path, check, arguments, [])


async def test_days_without_what_no_entry_is_named_after_are_not_verified(tmp_path: Path) -> None:
    away = told.Free(first=date(2027, 1, 11), last=date(2027, 1, 15), of=("peter",))
    with pytest.raises(NotMeasurable, match="nothing is called peter"):
        await measured(tmp_path, "free", away, list(WORK))


async def test_a_step_before_the_one_that_it_waits_for_is_too_early(tmp_path: Path) -> None:
    each = told.EachOf(item="chapter", count=1, steps=(("exercises",), ("read",)))
    assert not await measured(tmp_path, "each_of", each, STEPS)


async def test_where_there_is_no_calendar_nothing_is_measured(tmp_path: Path) -> None:
    with pytest.raises(NothingThereYet):
        await CHECK["titled"].measure(FakeRun(tmp_path), told.Titled(title=("read",), subject=("read",)))  # type: ignore[arg-type]
    (tmp_path / "plan.ics").write_text("BEGIN:VCALENDAR\nnothing more")
    with pytest.raises(NotMeasurable):
        await CHECK["titled"].measure(FakeRun(tmp_path), told.Titled(title=("read",), subject=("read",)))  # type: ignore[arg-type]


async def test_an_appointment_on_two_days_is_on_none(tmp_path: Path) -> None:
    """A moved exam must not stay on its old day as well."""
    twice: list[Entry] = [("Bar exam", "2027-02-01"), ("Bar exam", "2027-03-01")]
    assert not await measured(tmp_path, "on_day", told.OnDay(event=("exam",), date=date(2027, 3, 1)), twice)


async def test_work_called_like_the_event_is_no_appointment(tmp_path: Path) -> None:
    work: list[Entry] = [("Prepare for the exam", "2027-02-01 09:00", "2027-02-01 10:00")]
    assert not await measured(tmp_path, "on_day", told.OnDay(event=("exam",), date=date(2027, 2, 1)), work)


async def test_one_title_that_names_a_subject_is_no_plan_for_it(tmp_path: Path) -> None:
    """P2: `learn Dutch` is not kept by one entry of many that names Dutch."""
    arguments = told.Titled(title=("learn", "Dutch"), subject=("Dutch",))
    one: list[Entry] = [*WORK, ("Choose a source on Dutch", "2027-02-10 09:00", "2027-02-10 10:00")]
    assert not await measured(tmp_path, "titled", arguments, one)
    assert await measured(
        tmp_path, "titled", arguments, [*daily("Dutch vocabulary", MONDAY, 20), *daily("Rest", MONDAY, 5)]
    )


@pytest.mark.parametrize("title", ["Must not be missing: call Dr Brown", "Call Dr Brown, at most 2 hours a week"])
async def test_a_title_that_quotes_a_rule_keeps_nothing(tmp_path: Path, title: str) -> None:
    """P1: a model, or the offline outline, may copy the user's sentence into a title."""
    arguments = told.Titled(title=("call", "Dr", "Brown"), subject=("Dr", "Brown"))
    quoted: list[Entry] = [(title, "2027-02-10 09:00", "2027-02-10 10:00")]
    assert not await measured(tmp_path, "titled", arguments, quoted)
    assert await measured(tmp_path, "titled", arguments, [("Call Dr Brown", *quoted[0][1:])])


async def test_a_deadline_that_one_thing_keeps_and_other_work_does_not_is_not_verified(tmp_path: Path) -> None:
    """P7: nobody can tell whether `before Friday` was said of the call alone."""
    arguments = told.EndsBy(date=date(2027, 1, 7), relation="before", of=("call", "dentist"))
    call: Times = ("Call the dentist", "2027-01-05 09:00", "2027-01-05 10:00")
    late: Times = ("Write it down", "2027-01-08 09:00", "2027-01-08 10:00")
    assert await measured(tmp_path, "ends_by", arguments, [call])
    with pytest.raises(NotMeasurable):
        await measured(tmp_path, "ends_by", arguments, [call, late])
    assert not await measured(tmp_path, "ends_by", arguments, [later(call, days=7), late])


async def test_weeks_that_days_off_cut_short_may_have_less(tmp_path: Path) -> None:
    week = [each for each in WORK if not "2027-01-11" <= each[1][:10] <= "2027-01-14"]
    arguments = told.PerWeek(unit="sessions", relation="about", amount=6, of=("read",))
    assert not await measured(tmp_path, "per_week", arguments, list(week))
    gone = {"gone": ((date(2027, 1, 11), date(2027, 1, 14)),)}
    assert await measured(tmp_path, "per_week", arguments.model_copy(update=gone), list(week))
    daily_work = told.Daily(weekdays=(6,))
    assert not await measured(tmp_path, "daily", daily_work, list(week))
    assert await measured(tmp_path, "daily", daily_work.model_copy(update=gone), list(week))


async def test_where_nothing_lies_there_is_nothing_of_any_name_either(tmp_path: Path) -> None:
    arguments = told.Free(first=date(2026, 12, 1), last=date(2027, 1, 3), of=("piano",))
    assert await measured(tmp_path, "free", arguments, list(WORK))
    with pytest.raises(NotMeasurable):
        await measured(tmp_path, "free", arguments.model_copy(update={"last": date(2027, 1, 5)}), list(WORK))
