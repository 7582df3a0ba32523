"""Statements in more words than one rule takes, in three languages: what they say, and what binds by it."""

from datetime import date, time
from typing import Any

import pytest

from loopwright.agents.planner.account.binding import bind, claim_of
from loopwright.agents.planner.account.clauses import parts_of
from loopwright.agents.planner.contracts.state import GoalFacts
from loopwright.agents.planner.stated import read_stated, with_stated
from loopwright.kernel.account.reading import missing_tokens, read_statements

TODAY = date(2026, 11, 22)


def said(text: str) -> list[tuple[str, dict[str, Any]]]:
    claim = claim_of(text, TODAY, opening=False)
    return [(part.check, part.arguments) for part in parts_of(claim)] if claim is not None else []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Mondays and Tuesdays don't work for me", [("none_on", {"weekdays": [0, 1]})]),
        ("Das geht nur freitags und samstags", [("only_on", {"weekdays": [4, 5]})]),
        ("wir haben nur sonntags Zeit", [("only_on", {"weekdays": [6]})]),
        ("mittwochs ist es unmöglich", [("none_on", {"weekdays": [2]})]),
        ("every Friday is taken", [("none_on", {"weekdays": [4]})]),
        ("周四没空", [("none_on", {"weekdays": [3]})]),
        ("also Wednesdays", [("also_on", {"weekdays": [2]})]),
        ("周四也可以", [("also_on", {"weekdays": [3]})]),
        ("I can also do Sunday mornings from 9 to 11", [("within", {"also": True, "weekdays": [6]})]),
        ("in January only weekends", [("only_on", {"since": "2027-01-01", "until": "2027-01-31"})]),
        ("Fridays don't work for me in January", [("none_on", {"weekdays": [4], "until": "2027-01-31"})]),
        ("from 1 February I can only do weekends", [("only_on", {"weekdays": [5, 6], "since": "2027-02-01"})]),
        ("no swimming in December", [("free", {"of": ["swimming"], "first": "2026-12-01", "last": "2026-12-31"})]),
        ("im Dezember kein Schwimmen", [("free", {"of": ["Schwimmen"], "last": "2026-12-31"})]),
        ("十二月不游泳", [("free", {"of": ["游泳"], "last": "2026-12-31"})]),
        ("2 hours a day on weekdays", [("per_day", {"hours": 2.0}), ("only_on", {"weekdays": [0, 1, 2, 3, 4]})]),
        ("400 hours of study", [("total", {"hours": 400.0})]),
        ("周三不行", [("none_on", {"weekdays": [2]})]),
        ("of 45 minutes", [("sitting", {"minutes": 45})]),
        ("每次四十分钟", [("sitting", {"minutes": 40})]),
        ("每天最多三小时", [("per_day", {"relation": "at_most", "hours": 3.0})]),
        ("exactly 2 sessions a week", [("per_week", {"unit": "sessions", "relation": "exactly", "amount": 2.0})]),
        ("60 hours of piano practice in total", [("total", {"hours": 60.0})]),
        ("30 minutes every day", [("per_day", {"hours": 0.5}), ("daily", {})]),
        ("8 hours a week only on Wednesdays", [("per_week", {"amount": 8.0}), ("only_on", {"weekdays": [2]})]),
        ("two evenings a week", [("per_week", {"amount": 2.0}), ("within", {"since": "18:00:00"})]),
        ("no running until mid January", [("free", {"of": ["running"], "last": "2027-01-15", "relation": "until"})]),
        ("im Februar bin ich verreist", [("free", {"first": "2027-02-01", "last": "2027-02-28", "of": []})]),
        ("I'm on a business trip from 7 to 11 December", [("free", {"first": "2026-12-07", "last": "2026-12-11"})]),
        ("my supervisor is away in July too", [("free", {"of": ["supervisor"], "first": "2027-07-01"})]),
        ("chapter 1 before Christmas", [("gap", {"before": ["chapter", "1"], "day": "2026-12-24"})]),
        ("before the end of January", [("ends_by", {"date": "2027-01-30"})]),
        ("for three months", [("ends_by", {"date": "2027-02-22"})]),
        ("我三月十五日参加日语N2考试", [("on_day", {"date": "2027-03-15"})]),
        ("the flat must be painted after the furniture is out", [("gap", {"before": ["furniture"]})]),
    ],
)
def test_what_a_statement_says_is_read(text: str, expected: list[tuple[str, dict[str, Any]]]) -> None:
    found = said(text)
    assert [check for check, _ in found] == [check for check, _ in expected]
    for (_, arguments), (_, some) in zip(found, expected, strict=True):
        assert some.items() <= arguments.items()


@pytest.mark.parametrize(
    "text",
    [
        "no work in the first week of January",
        "I already practised for three hours",
        "then 8 hours a week",
        "I have a bad shoulder until mid February",
    ],
)
def test_what_binds_nothing_by_itself_stays_unread(text: str) -> None:
    assert said(text) == []


def test_an_injury_holds_back_what_is_counted_and_what_is_trained() -> None:
    goal = "run a marathon on April 25 2027; I have a knee injury until mid January, 4 runs a week"
    found = read_stated(goal, TODAY)
    assert found.absent == [(["runs"], "2026-11-22", "2027-01-15"), ([], "2026-11-22", "2027-01-15")]
    assert not found.days_off


def test_whoever_is_away_is_the_one_who_was_named() -> None:
    found = read_stated("finish my thesis by June 30 2027; my supervisor reads it, she is away in May", TODAY)
    assert found.absent == [(["supervisor"], "2027-05-01", "2027-05-31")]
    assert not found.days_off


def test_nothing_that_is_read_leaves_out_what_must_be_kept_literally() -> None:
    goal = "sit the test on 12 January 2027, three sessions a week of 45 minutes, I'm away from 3 to 6 December"
    statements = [each.model_copy(update={"id": f"s{n}"}) for n, each in enumerate(read_statements(goal))]
    claims = bind(statements, TODAY)
    assert len(claims) == len(statements)
    for statement in statements:
        assert missing_tokens(statement.hard, claims[statement.id], TODAY) == []


def test_who_tells_that_they_are_away_rules_these_days_out() -> None:
    assert read_stated("Ich bin nächste Woche krank", TODAY).days_off[::6] == ["2026-11-23", "2026-11-29"]
    assert not read_stated("I am a nurse in March, learn Greek", TODAY).days_off


def test_days_in_a_list_that_share_their_first_word_are_all_there() -> None:
    found = read_stated("train twice a week on Tuesdays and Thursdays", TODAY)
    assert found.days == [1, 3]


def test_more_days_are_added_to_those_that_there_are() -> None:
    found = read_stated("learn Greek, weekday evenings, also Sunday mornings from 9 to 11", TODAY)
    assert [day for day, hours in found.open_hours.items() if hours] == [0, 1, 2, 3, 4, 6]


def test_a_rule_for_a_month_leaves_the_other_months_alone() -> None:
    found = read_stated("learn Greek, Fridays don't work for me in January", TODAY)
    assert found.days_off == ["2027-01-01", "2027-01-08", "2027-01-15", "2027-01-22", "2027-01-29"]
    assert not found.open_hours


@pytest.mark.parametrize("text", ["lerne jeden Tag Gitarre, 20 Minuten", "meditate daily, 20 minutes"])
def test_a_time_beside_counted_sessions_is_how_long_they_are(text: str) -> None:
    assert read_stated(text, TODAY).sitting == 20


def test_a_model_may_not_set_what_the_user_has_stated() -> None:
    from loopwright.agents.planner.tools.questions import FactParameters, with_facts

    goal = with_stated(GoalFacts(text="learn Greek, 4 hours a week, by June 30 2027", today=TODAY), TODAY)
    changed = with_facts(goal, FactParameters(hours_per_week=9, deadline=date(2027, 9, 1)))
    assert (changed.hours_per_week, changed.deadline) == (4.0, date(2027, 6, 30))


@pytest.mark.parametrize(
    ("goal", "who", "words"),
    [
        ("renovate the flat by March 31 2027, Ben does electrics", "Ben", [["electrics"]]),
        ("move by March 31 2027, my husband does the painting", "husband", [["painting"]]),
        ("Umzug bis 31. März 2027, meine Frau übernimmt das Streichen", "Frau", [["Streichen"]]),
    ],
)
def test_who_does_what_is_read(goal: str, who: str, words: list[list[str]]) -> None:
    assert read_stated(goal, TODAY).assigned == [(who, item) for item in words]


def test_the_days_of_somebody_else_are_not_those_of_the_user() -> None:
    found = read_stated("launch a podcast by 15 March 2027, Lena can only Mondays and Fridays", TODAY)
    assert found.people == [("Lena", [0, 4])]
    assert not found.open_hours


@pytest.mark.parametrize(
    "words", ["Ines paints the hull and can only help on Friday afternoons", "叔叔负责油漆，只有周五下午有空"]
)
def test_the_hours_of_somebody_are_not_those_of_the_whole_plan(words: str) -> None:
    found = read_stated(f"build a boat by 15 May 2027, {words}", TODAY)
    assert not found.open_hours
    ((who, *hours),) = found.named_hours
    assert who in (["Ines"], ["叔叔"])
    assert hours == [[4], "12:00", "18:00"]


def test_hours_behind_counted_days_are_those_of_each_of_them() -> None:
    found = read_stated("2 squash sessions a week on Tuesday and Friday evenings after 7 pm", TODAY)
    assert found.named_hours == [(["squash"], [1, 4], "19:00", "23:59")]


@pytest.mark.parametrize(
    ("words", "day", "hours"),
    [
        ("I work early shift from 6 am to 2 pm Monday to Friday", 0, (time(14), time(23, 59))),
        ("I work from 9 to 5", 4, (time(17), time(23, 59))),
        ("I work late shifts Monday to Thursday", 3, (time(), time(14))),
        ("I work late shifts Monday to Thursday", 4, (time(), time(23, 59))),
    ],
)
def test_the_hours_of_a_job_are_taken(words: str, day: int, hours: tuple[time, time]) -> None:
    assert read_stated(f"learn chess by 1 June 2027, {words}", TODAY).open_hours[day] == hours


@pytest.mark.parametrize(
    ("goal", "minutes", "last"),
    [
        ("meditate 20 minutes every morning before 8 am until the end of May 2027", 20, time(8)),
        ("jeden Morgen 20 Minuten meditieren bis Ende Mai 2027", 20, time(12)),
        ("每天早上冥想半小时，五月底之前", 30, time(12)),
    ],
)
def test_a_habit_of_every_morning_is_daily_and_in_the_morning(goal: str, minutes: int, last: time) -> None:
    found = read_stated(goal, TODAY)
    assert (found.daily, found.minutes_per_day) == (True, minutes)
    assert {hours and hours[1] for hours in found.open_hours.values()} == {last}


@pytest.mark.parametrize(
    ("goal", "title"),
    [
        ("practise the violin 30 minutes every day until the recital on March 20 2027", "recital"),
        ("Jeden Tag 30 Minuten Geige üben bis zum Vorspiel am 20. März 2027", "Vorspiel"),
    ],
)
def test_a_habit_until_an_event_ends_the_day_before_it(goal: str, title: str) -> None:
    found = read_stated(goal, TODAY)
    assert [(each.title, str(each.date)) for each in found.appointments] == [(title, "2027-03-20")]
    assert (found.daily, found.minutes_per_day, str(found.deadline)) == (True, 30, "2027-03-19")


@pytest.mark.parametrize(
    ("words", "minutes"),
    [
        ("dienstags und donnerstags je 90 Minuten", 90),
        ("Tuesdays and Thursdays for 45 minutes each", 45),
        ("周二和周四各90分钟", 90),
    ],
)
def test_days_with_how_long_work_takes_on_each_are_all_there(words: str, minutes: int) -> None:
    found = read_stated(f"Klavier, {words}", TODAY)
    assert [day for day, hours in found.open_hours.items() if hours] == [1, 3]
    assert found.sitting == minutes


@pytest.mark.parametrize(
    "words",
    [
        "every day 30 minutes piano, no piano until 10 December",
        "jeden Tag 30 Minuten Klavier, bis 10. Dezember kein Klavier",
    ],
)
def test_days_without_the_habit_that_the_plan_is_are_days_off(words: str) -> None:
    found = read_stated(words, TODAY)
    assert (found.days_off[0], found.days_off[-1], found.absent) == ("2026-11-22", "2026-12-10", [])


def test_what_comes_after_an_injury_is_no_order_of_tasks() -> None:
    assert not read_stated("get back to rowing after a broken wrist, by 1 June 2027", TODAY).order


@pytest.mark.parametrize("words", ["Tuesday evenings are taken", "dienstags abends geht nicht"])
def test_an_evening_that_is_taken_is_not_the_only_one(words: str) -> None:
    found = read_stated(f"learn the harp by 1 June 2027, {words}", TODAY)
    assert found.open_hours[1] == (time(), time(18))
    assert found.open_hours[2] is not None
    assert not found.appointments


@pytest.mark.parametrize(
    ("goal", "name", "expected"),
    [
        ("learn Dutch by 1 June 2027, in odd weeks I work from 6 am to 2 pm", "week_hours",
         [("odd", [0, 1, 2, 3, 4], "06:00", "14:00", True)]),
        ("Kurs bis 1. Juni 2027, in geraden Wochen habe ich Spätschicht", "week_hours",
         [("even", [0, 1, 2, 3, 4], "14:00", "22:00", True)]),
        ("六月底之前学会游泳,单周只有晚上有空", "week_hours", [("odd", [], "18:00", "23:59", False)]),
        ("move on 27 February 2027, Sue and I pack the kitchen together", "assigned", [("Sue", ["pack", "kitchen"])]),
        ("move by 27 February 2027, Sue packs the books", "assigned", [("Sue", ["packs", "books"])]),
        ("Umzug am 20. März 2027, Opa streicht die Küche", "assigned", [("Opa", ["streicht", "Küche"])]),
        ("move by 27 February 2027, Sue packs the books and can only help on Sunday mornings", "named_hours",
         [(["Sue"], [6], "00:00", "12:00")]),
        ("learn Dutch by 1 June 2027, a talk with Jan every Monday evening", "named_hours",
         [(["talk", "Jan"], [0], "18:00", "23:59")]),
        ("exam on 12 February 2027, six units, each unit is read, then practised", "each",
         [("unit", 6, [["read"], ["practised"]])]),
        ("Klausur am 12. Februar 2027, vier Kapitel, jedes Kapitel erst lesen, dann Übungen rechnen", "each",
         [("Kapitel", 4, [["lesen"], ["Übungen", "rechnen"]])]),
        ("learn ten songs until June 15 2027, for each song learn the chords first and then play along, 4 hours a week",
         "each", [("song", 10, [["chords"], ["play", "along"]])]),
        ("五月二十日考试,一共八章,每章先看书再做题", "each", [("章", 8, [["看书"], ["做题"]])]),
        ("show on May 8 2027, Lea and I cook, Ravi prints the invitations by April 9 2027", "assigned",
         [("Lea", ["cook"]), ("Ravi", ["prints", "invitations"])]),
        ("Umzug am 3. April 2027, Papa baut die Regale ab und hat nur sonntags Zeit", "people", [("Papa", [6])]),
        ("pass the exam on 13 March 2027: 10 hours for the writing, 3 hours a week", "hours_of", [(["writing"], 10.0)]),
        ("grow vegetables: prepare the beds by 20 March 2027, don't plant the beans before 15 May 2027", "not_before",
         [(["plant", "beans"], "2027-05-15")]),
        ("emigrate on October 1 2027, the flat must be cancelled by June 30 2027", "due",
         [(["flat", "cancelled"], "2027-06-30")]),
        ("find a job by April 30 2027, my CV must be updated by December 4 2026", "due",
         [(["CV", "updated"], "2026-12-04")]),
        ("Umzug am 20. März 2027, bis Ende Februar muss der Keller leer sein", "due",
         [(["Keller", "leer"], "2027-02-28")]),
        ("run a race on 4 April 2027, 3 runs a week: Tuesday, Friday and a long run on Sunday", "placed",
         [(["runs"], [1, 4, 6]), (["long", "run"], [6])]),
        ("renovate by 31 March 2027, first strip the wallpaper, then plaster the walls, then paint them", "order",
         [(["strip", "wallpaper"], ["plaster", "walls"], 0), (["plaster", "walls"], ["paint"], 0)]),
        ("renovate by 31 March 2027, the paint must dry for 2 days before we lay the carpet", "order",
         [(["paint"], ["lay", "carpet"], 2)]),
        ("build a boat by May 15 2027: first bend the planks, two weeks later caulk the hull, then paint the deck",
         "order", [(["bend", "planks"], ["caulk", "hull"], 14), (["caulk", "hull"], ["paint", "deck"], 0)]),
        ("exams on 4 May 2027, 40 hours for anatomy and 30 for physiology", "hours_of",
         [(["anatomy"], 40.0), (["physiology"], 30.0)]),
        ("三月底之前修好阳台，先铺木板，再装栏杆，刷完晾两天才能摆花盆", "order",
         [(["铺木板"], ["装栏杆"], 0), (["刷"], ["摆花盆"], 2)]),
    ],
)  # fmt: skip
def test_what_is_said_of_single_things_binds_them(goal: str, name: str, expected: list[Any]) -> None:
    assert getattr(read_stated(goal, TODAY), name) == expected


@pytest.mark.parametrize(
    ("goal", "title", "day"),
    [
        ("we move from Leeds to York on February 27 2027", "move from Leeds to York", "2027-02-27"),
        ("launch my online course on March 1 2027, 8 hours a week", "launch my online course", "2027-03-01"),
        ("Wir ziehen am 3. April 2027 nach Bremen", "ziehen nach Bremen", "2027-04-03"),
        ("learn Portuguese before I move to Porto on July 1 2027", "move to Porto", "2027-07-01"),
        ("Ich will am 9. Mai 2027 den Triathlon in Hamburg schaffen", "Triathlon in Hamburg schaffen", "2027-05-09"),
    ],
)
def test_an_event_has_all_of_its_name(goal: str, title: str, day: str) -> None:
    assert [(each.title, str(each.date)) for each in read_stated(goal, TODAY).appointments] == [(title, day)]


@pytest.mark.parametrize(
    ("goal", "first", "last"),
    [
        ("wedding on September 4 2027, no planning in July", "2027-07-01", "2027-07-31"),
        ("Triathlon am 9. Mai 2027, vom 24. bis 26. Dezember frei", "2026-12-24", "2026-12-26"),
        ("明年三月二十日考雅思,周日休息,二月五日到二月十二日过年不学习", "2027-02-05", "2027-02-12"),
        ("stretch every day until 28 February 2027, I'm in Peru from February 1 to 10 and won't do it there",
         "2027-02-01", "2027-02-10"),
        ("bis 15. Mai 2027 Angeln lernen, in den Osterferien vom 29. März bis 9. April lerne ich nicht", "2027-03-29",
         "2027-04-09"),
        ("Triathlon am 9. Mai 2027, 24.–26. Dezember frei", "2026-12-24", "2026-12-26"),
        ("十二月二十四日到二十六日休息，三月学会下棋", "2026-12-24", "2026-12-26"),
        ("五月学会游泳，春节二月五日到二月十二日休息", "2027-02-05", "2027-02-12"),
        ("find a job by 30 April 2027, two weeks off over Christmas, from December 21 to January 3", "2026-12-21",
         "2027-01-03"),
    ],
)  # fmt: skip
def test_days_on_which_nothing_is_done_are_days_off(goal: str, first: str, last: str) -> None:
    off = read_stated(goal, TODAY).days_off
    assert (off[0], off[-1]) == (first, last)


def test_days_that_come_back_have_the_times_that_are_named() -> None:
    found = read_stated("Umzug am 20. März 2027, sonntags geht jetzt doch, aber nur nachmittags", TODAY)
    assert found.also == {6: (time(12), time(18))}
    assert found.open_hours[0] == (time(), time(23, 59))


def test_until_when_a_body_cannot_is_no_last_day() -> None:
    assert read_stated("每周跑步四次,十二月中旬之前膝盖受伤不能跑步", TODAY).deadline is None
    assert read_stated("my shoulder needs until mid January", TODAY).deadline is None


def test_the_last_day_of_one_thing_ends_nothing_else() -> None:
    goal = "organise the fair on 9 May 2027; the permit must be in by the end of January"
    found = read_stated(goal, TODAY)
    assert found.deadline is None
    assert found.due == [(["permit"], "2027-01-31")]


@pytest.mark.parametrize("words", ["erst streichen, dann Möbel aufbauen", "先订酒店再发邀请"])
def test_what_comes_first_and_what_then_is_an_order(words: str) -> None:
    assert len(read_stated(f"Zimmer bis 30. April 2027, {words}", TODAY).order) == 1


def test_a_later_length_of_days_is_not_taken_from_the_beginning() -> None:
    found = read_stated("Täglich 25 Minuten Französisch, ab März 40 Minuten täglich", TODAY)
    assert found.minutes_per_day == 25


def test_what_a_chinese_verb_counts_has_its_days_and_its_rest() -> None:
    found = read_stated("四月十八日跑马拉松，每周跑3次，周二、周四和周日，周日长跑，十二月十五日之前不能跑步", TODAY)
    assert found.sessions == [("跑", 3)]
    assert found.placed == [(["跑"], [1, 3, 6]), (["长跑"], [6])]
    assert found.absent == [(["跑"], "2026-11-22", "2026-12-14")]


@pytest.mark.parametrize("words", ["Tuesdays and Thursdays are impossible", "dienstags und donnerstags geht es nicht"])
def test_days_that_are_ruled_out_together_are_all_out(words: str) -> None:
    found = read_stated(f"set up a shop by 15 April 2027, {words}, 6 hours per week", TODAY)
    assert [day for day, hours in found.open_hours.items() if hours is None] == [1, 3]


@pytest.mark.parametrize(
    "goal",
    [
        "the album comes out on May 14 2027, Joe mixes and has 3 hours a week, the artwork comes from Priya",
        "Das Fest ist am 19. Juni 2027, Gerd macht Strom und Zelt und hat 3 Stunden pro Woche, Uschi die Kasse",
        "Das Fest ist am 19. Juni 2027, Uschi macht Kuchen und kann nur dienstags, Gerd den Strom",
    ],
)
def test_the_hours_of_somebody_who_is_spoken_of_are_not_those_of_the_plan(goal: str) -> None:
    found = read_stated(goal, TODAY)
    assert (found.hours_per_week, found.open_hours) == (None, {})


def test_until_when_nobody_is_there_is_no_last_day() -> None:
    assert (
        read_stated("Das Fest ist am 19. Juni 2027, vom 29. März bis 9. April ist niemand da", TODAY).deadline is None
    )
