"""Which words become which claim: wholly read, or not at all."""

from datetime import date

import pytest

from loopwright.agents.planner.account.binding import bind, claim_of, subject_alone
from loopwright.kernel.account import Claim, Statement
from loopwright.kernel.account.reading import hard_tokens, read_statements
from loopwright.kernel.account.reading.standing import missing_tokens, stands_in

TODAY = date(2026, 11, 22)


def values(text: str, before: str = "") -> tuple[str, dict[str, object]] | None:
    claim = claim_of(text, TODAY, before=before)
    if claim is None:
        return None
    return claim.check, {k: v for k, v in claim.arguments.items() if v not in (None, [], "") and k != "words"}


def bound(message: str) -> tuple[list[Statement], dict[str, Claim]]:
    """The statements of a message, and the claims that the controller accepts."""
    statements = [each.model_copy(update={"id": f"s{n}"}) for n, each in enumerate(read_statements(message))]
    claims = bind(statements, TODAY)
    return statements, claims


def checks(message: str) -> dict[str, str]:
    """By the words of each statement, the check of its claim."""
    statements, claims = bound(message)
    return {each.text: claims[each.id].check for each in statements if each.id in claims}


@pytest.mark.parametrize(
    ("text", "check", "some"),
    [
        ("12 hours a week", "per_week", {"amount": 12.0, "relation": "about", "unit": "hours"}),
        ("up to 90 minutes per week", "per_week", {"amount": 1.5, "relation": "at_most"}),
        ("höchstens 3 Stunden am Tag", "per_day", {"hours": 3.0, "relation": "at_most"}),
        ("每周练习五小时", "per_week", {"amount": 5.0}),
        ("3 swims a week", "per_week", {"amount": 3.0, "unit": "sessions", "of": ["swims"]}),
        ("no Wednesdays", "none_on", {"weekdays": [2]}),
        ("nur samstags", "only_on", {"weekdays": [5]}),
        ("weekends only", "only_on", {"weekdays": [5, 6]}),
        ("team call on Mondays", "only_on", {"weekdays": [0], "of": ["team", "call"]}),
        ("only between 18:00 and 21:30", "within", {"since": "18:00:00", "until": "21:30:00"}),
        ("nothing after 9 pm", "within", {"not_after": "21:00:00"}),
        ("ab 8:30 Uhr", "within", {"since": "08:30:00"}),
        ("by 3 May 2027", "ends_by", {"date": "2027-05-03"}),
        ("before March 2027", "ends_by", {"date": "2027-02-28"}),
        ("bis Ende April 2027", "ends_by", {"date": "2027-04-30"}),
        ("in 3 months", "ends_by", {"date": "2027-02-22"}),
        (
            "Masterarbeit abgeben am 26. März 2027",
            "on_day",
            {"event": ["Masterarbeit", "abgeben"], "date": "2027-03-26"},
        ),
        ("the driving test is on 7 January", "on_day", {"event": ["driving", "test"], "date": "2027-01-07"}),
        ("I am away next week", "free", {"first": "2026-11-23", "last": "2026-11-29"}),
        ("the walls must dry before we hang the shelves", "gap", {"days": 0}),
        ("300 hours in all", "total", {"hours": 300.0}),
        ("learn Portuguese", "titled", {"title": ["learn", "Portuguese"], "subject": ["Portuguese"]}),
    ],
)
def test_words_that_are_read(text: str, check: str, some: dict[str, object]) -> None:
    found = values(text)
    assert found is not None
    assert found[0] == check
    assert some.items() <= found[1].items()


@pytest.mark.parametrize(
    "text",
    [
        "I have a bad shoulder until mid February",
        "she cannot come in May",
        "no more than 15000 euros",
        "the invoice is already paid",
        "move everything on Mondays to Friday",
        "for 80 guests",
        "not on my birthday",
        "12 hours a week except in January",
        "at most 2 hours",
        "then 8 hours a week",
        "I am free on Fridays",
        "1 friend comes 17 January",
    ],
)
def test_what_is_not_read_wholly_is_not_claimed(text: str) -> None:
    assert values(text) is None


def test_the_event_of_a_day_stands_before_it() -> None:
    assert values("on 7 January 2027", before="take the theory test") == (
        "on_day",
        {"event": ["theory", "test"], "date": "2027-01-07"},
    )


def test_a_name_in_front_is_no_verb() -> None:
    """`Cleo does the wiring` must not be kept by wiring that somebody else does."""
    named, claims = bound("renovate the attic with Cleo and Dan: Cleo does the wiring, Dan does the walls")
    for statement in named:
        claim = claims.get(statement.id)
        if claim is not None and statement.text.startswith(("Cleo does", "Dan does")):
            assert claim.check == "assigned"
            assert claim.arguments["who"] == statement.text.split()[0]


@pytest.mark.parametrize(
    "goal",
    [
        "pass the theory test on January 7 2027, 6 hours a week, no Fridays, at most 2 hours a day",
        "build a shed by April 30 2027, weekends only, 8 hours a week",
        "play the cello by 1 June 2027, only between 17:00 and 19:00",
        "Ich möchte bis Ende Mai 2027 Gitarre lernen, 3 Stunden pro Woche",
    ],
)
def test_no_claim_leaves_a_hard_token_out(goal: str) -> None:
    statements, claims = bound(goal)
    assert claims
    for statement in statements:
        if statement.id in claims:
            assert not missing_tokens(statement.hard, claims[statement.id]), statement.text


@pytest.mark.parametrize(
    "message",
    [
        "run the long one on Saturdays at 7.30 am",
        "at least one rest day a week",
        "keine Termine am Montag",
        "at most 2 hours on Mondays",
        "at most 20 hours in all in January",
        "5 hours a week until March, then 8 hours a week",
        "cancel the meeting on 7 January 2027",
        "skip the dentist on 7 January 2027",
        "practise piano 4 hours a week and train for a marathon",
        "4 hours a week in winter, 6 hours a week and 8 hours a week",
    ],
)
def test_what_was_cut_or_turned_is_not_claimed(message: str) -> None:
    """P1, P3, P6: a piece of a limit, an order or an exception must not be kept as if it stood alone."""
    statements, claims = bound(message)
    assert not claims, claims
    assert not [each.text for each in statements if each.text == "run the long one" and subject_alone(each, TODAY)]


def test_what_is_said_beside_an_exception_is_claimed_alone() -> None:
    assert checks("max 2 h per day, but 4 h on Sundays") == {"max 2 h per day": "per_day"}
    assert checks("5 hours a week, from April 2027 8 hours a week") == {"from April 2027 8 hours a week": "per_week"}
    both = {"Nothing on Mondays": "none_on", "Nothing on Wednesdays": "none_on"}
    assert checks("Nothing on Mondays and Wednesdays") == both


@pytest.mark.parametrize(
    "text",
    ["until 9 pm only", "from 8 am", "before 8 am", "not before 9:00", "nothing after 9 pm", "nicht vor 9 Uhr"],
)
def test_one_bound_of_the_day_can_be_kept(text: str) -> None:
    """P4: the controller finds each hard token in the claim, whichever bound it is."""
    claim = claim_of(text, TODAY)
    assert claim is not None
    assert claim.check == "within"
    assert all(stands_in(token, claim.check, claim.arguments) for token in hard_tokens(text))


def test_a_bound_does_not_stand_in_its_contrary() -> None:
    claim = claim_of("from 8 am", TODAY)
    assert claim is not None
    assert not all(stands_in(token, claim.check, claim.arguments) for token in hard_tokens("until 8 am"))


def test_what_names_only_a_subject_is_not_claimed() -> None:
    """P2: nothing measures that a plan is for juggling; its words are assumed where titles name it."""
    statements, claims = bound("learn to juggle, 4 hours a week")
    assert statements[0].id not in claims
    assert subject_alone(statements[0], TODAY) == ("juggle",)


def test_a_deadline_knows_what_it_was_said_of() -> None:
    """P7: it is measured of the whole plan, and not verified where only the thing it was said of keeps it."""
    statements, claims = bound("call the dentist before Friday")
    assert claims[statements[1].id].arguments["of"] == ["call", "dentist"]
    assert statements[0].id not in claims


@pytest.mark.parametrize(
    "text",
    [
        "bis 15. Mai Angeln lernen, in den Osterferien vom 29. März bis 9. April lerne ich nicht",
        "Kurs bis 1. Juni 2027, ab Januar nur noch 3 Stunden pro Woche",
        "Thursdays don't work any more",
        "fix the house by May 1, don't order the windows before February 1 2027, weekends only",
        "emigrate on October 1 2027, the flat must be cancelled by June 30 2027",
        "二月底之前学会弹尤克里里,每周三次,每次四十分钟",
        "chapter 3 is not needed any more",
        "the movers can only come on January 23",
        "Petra has no time, Max does the roof",
        "Klavier, dienstags und donnerstags je 90 Minuten",
    ],
)
def test_what_is_done_is_not_told_as_unused_for_a_word_of_relation(text: str) -> None:
    statements, claims = bound(text)
    read = [each for each in statements if each.id in claims]
    assert read
    assert not [missing for each in read if (missing := missing_tokens(each.hard, claims[each.id], TODAY))]
