"""Single things beside others: their times, their order, their number, who does them, and up to where by which day."""

from datetime import date
from typing import Any

import pytest

from loopwright.agents.planner.account.dates import read_days
from loopwright.agents.planner.contracts.plan import Appointment
from loopwright.agents.planner.contracts.state import GoalFacts
from loopwright.agents.planner.stated import read_stated, with_stated
from loopwright.agents.planner.terms import read_terms

TODAY = date(2026, 11, 22)


def stated_goal(text: str) -> GoalFacts:
    return with_stated(GoalFacts(text=text, today=TODAY, timezone="Europe/Berlin"), TODAY)


@pytest.mark.parametrize(
    ("goal", "expected"),
    [
        ("a kayak by June 1 2027: glue the seams, fill the gaps, 20 minutes of rowing drills every day",
         {"daily_of": [(["rowing", "drills"], 20)], "minutes_per_day": None, "daily": False}),
        ("a kayak by June 1 2027: glue the seams, fill the gaps, 20 minutes a day of stretching",
         {"daily_of": [(["stretching"], 20)], "minutes_per_day": None}),
        ("practise the oboe 20 minutes every day until the concert on March 20 2027",
         {"daily_of": [], "minutes_per_day": 20, "daily": True}),
        ("a stool by May 1 2027: plane the seat, shape the legs and finally wax the stool",
         {"order": [(["plane", "seat"], ["shape", "legs"], 0), (["shape", "legs"], ["wax", "stool"], 0)]}),
        ("a stool by May 1 2027: first plane the seat, then shape the legs and finally wax the stool",
         {"order": [(["plane", "seat"], ["shape", "legs"], 0), (["shape", "legs"], ["wax", "stool"], 0)]}),
        ("a stool by May 1 2027: plane the seat, oil the legs, let it dry for two days, wax the stool",
         {"order": [(["oil", "legs"], ["wax", "stool"], 2)]}),
        ("五月一号开业,刷墙,等三天再挂画", {"order": [(["刷墙"], ["挂画"], 3)]}),
        ("Segelschein bis 30. Juni 2027: 8 Theoriestunden von je 90 Minuten, 5 Übungsfahrten",
         {"each": [("Theoriestunde", 8, [[]]), ("Übungsfahrt", 5, [[]])], "minutes_each": [("Theoriestunde", 90)]}),
        ("licence by June 1 2027: 10 flying lessons of 2 hours, 40 guests",
         {"each": [("flying lesson", 10, [[]])], "minutes_each": [("flying lesson", 120)]}),
        ("two exams in May 2027, two subjects: botany and zoology, 30 hours each",
         {"hours_of": [(["botany"], 30.0), (["zoology"], 30.0)], "each": []}),
        ("五月六号考试,三个科目:法律、会计和英语,每个科目20小时",
         {"hours_of": [(["法律"], 20.0), (["会计"], 20.0), (["英语"], 20.0)]}),
        ("五月聚餐,五道菜,每道菜一小时", {"each": [("菜", 5, [[]])], "minutes_each": [("菜", 60)]}),
        ("an album by June 1 2027: record 9 songs, the first 3 songs by February 28",
         {"first_by": [("song", 3, "2027-02-28")], "deadline": date(2027, 6, 1)}),
        ("a book by June 1 2027: 90 letters, 9 letters an hour to transcribe, the first 45 letters by January 31",
         {"hours_by": [(["transcribe", "90", "letters"], 5.0, "2027-01-31")]}),
        ("a talk by June 1 2027: write the slides, read the first 60 pages by March 1",
         {"due": [(["read", "60", "pages"], "2027-03-01")]}),
    ],
)  # fmt: skip
def test_what_is_said_of_one_thing_is_a_fact_of_that_thing(goal: str, expected: dict[str, Any]) -> None:
    found = read_stated(goal, TODAY)
    assert {name: getattr(found, name) for name in expected} == expected


@pytest.mark.parametrize(
    ("goal", "expected"),
    [
        ("Das Fest ist am 5. Juni 2027, die Bühne baut Jörg auf, die Lieder singt Tante Erna",
         {"assigned": [("Jörg", ["Bühne"]), ("Erna", ["Lieder"])]}),
        ("Das Fest ist am 5. Juni 2027, die Torten backt Sonja, den Strom legt Uwe",
         {"assigned": [("Sonja", ["Torten"]), ("Uwe", ["Strom"])]}),
        ("Das Fest ist am 5. Juni 2027, die Nachbarin bringt Kuchen", {"assigned": []}),
        ("a fair on June 5 2027, my cousin Ida paints the signs, my uncle Karl can only help on Sundays",
         {"assigned": [("Ida", ["paints", "signs"])], "people": [("Karl", [6])]}),
        ("Chorreise am 5. Juni 2027, Proben dienstags 19 bis 21 Uhr",
         {"named_hours": [(["Proben"], [1], "19:00", "21:00")], "open_hours": {}}),
        ("a fair on June 5 2027, rehearsals on Mondays and Wednesdays from 6 to 8 pm",
         {"named_hours": [(["rehearsals"], [0, 2], "18:00", "20:00")], "open_hours": {}}),
        ("a fair on June 5 2027: order the tents in February, paint the signs",
         {"due": [(["order", "tents"], "2027-02-28")], "not_before": [(["order", "tents"], "2027-02-01")]}),
        ("六月五号开业,周末才有时间", {"days": [5, 6]}),
    ],
)  # fmt: skip
def test_who_does_what_and_when_one_thing_is(goal: str, expected: dict[str, Any]) -> None:
    found = read_stated(goal, TODAY)
    assert {name: getattr(found, name) for name in expected} == expected


@pytest.mark.parametrize(
    "words",
    ["im Februar bin ich zwei Wochen auf Kur", "I am away for two weeks in February", "我二月份有两个星期不在"],
)
def test_weeks_somewhere_in_a_month_are_not_read_since_nobody_knows_which(words: str) -> None:
    """They free no day of which it was not said, neither the whole month nor the time until it."""
    found = read_stated(f"learn Danish by June 1 2027, {words}", TODAY)
    assert (found.days_off, found.absent) == ([], [])


def test_weeks_from_a_day_on_are_free() -> None:
    off = read_stated("learn Danish by June 1 2027, I am away for two weeks from February 8", TODAY).days_off
    assert (off[0], off[-1], len(off)) == ("2027-02-08", "2027-02-21", 14)


@pytest.mark.parametrize("words", ["in December only mornings", "only mornings in December", "im Dezember nur morgens"])
def test_hours_of_a_part_of_the_time_leave_the_rest_as_it_is(words: str) -> None:
    text = f"learn Danish by February 28 2027, {words}, 3 hours a week"
    found = read_stated(text, TODAY)
    assert not found.open_hours
    goal = stated_goal(text)
    hours = read_terms(goal).calendar.exceptions
    assert all(end.hour <= 12 for _, end in hours[date(2026, 12, 15)])
    assert date(2027, 1, 12) not in hours


@pytest.mark.parametrize(
    ("goal", "expected"),
    [
        ("a rug by May 9 2027: weave 40 strips, 4 strips an hour, then wash the strips, sew them together",
         {"order": [(["weave", "40", "strips"], ["wash", "strips"], 0), (["wash", "strips"], ["sew"], 0)],
          "hours_of": [(["weave", "40", "strips"], 10.0)]}),
        ("Flohmarkt am 8. Mai 2027, 5 Kisten sortieren, je Kiste 40 Minuten",
         {"each": [("Kiste", 5, [["sortieren"]])], "minutes_each": [("Kiste", 40)]}),
        ("Becken bis 2. Mai 2027: erst Kies waschen, dann Wasser einfüllen, drei Wochen stehen lassen, Fische umsetzen",
         {"order": [(["Kies", "waschen"], ["Wasser", "einfüllen"], 0),
                                       (["Wasser", "einfüllen"], ["Fische", "umsetzen"], 21)]}),
        ("四月十号办婚礼,小王来布置场地", {"assigned": [("小王", ["布置场地"])]}),
        ("by March 31 2027 file my taxes: sort the receipts, fill in the form",
         {"tasks": [["sort", "receipts"], ["fill", "form"]], "deadline": date(2027, 3, 31)}),
        ("pass the test on March 13 2027, no Fridays, before Christmas only mornings",
         {"deadline": None, "days": [0, 1, 2, 3, 5, 6], "due": []}),
        ("a fair on May 8 2027, no afternoons", {"week_hours": [("0001-01-01/9999-12-31", list(range(7)), "12:00",
                                                                 "18:00", True)]}),
        ("a fair on May 8 2027, Nina drives. She only has time in the mornings",
         {"named_hours": [(["Nina"], [], "00:00", "12:00")], "open_hours": {}}),
        ("a railway by June 20 2027: lay track, my neighbour Otto helps on Saturdays, Ida helps on Mondays and Fridays",
         {"people": [("Otto", [5]), ("Ida", [0, 4])], "open_hours": {}, "placed": []}),
        ("a boat by July 1 2027: glue the seams, the glue needs a week to cure before we sand",
         {"order": [(["glue"], ["sand"], 7)]}),
        ("Taufe am 2. Mai 2027: 3 Vorgespräche von einer Stunde", {"minutes_each": [("Vorgespräche", 60)]}),
        ("Hoffest am 8. Mai 2027: Bänke ölen, Zaun streichen und zuletzt das Zelt holen",
         {"order": [(["Bänke", "ölen"], ["Zaun", "streichen"], 0), (["Zaun", "streichen"], ["Zelt", "holen"], 0)]}),
        ("a fair on May 8 2027; dough must rest for two days before we bake", {"order": [(["dough"], ["bake"], 2)]}),
        ("a fair on May 8 2027; the mead must clear for three weeks before we bottle it",
         {"order": [(["mead"], ["bottle"], 21)]}),
        ("科目三考试三月六号", {"appointments": [Appointment(title="科目三考试", date=date(2027, 3, 6))]}),
    ],
)  # fmt: skip
def test_counts_waits_and_times_of_ordinary_goals(goal: str, expected: dict[str, Any]) -> None:
    found = read_stated(goal, TODAY)
    assert {name: getattr(found, name) for name in expected} == expected


def test_the_last_week_of_a_month_is_not_last_week() -> None:
    off = read_stated("a rug by May 9 2027, I can't do anything in the last week of March", TODAY).days_off
    assert (off[0], off[-1]) == ("2027-03-25", "2027-03-31")


@pytest.mark.parametrize(
    ("text", "last"),
    [("by March 5 2027", date(2027, 3, 5)), ("before March 5 2027", date(2027, 3, 4)),
     ("before the end of March 2027", date(2027, 3, 30)), ("vor dem 5. März 2027", date(2027, 3, 4)),
     ("三月五号之前", date(2027, 3, 4))],
)  # fmt: skip
def test_the_last_day_of_by_and_before_is_decided_by_the_day(text: str, last: date) -> None:
    (day,) = read_days(text, TODAY)
    bound = day.bound_in(text)
    assert bound is not None
    assert bound.last == last


def test_who_is_away_for_a_job_is_away_and_no_monday_is_meant() -> None:
    off = read_stated("Hütte ausbauen bis 30. Juni 2027, im Mai bin ich auf Montage", TODAY).days_off
    assert (off[0], off[-1]) == ("2027-05-01", "2027-05-31")


def test_the_first_of_several_things_by_a_day_end_no_plan() -> None:
    goal = stated_goal("a show on May 8 2027: sew 24 flags, the first 10 flags by January 15")
    assert goal.deadline == date(2027, 5, 7)


def test_a_chinese_month_that_is_impossible_is_free() -> None:
    off = read_stated("五月二号搬家,三月不行", TODAY).days_off
    assert (off[0], off[-1]) == ("2027-03-01", "2027-03-31")


@pytest.mark.parametrize(
    ("words", "opened"),
    [
        ("I have Fridays", [4]),
        ("we have Mondays and Fridays for it", [0, 4]),
        ("I have fencing on Fridays", [0, 1, 2, 3, 5, 6]),
    ],
)
def test_days_that_somebody_has_are_those_of_the_plan(words: str, opened: list[int]) -> None:
    found = read_stated(f"finish the boat by June 1 2027, {words}", TODAY)
    assert [day for day, hours in found.open_hours.items() if hours] == opened


def test_days_beside_other_hours_close_no_day() -> None:
    assert not read_stated(
        "finish the boat by June 1 2027. I have Fridays and three evenings after 7", TODAY
    ).open_hours


@pytest.mark.parametrize(
    "words",
    ["on Tuesday March 2 2027", "on Tuesday, March 2 2027", "on Tuesday 2 March", "on Tuesday the 2nd of March"],
)
def test_a_weekday_and_its_date_are_one_day(words: str) -> None:
    """Not the next Tuesday, and not every one of them."""
    found = read_stated(f"give the farewell concert {words}", TODAY)
    assert [(each.title, each.date) for each in found.appointments] == [("farewell concert", date(2027, 3, 2))]
    assert not found.placed
