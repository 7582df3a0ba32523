"""Changes of single tasks, read by the titles of the plan: which tasks, and what of them; or a question."""

from datetime import date

import pytest

from loopwright.agents.planner.account.named import Work, find_named
from loopwright.agents.planner.account.task_change import Plan
from loopwright.agents.planner.account.task_changes import read_task_changes

TODAY = date(2026, 11, 22)
TASKS = {
    "Book the band": 120, "Order the cake": 60, "Send the invitations": 90, "Put on the roof": 600,
    "Run the wiring": 400, "Record the guitars": 200, "Record the vocals": 200, "Mixing": 300, "Mastering": 300,
    "Sew the curtains (Ellen)": 240, "Plastering (1/2)": 600, "Plastering (2/2)": 600, "Learn the Bach partita": 600,
    "Build the raised beds": 300, "Chapter 2: read": 60, "Chapter 2: summarise": 60, "Interviews führen": 600,
    "Daten auswerten": 600, "Pfosten setzen": 60, "Dach decken": 400, "Regenrinne anbringen": 100,
    "Tischdeko basteln (Jonas)": 100, "Lernfeld 2: lesen": 60, "铺水管": 300, "刷墙": 300, "装灯具": 200, "印请柬": 60,
    "装裱 (阿明)": 60, "学语法": 600,
}  # fmt: skip
WORKS = tuple(Work(title, minutes) for title, minutes in TASKS.items())
PLAN = Plan(WORKS, ("birthday party",), frozenset({"Ellen", "Jonas"}))


def said(words: str) -> list[tuple[str, tuple[str, ...], tuple[str, ...], object]]:
    """Each change with its tasks, those beside them, and its day, its minutes or its person."""
    found = read_task_changes(words, PLAN, TODAY)
    return [(each.kind, each.titles, each.others, each.day or each.minutes or each.who) for each in found]


@pytest.mark.parametrize(
    ("words", "kind", "titles", "value"),
    [
        ("the invitations have to be out by February 28", "due", ["Send the invitations"], date(2027, 2, 28)),
        ("all of the mastering must be finished by April 20", "due", ["Mastering"], date(2027, 4, 20)),
        ("finish vocals and roof by March 1", "due", ["Record the vocals", "Put on the roof"], date(2027, 3, 1)),
        ("Die Interviews müssen bis Ende Februar durch sein", "due", ["Interviews führen"], date(2027, 2, 28)),
        ("灯具要在四月十日之前装完", "due", ["装灯具"], date(2027, 4, 9)),
        ("the roof can only start after March 3", "not_before", ["Put on the roof"], date(2027, 3, 4)),
        ("Die Daten können erst ab März ausgewertet werden", "not_before", ["Daten auswerten"], date(2027, 3, 1)),
        ("the plastering will take 30 hours instead of 20", "length", ["Plastering (1/2)", "Plastering (2/2)"], 1800),
        ("the wiring takes two hours longer", "length", ["Run the wiring"], 520),
        ("Das Dach decken dauert 10 Stunden", "length", ["Dach decken"], 600),
        ("刷墙要多花两小时", "length", ["刷墙"], 420),
        ("I already know the Bach partita by heart", "done", ["Learn the Bach partita"], ""),
        ("we've already booked the band", "done", ["Book the band"], ""),
        ("chapter 2 is done", "done", ["Chapter 2: read", "Chapter 2: summarise"], ""),
        ("Lernfeld 2 ist schon fertig", "done", ["Lernfeld 2: lesen"], ""),
        ("语法已经学完了", "done", ["学语法"], ""),
        ("forget the cake, we don't need it", "left_out", ["Order the cake"], ""),
        ("Die Regenrinne brauchen wir nicht mehr", "left_out", ["Regenrinne anbringen"], ""),
        ("请柬不印了", "left_out", ["印请柬"], ""),
        ("Ellen can't help us any more", "leaves", ["Sew the curtains (Ellen)"], "Ellen"),
        ("Mia takes over from Ellen", "takes_over", ["Sew the curtains (Ellen)"], "Mia"),
    ],
)  # fmt: skip
def test_a_change_of_tasks_is_read_by_their_titles(words: str, kind: str, titles: list[str], value: object) -> None:
    assert said(words) == [(kind, tuple(titles), (), value)]


@pytest.mark.parametrize(
    ("words", "kind", "first", "then"),
    [
        ("do the wiring before the roof", "order", "Run the wiring", "Put on the roof"),
        ("move the mixing after the mastering", "order", "Mastering", "Mixing"),
        ("swap the vocals and the guitars", "swap", "Record the vocals", "Record the guitars"),
        ("Das Dach können wir erst nach der Regenrinne decken", "order", "Regenrinne anbringen", "Dach decken"),
        ("Tausche die Pfosten mit dem Dach", "swap", "Dach decken", "Pfosten setzen"),
        ("刷墙要在铺水管之前", "order", "刷墙", "铺水管"),
        ("先刷墙再铺水管", "order", "刷墙", "铺水管"),
    ],
)
def test_an_order_names_what_comes_first(words: str, kind: str, first: str, then: str) -> None:
    assert said(words) == [(kind, (first,), (then,), "")]


def test_each_statement_of_a_change_is_read_by_itself() -> None:
    assert said("Jonas fällt aus, das macht jetzt Mia") == [
        ("leaves", ("Tischdeko basteln (Jonas)",), (), "Jonas"),
        ("takes_over", ("Tischdeko basteln (Jonas)",), (), "Mia"),
    ]
    assert [each[0::3] for each in said("阿明来不了,换小李装裱")] == [("leaves", "阿明"), ("takes_over", "小李")]
    assert said("order the cake by April 3 and send the invitations by March 1") == [
        ("due", ("Order the cake",), (), date(2027, 4, 3)),
        ("due", ("Send the invitations",), (), date(2027, 3, 1)),
    ]


def test_a_noun_of_a_verb_names_the_task_that_is_called_by_the_verb() -> None:
    assert [each[:2] for each in said("Die Datenauswertung fällt weg und der Pfosten dauert nur 6 Stunden")] == [
        ("left_out", ("Daten auswerten",)),
        ("length", ("Pfosten setzen",)),
    ]


def test_one_thing_more_has_its_length_its_day_and_its_place() -> None:
    words = "we also need to build a compost bin, about 3 hours, after the raised beds are done"
    (bin_,) = read_task_changes(words, PLAN, TODAY)
    assert (bin_.kind, bin_.titles, bin_.minutes) == ("added", ("Build a compost bin",), 180)
    assert bin_.others == ("Build the raised beds",)
    (rail,) = read_task_changes("Ich muss auch noch ein Geländer bauen, 4 Stunden, bis 1. März", PLAN, TODAY)
    assert (rail.titles, rail.minutes, rail.day) == (("Geländer bauen",), 240, date(2027, 3, 1))


@pytest.mark.parametrize(
    "words",
    [
        "the party has to be over by May 1", "everything must be done by April 20", "I lost Tuesday", "no more Fridays",
        "from March on I only have 8 hours a week", "we can't work before February 1", "my cat is called roof",
        "skip task 2",
        "I have no time for the band", "从三月开始每周只能学三小时", "Ab Januar schaffe ich 9 Stunden pro Woche",
    ],
)  # fmt: skip
def test_what_names_no_task_or_says_nothing_of_one_is_left_alone(words: str) -> None:
    assert said(words) == []


@pytest.mark.parametrize(
    ("words", "problem"), [("the soloist's dress is done", "not_named"), ("skip the chapter or the roof", "not_named")]
)
def test_what_is_not_named_surely_is_asked(words: str, problem: str) -> None:
    assert [each.problem for each in read_task_changes(words, PLAN, TODAY)] == [problem]


def test_of_two_tasks_that_fit_alike_none_is_taken() -> None:
    found = find_named("bath hall", ["Paint the bath", "Clean the hall", "Paint the stairs"])
    assert (found.titles, found.several) == ((), ("Paint the bath", "Clean the hall"))
