"""The oracle itself: what it calls kept is kept, and each broken calendar is found."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.agents.planner.facts.oracle import CHECKS, holds, quality, read_entries, verdict

CASES = Path(__file__).parent / "cases"
HEAD = "BEGIN:VCALENDAR\nVERSION:2.0\n"


def calendar(*entries: tuple[str, str, str]) -> str:
    events = [
        f"BEGIN:VEVENT\nSUMMARY:{title}\nDTSTART;TZID=Europe/Berlin:{start}\nDTEND;TZID=Europe/Berlin:{end}\nEND:VEVENT"
        for title, start, end in entries
    ]
    return HEAD + "\n".join(events) + "\nEND:VCALENDAR\n"


STUDY = [("Study", f"202701{day:02d}T180000", f"202701{day:02d}T190000") for day in (4, 6, 8, 11, 13, 15, 18, 20, 22)]


@pytest.mark.parametrize(
    ("fact", "breaks"),
    [
        ({"check": "none_on", "days": [6]}, ("Study", "20270110T180000", "20270110T190000")),
        ({"check": "only_on", "days": [0, 2, 4]}, ("Study", "20270112T180000", "20270112T190000")),
        ({"check": "week_hours", "most": 3}, ("Study", "20270112T180000", "20270112T190000")),
        ({"check": "day_hours", "most": 1}, ("Study", "20270111T200000", "20270111T203000")),
        ({"check": "week_sessions", "title": [], "count": 3}, ("Study", "20270112T180000", "20270112T190000")),
        ({"check": "within", "start": "17:00", "end": "20:00"}, ("Study", "20270112T210000", "20270112T220000")),
        ({"check": "over_by", "date": "2027-01-22"}, ("Study", "20270123T180000", "20270123T190000")),
        ({"check": "sitting", "minutes": 60}, ("Study", "20270112T180000", "20270112T183000")),
        (
            {"check": "free", "first": "2027-01-09", "last": "2027-01-10"},
            ("Study", "20270110T180000", "20270110T190000"),
        ),
    ],
)
def test_a_broken_calendar_is_found(fact: dict[str, Any], breaks: tuple[str, str, str]) -> None:
    assert holds(fact, read_entries(calendar(*STUDY)))
    assert not holds(fact, read_entries(calendar(*STUDY, breaks)))


def test_what_is_neither_kept_nor_told_is_wrong() -> None:
    fact = {"words": "no Sundays", "check": "none_on", "days": [6]}
    entries = read_entries(calendar(*STUDY, ("Study", "20270110T180000", "20270110T190000")))
    told = {"type": "complete", "account": {"not_used": [{"text": "no Sundays", "reason": ""}]}}
    assert verdict(fact, entries, told) == "told"
    assert verdict(fact, entries, {"type": "complete", "account": {}}) == "wrong"


@pytest.mark.parametrize(
    "fact",
    [
        {"check": "title_none_between", "first": "2027-01-09", "last": "2027-01-10"},
        {"check": "none_before", "date": "2027-01-04"},
    ],
)
def test_what_no_entry_is_named_after_is_not_kept(fact: dict[str, Any]) -> None:
    """An absence of somebody whom the calendar does not name is kept by nobody: it has to be told."""
    entries = read_entries(calendar(*STUDY))
    assert holds(fact | {"title": ["study"]}, entries)
    assert not holds(fact | {"title": ["Ben"]}, entries)
    absent = fact | {"title": ["Ben"], "words": "Ben is away"}
    told = {"type": "complete", "account": {"refused": [{"text": "Ben is away", "reason": "nobody is called Ben"}]}}
    assert [verdict(absent, entries, line) for line in (told, {"type": "complete", "account": {}})] == ["told", "wrong"]


def test_what_somebody_does_is_kept_where_all_of_it_is_theirs() -> None:
    fact = {"check": "assigned", "who": "Ben", "items": [["tiles"], ["paint"]]}
    days = ("20270104T180000", "20270104T190000")
    whole = [("Lay the tiles (Ben)", *days), ("Paint the walls (Ben)", *days)]
    assert holds(fact, read_entries(calendar(*whole)))
    assert not holds(fact, read_entries(calendar(*whole, ("Joints of the tiles (Anna)", *days))))
    assert not holds(fact, read_entries(calendar(whole[0])))


def test_a_rule_is_unrolled_and_what_was_cancelled_is_gone() -> None:
    text = calendar(STUDY[0]).replace("END:VEVENT", "RRULE:FREQ=WEEKLY;COUNT=3\nEND:VEVENT")
    assert [str(each.day) for each in read_entries(text)] == ["2027-01-04", "2027-01-11", "2027-01-18"]
    out = "EXDATE;TZID=Europe/Berlin:20270111T180000,20270118T180000\nEND:VEVENT"
    assert [str(each.day) for each in read_entries(text.replace("END:VEVENT", out))] == ["2027-01-04"]
    assert not read_entries(text.replace("END:VEVENT", "STATUS:CANCELLED\nEND:VEVENT"))


def test_fragments_and_crowded_days_are_counted() -> None:
    many = [("Run", f"20270104T{hour}0000", f"20270104T{hour}1500") for hour in ("10", "12", "14")]
    assert quality(read_entries(calendar(*many)))["fragments"] == 1.0
    assert quality(read_entries(calendar(*many)))["days_with_three_alike"] == 1.0


def test_every_case_asks_for_a_check_that_there_is() -> None:
    for name in ("development", "own", "first_run", "second_run"):
        for line in (CASES / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
            for fact in json.loads(line)["facts"]:
                assert fact["check"] in {*CHECKS, "told"}
                assert fact["words"] in json.loads(line)["goal"]
