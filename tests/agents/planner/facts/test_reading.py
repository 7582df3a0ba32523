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


@pytest.mark.parametrize("words", ["Tuesday evenings are taken", "dienstags abends geht nicht"])
def test_an_evening_that_is_taken_is_not_the_only_one(words: str) -> None:
    found = read_stated(f"learn the harp by 1 June 2027, {words}", TODAY)
    assert found.open_hours[1] == (time(), time(18))
    assert found.open_hours[2] is not None
    assert not found.appointments


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
