"""Single things beside others: their times, their order, their number, who does them, and up to where by which day."""

from datetime import date
from typing import Any

import pytest

from loopwright.agents.planner.contracts.state import GoalFacts
from loopwright.agents.planner.stated import read_stated, with_stated
from loopwright.agents.planner.terms import read_terms

TODAY = date(2026, 11, 22)


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


def test_weeks_somewhere_in_a_month_leave_all_of_it_free() -> None:
    off = read_stated("Angelschein bis 1. Juni 2027, im Februar bin ich zwei Wochen auf Kur", TODAY).days_off
    assert (off[0], off[-1], len(off)) == ("2027-02-01", "2027-02-28", 28)


@pytest.mark.parametrize("words", ["in December only mornings", "only mornings in December", "im Dezember nur morgens"])
def test_hours_of_a_part_of_the_time_leave_the_rest_as_it_is(words: str) -> None:
    text = f"learn Danish by February 28 2027, {words}, 3 hours a week"
    found = read_stated(text, TODAY)
    assert not found.open_hours
    goal = with_stated(GoalFacts(text=text, today=TODAY, timezone="Europe/Berlin"), TODAY)
    hours = read_terms(goal).calendar.exceptions
    assert all(end.hour <= 12 for _, end in hours[date(2026, 12, 15)])
    assert date(2027, 1, 12) not in hours
