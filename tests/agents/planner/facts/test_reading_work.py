"""Work, people and days of single things in the words of ordinary goals."""

from datetime import date
from typing import Any

import pytest

from loopwright.agents.planner.account.binding import claim_of
from loopwright.agents.planner.contracts.plan import Appointment
from loopwright.agents.planner.stated import read_stated

TODAY = date(2026, 11, 22)


@pytest.mark.parametrize(
    ("goal", "name", "expected"),
    [
        ("Move aunt Ida on 26 February 2027. Before that: sort her papers, sell the furniture", "tasks",
         [["sort", "papers"], ["sell", "furniture"]]),
        ("exam on 19 March 2027. There are 8 modules, each needs about 5 hours", "minutes_each", [("module", 300)]),
        ("I need to read 12 papers by 31 March 2027", "each", [("paper", 12, [["read"]])]),
        ("Translate 240 pages of a manual by 30 April 2027. I manage 4 pages an hour", "hours_of",
         [(["Translate", "manual", "240", "pages"], 60.0)]),
        ("We make a film by 15 May 2027. We record on Friday evenings only", "named_hours",
         [(["record"], [4], "18:00", "23:59")]),
        ("Sell our house by 30 June 2027. My husband paints but he is away until January 10", "absent",
         [(["husband"], "2026-11-22", "2027-01-10")]),
        ("Am 24. April 2027 ist unser Fest. Kalle kümmert sich um die Musik, Petra um das Essen", "assigned",
         [("Kalle", ["Musik"]), ("Petra", ["Essen"])]),
        ("Fest am 24. April 2027, Petra macht das Essen, Petra kann erst ab März", "absent",
         [(["Petra"], "2026-11-22", "2027-02-28")]),
        ("十公里比赛五月九日，小王只做测试", "assigned", [("小王", ["测试"])]),
    ],
)  # fmt: skip
def test_work_and_people_that_are_named_are_facts(goal: str, name: str, expected: list[Any]) -> None:
    assert getattr(read_stated(goal, TODAY), name) == expected


def test_hours_without_a_half_of_the_day_are_those_after_noon_where_nobody_means_the_night() -> None:
    assert read_stated("learn Dutch by 1 June 2027, I only have Wednesdays after 5", TODAY).hours == "Wed 17:00–22:00"


def test_a_limit_of_one_thing_leaves_the_days_of_all_else_open() -> None:
    found = read_stated("We make a film by 15 May 2027. We record on Friday evenings only", TODAY)
    assert not found.open_hours


@pytest.mark.parametrize(
    ("goal", "expected"),
    [
        ("sell the van by 20 February 2027, my cousin Ben can help only on Wednesday afternoons",
         {"named_hours": [(["Ben"], [2], "12:00", "18:00")]}),
        ("clean out a cellar: Mia and Tom sort the tools, everything must be empty by December 19 2026",
         {"assigned": [("Mia", ["sort", "tools"]), ("Tom", ["sort", "tools"])], "deadline": date(2026, 12, 19)}),
        ("Prepare 5 lectures by 12 April 2027, about 6 hours per lecture",
         {"each": [("lecture", 5, [["prepare"]])], "minutes_each": [("lecture", 360)]}),
        ("Für die Prüfung am 15. Mai 2027 lernen, 6 Sachgebiete, je Sachgebiet 12 Stunden",
         {"each": [("Sachgebiet", 6, [[]])], "minutes_each": [("Sachgebiet", 720)]}),
        ("四月二十号交论文,一共五章,每章大约十小时", {"minutes_each": [("章", 600)]}),
        ("Licence by 20 April 2027: theory test on February 11 2027",
         {"appointments": [Appointment(title="theory test", date=date(2027, 2, 11))]}),
    ],
)  # fmt: skip
def test_what_ordinary_goals_say_of_people_and_things_is_read(goal: str, expected: dict[str, Any]) -> None:
    found = read_stated(goal, TODAY)
    assert {name: getattr(found, name) for name in expected} == expected


def test_days_of_a_choir_are_left_free() -> None:
    assert read_stated("Prüfung am 15. Mai 2027, dienstags habe ich Chor", TODAY).open_hours[1] is None


def test_what_the_paint_must_do_is_no_task() -> None:
    assert not read_stated("Küche bis 6. Februar 2027, die Farbe muss einen Tag trocknen", TODAY).tasks


def test_what_comes_every_week_at_a_time_of_the_clock_has_that_time() -> None:
    found = read_stated("Train the puppy by March 27 2027, the puppy class is every Saturday at 11", TODAY)
    assert found.named_hours == [(["puppy", "class"], [5], "11:00", "12:30")]
    found = read_stated("a talk by April 8 2027, once a week in front of the mirror group on Thursdays at 7 pm", TODAY)
    assert found.named_hours == [(["front", "mirror", "group"], [3], "19:00", "20:30")]


def test_a_time_of_the_clock_counts_nothing() -> None:
    assert not read_stated("Chorkonzert am 5. Juni 2027, Probe jeden Montag um 19:30 Uhr", TODAY).each


@pytest.mark.parametrize(
    ("goal", "expected"),
    [
        ("Railway by 28 March 2027. First clean the track, then rewire the points, then test the locomotives",
         {"order": [(["clean", "track"], ["rewire", "points"], 0),
                    (["rewire", "points"], ["test", "locomotives"], 0)]}),
        ("a canoe rack until May 8 2027: buy timber, weld the brackets",
         {"tasks": [["buy", "timber"], ["weld", "brackets"]]}),
        ("a canoe rack until May 8 2027, Uwe welds, he is only free on Sundays", {"people": [("Uwe", [6])]}),
        ("a canoe rack until May 8 2027. The paint needs two days to dry before we hang the canoes",
         {"order": [(["paint"], ["hang", "canoes"], 2)]}),
        ("Prüfung am 4. Februar 2027. Werktags höchstens 3 Stunden, sonntags gar nichts", {"minutes_per_day": 180}),
        ("Wettbewerb am 12. Juni 2027, Probe jeden Dienstag um 20 Uhr",
         {"named_hours": [(["Probe"], [1], "20:00", "21:30")]}),
        ("Beete bis 30. April 2027. In den Ferien vom 1. bis 3. Februar sind wir nicht da",
         {"days_off": ["2027-02-01", "2027-02-02", "2027-02-03"]}),
    ],
)  # fmt: skip
def test_steps_people_and_limits_of_ordinary_goals_are_read(goal: str, expected: dict[str, Any]) -> None:
    found = read_stated(goal, TODAY)
    shown = {name: getattr(found, name) for name in expected}
    assert {name: sorted(set(value)) if name == "days_off" else value for name, value in shown.items()} == expected


def test_days_on_which_a_chinese_verb_is_not_done_are_left_free() -> None:
    found = read_stated("写一本菜谱,四月底之前写完,周末不写", TODAY)
    assert [day for day, hours in found.open_hours.items() if hours is None] == [5, 6]


def test_hours_that_somebody_has_are_those_there_are_at_most() -> None:
    claim = claim_of("I have 2 hours a week", TODAY, opening=False)
    assert claim is not None
    assert claim.arguments["relation"] == "at_most"


def test_somebody_with_a_hyphen_is_somebody() -> None:
    found = read_stated("a fence by March 20 2027. My brother-in-law only has time on Saturdays", TODAY)
    assert (found.people, found.open_hours) == ([("brother-in-law", [5])], {})


def test_what_something_has_to_do_is_no_step() -> None:
    goal = (
        "a fence by March 20 2027. First remove the posts, then pour the concrete, after that it has to cure for 5 days"
    )
    assert read_stated(goal, TODAY).order == [(["remove", "posts"], ["pour", "concrete"], 0)]


def test_one_of_the_things_takes_as_long_as_is_said_of_one() -> None:
    found = read_stated("Catalogue the records by June 30 2027: 30 boxes, one box takes 45 minutes", TODAY)
    assert (found.each, found.minutes_each) == ([("box", 30, [[]])], [("box", 45)])


def test_what_somebody_needs_before_a_day_is_not_a_step() -> None:
    assert not read_stated(
        "finish my novel by June 1 2027; my editor needs each part a week before we talk", TODAY
    ).order


def test_who_does_all_of_it_has_no_task_of_their_own_where_each_has_some() -> None:
    found = read_stated(
        "Lea and Jim build a shed by June 1 2027: Jim does the roof and walls, Lea does the floor", TODAY
    )
    assert found.assigned == [("Jim", ["roof"]), ("Jim", ["walls"]), ("Lea", ["floor"])]
