"""The ordinary ways of saying when: what is read of them, and what is left unread."""

from datetime import date
from typing import Any

import pytest

from loopwright.agents.planner.account.binding import bind, claim_of
from loopwright.agents.planner.account.dates import read_days
from loopwright.agents.planner.stated import read_stated
from loopwright.kernel.account.reading import missing_tokens, read_statements

TODAY = date(2026, 11, 22)
WEEKDAYS = [0, 1, 2, 3, 4]


def read(text: str) -> tuple[str, dict[str, Any]] | None:
    """The check and those of its values that say something, of a message after a goal."""
    german = text.startswith(("nur", "jeden", "nicht", "werktags"))
    goal = f"{'Bis 14. Mai 2027 ein Floß bauen' if german else 'Build a raft by May 14 2027'}, {text}"
    statements = [each.model_copy(update={"id": f"s{n}"}) for n, each in enumerate(read_statements(goal))]
    claims = bind(statements, TODAY)
    last = statements[-1]
    claim = claims.get(last.id)
    if claim is None or missing_tokens(last.hard, claim, TODAY):
        return None
    return claim.check, {
        name: value for name, value in claim.arguments.items() if value and name not in ("names", "only")
    }


@pytest.mark.parametrize(
    ("text", "check", "told"),
    [
        ("only on weekends", "only_on", {"weekdays": [5, 6]}),
        ("nur am Wochenende", "only_on", {"weekdays": [5, 6]}),
        ("Tuesdays and Thursdays only", "only_on", {"weekdays": [1, 3]}),
        ("Mon, Wed and Fri only", "only_on", {"weekdays": [0, 2, 4]}),
        ("every second Saturday", "only_on", {"weekdays": [5], "every": 2}),
        ("jeden zweiten Samstag", "only_on", {"weekdays": [5], "every": 2}),
        ("nicht dienstags und donnerstags", "none_on", {"weekdays": [1, 3]}),
        ("weekday evenings", "within", {"weekdays": WEEKDAYS, "since": "18:00:00"}),
        ("evenings and weekends", "within", {"weekdays": WEEKDAYS, "free": [5, 6], "since": "18:00:00"}),
        ("mornings before 8", "within", {"until": "08:00:00"}),
        ("evenings only", "within", {"since": "18:00:00"}),
        ("nur abends nach 19 Uhr", "within", {"since": "19:00:00"}),
        ("between 6 and 8 pm", "within", {"since": "18:00:00", "until": "20:00:00"}),
        ("Mon-Fri 18:00-20:00", "within", {"weekdays": WEEKDAYS, "since": "18:00:00", "until": "20:00:00"}),
        ("werktags zwischen 18 und 20 Uhr", "within", {"weekdays": WEEKDAYS, "since": "18:00:00", "until": "20:00:00"}),
        ("no work after 21:00", "within", {"not_after": "21:00:00"}),
        ("Saturday mornings only", "within", {"weekdays": [5], "until": "12:00:00"}),
    ],
)
def test_when_there_may_be_work_is_read(text: str, check: str, told: dict[str, Any]) -> None:
    assert read(text) == (check, told)


@pytest.mark.parametrize(
    "text",
    ["I work Monday to Friday until 5 pm", "not on holidays", "I have choir on Mondays", "mornings and evenings"],
)
def test_what_is_no_rule_for_all_work_is_not_claimed(text: str) -> None:
    assert claim_of(text, TODAY) is None


def test_a_day_right_behind_a_thing_is_the_day_of_that_thing() -> None:
    found = read_stated("Practise the cello until June 20 2027, lesson with Mr. Hall on Thursdays", TODAY)
    assert found.placed == [(["lesson", "Mr", "Hall"], [3])]
    assert not found.hours  # the lesson's day leaves the hours of all else open


@pytest.mark.parametrize(
    ("text", "hours"),
    [
        ("evenings only, after 18:30, not on Fridays", "18:30–22:00"),
        ("mornings before 8, not on Fridays", "06:00–08:00"),
        ("nothing after 9 pm, not on Fridays", "09:00–21:00"),
    ],
)
def test_what_is_said_of_days_and_hours_holds_together(text: str, hours: str) -> None:
    found = read_stated(f"Build a raft by May 14 2027, {text}", TODAY)
    assert found.hours == ", ".join(f"{day} {hours}" for day in ("Mon", "Tue", "Wed", "Thu", "Sat", "Sun"))


def test_a_sunday_beside_holidays_that_no_code_knows_is_free_all_the_same() -> None:
    assert "Sun" not in read_stated("Clean the cellar by March 31 2027, no Sundays or public holidays", TODAY).hours


@pytest.mark.parametrize("said", ["3 hours in one day is the most", "10 km in two days", "at most 90 minutes in a day"])
def test_an_amount_in_a_length_of_time_names_no_day(said: str) -> None:
    """It says how much, not when."""
    assert read_days(said, date(2026, 11, 23)) == []


@pytest.mark.parametrize("said", ["done in three weeks", "Learn to juggle three balls in three weeks, 3 hours a week"])
def test_a_length_of_time_names_its_last_day(said: str) -> None:
    """Counted from today; a number of things before it is no rate."""
    (day,) = read_days(said, date(2026, 11, 23))
    assert day.last == date(2026, 12, 14)
