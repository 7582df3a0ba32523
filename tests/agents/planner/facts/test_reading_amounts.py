"""How much work there is, in the words of ordinary goals: hours until an event, in brackets, by a rate."""

from datetime import date
from typing import Any

import pytest

from loopwright.agents.planner.contracts.plan import Appointment
from loopwright.agents.planner.stated import read_stated

TODAY = date(2026, 11, 22)


@pytest.mark.parametrize(
    ("goal", "hours", "event", "day"),
    [
        ("practise 50 hours for the organ audition on March 9 2027", 50, "organ audition", date(2027, 3, 9)),
        ("I have to log 35 hours of night driving before my test drive on 2 May", 35, "test drive", date(2027, 5, 2)),
        ("We need about 20 hours of rehearsal for our recital on January 30 2027", 20, "recital", date(2027, 1, 30)),
        ("Vor dem Vorspiel am 9. März 2027 muss ich 45 Stunden Geige üben", 45, "Vorspiel", date(2027, 3, 9)),
        ("我要在2月10日面试之前练习30个小时", 30, "面试", date(2027, 2, 10)),
    ],
)  # fmt: skip
def test_hours_for_an_event_are_those_of_the_plan_and_over_before_it(
    goal: str, hours: float, event: str, day: date
) -> None:
    found = read_stated(goal, TODAY)
    assert found.total_hours == hours
    assert found.appointments == [Appointment(title=event, date=day)]
    assert found.deadline is not None
    assert found.deadline < day


@pytest.mark.parametrize(
    ("goal", "expected"),
    [
        ("clean the gutters (3 hours) and fix the shed (5 hours) by 12 December 2026",
         {"hours_of": [(["clean", "gutters"], 3.0), (["fix", "shed"], 5.0)]}),
        ("das Dach decken (12 Stunden) und den Keller räumen (4 Stunden) bis 20. Dezember 2026",
         {"hours_of": [(["Dach", "decken"], 12.0), (["Keller", "räumen"], 4.0)]}),
        ("mark 80 tests by December 9 2026, 8 tests an hour",
         {"hours_of": [(["mark", "80", "tests"], 10.0)], "deadline": date(2026, 12, 9)}),
        ("type 120 letters at 10 letters an hour by December 9 2026",
         {"hours_of": [(["type", "120", "letters"], 12.0)], "deadline": date(2026, 12, 9)}),
        ("bis 9. Dezember 2026 60 Anträge prüfen, 4 Anträge pro Stunde",
         {"hours_of": [(["prüfen", "60", "Anträge"], 15.0)], "deadline": date(2026, 12, 9)}),
        ("1月20日之前整理六份档案，每份要三个小时",
         {"each": [("档案", 6, [["整理"]])], "minutes_each": [("档案", 180)]}),
    ],
)  # fmt: skip
def test_amounts_of_work_are_facts(goal: str, expected: dict[str, Any]) -> None:
    found = read_stated(goal, TODAY)
    assert {name: getattr(found, name) for name in expected} == expected


def test_a_length_behind_a_count_is_not_that_of_the_whole_plan() -> None:
    assert (
        read_stated("run the course 9 times for 2 hours before the finals on March 9 2027", TODAY).total_hours is None
    )
