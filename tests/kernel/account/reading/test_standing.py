"""Whether a claim holds a hard token."""

from datetime import date
from typing import Any

import pytest

from loopwright.kernel.account import Claim
from loopwright.kernel.account.reading import hard_tokens, missing_tokens, stands_in

TRUE: list[tuple[str, str, dict[str, Any]]] = [
    ("4 runs a week", "per_week", {"what": "runs", "relation": "==", "n": 4}),
    ("20 hours a week", "per_week", {"measure": "hours", "n": 20}),
    ("20 hours a week", "per_week", {"minutes": 1_200}),
    ("15 cm", "box", {"width_mm": 150}),
    ("15 cm", "box", {"width": 15, "unit": "cm"}),
    ("15 cm", "box", {"width": "15 cm"}),
    ("2 x 1 x 0.5 inches", "box", {"size_mm": [50.8, 25.4, 12.7]}),
    ("90 degrees", "turned", {"angle_degrees": 90}),
    ("5000元", "over", {"amount": 5_000, "currency": "CNY"}),
    ("120 guests", "named", {"text": "120 guests"}),
    ("five requirements", "rows", {"count": 5}),
    ("Osei", "visible", {"term": "Dr. Osei"}),
    ("site_data_dir", "symbol_everywhere", {"old": "site_data_dir", "new": "shared_data_dir"}),
    ("January 31 2027", "ends", {"until": "2027-01-31"}),
    ("January 31 2027", "ends", {"until": date(2027, 1, 31)}),
    ("31. Januar", "ends", {"until": "2027-01-31"}),
    ("the end of June", "ends", {"until": "2027-06-30"}),
    ("August", "none_in", {"month": 8}),
    ("Fridays", "none_on", {"weekday": "friday"}),
    ("Fridays", "none_on", {"weekday": 4}),
    ("周日", "none_on", {"weekday": "SU"}),
    ("14:00", "within", {"from": "14:00", "to": "18:00"}),
    ("teal", "style", {"value": "teal"}),
    ("teal", "style", {"value": "#0f8288"}),
    ("#C8102E", "style", {"value": "rgb(200, 16, 46)"}),
    ("at most", "count", {"relation": "<=", "n": 40}),
    ("höchstens", "rows", {"at_most": 40}),
    ("至少", "count", {"relation": ">=", "n": 3}),
    ("between", "blocks", {"earliest": "14:00", "latest": "18:00"}),
    ("not", "none_on", {"weekday": 4}),
    ("ohne", "absent", {"term": "Anhang"}),
    ("不要", "absent", {"term": "附件"}),
    ("no", "count", {"what": "popups", "relation": "==", "n": 0, "count": 0}),
    ("every", "each_row", {"column": "page"}),
    ("all", "currency", {"code": "CHF", "scope": "all"}),
    ("left", "open_at", {"faces": ["left", "right"]}),
    ("links", "open_at", {"faces": ["left", "right"]}),
    ("before", "before", {"first": "cancel the lease", "second": "order the movers"}),
    ("by", "ends", {"until": "2027-01-31"}),
    ("soonest first", "sorted", {"by": "due date", "order": "ascending"}),
    ("2 mm", "holes", {"count": 2, "diameter_mm": 2}),
    ("two holes", "holes", {"count": 2}),
    ("4 runs a week", "count", {"n": 4, "per": "week"}),
    ("not later than", "ends_by", {"date": "2027-05-03"}),
    ("nicht später als", "ends_by", {"date": "2027-05-03"}),
    ("≤", "rows", {"relation": "<=", "n": 3}),
    ("≥", "rows", {"at_least": 3}),
    ("+", "rows", {"at_least": 3}),
    ("±", "size", {"tolerance": 0.1}),
    ("5-7 pages", "pages", {"min": 5, "max": 7}),
    ("5–7 Seiten", "pages", {"first": 5, "last": 7}),
    ("3 to 5 times a week", "per_week", {"least": 3, "most": 5}),
    ("half an inch", "box", {"thickness_mm": 12.7}),
    ("range(1, n)", "code", {"text": "for i in range(1, n):"}),
    ("are out", "none_on", {"weekday": 2}),
]
FALSE: list[tuple[str, str, dict[str, Any]]] = [
    # Another value, another unit, or none at all.
    ("4 runs a week", "per_week", {"what": "runs", "n": 3}),
    ("4 runs a week", "total", {"n": 4}),
    ("4 runs a week", "exists", {}),
    ("20 hours a week", "per_week", {"measure": "sessions", "n": 20}),
    ("15 cm", "box", {"width_mm": 15}),
    ("15 cm", "box", {"width": 15}),
    ("five requirements", "box", {"width_mm": 5}),
    ("five requirements", "shown", {"all": True}),
    ("2 x 1 x 0.5 inches", "box", {"size_mm": [50.8, 25.4]}),
    ("5000元", "over", {"amount": 5_000}),
    ("January 31 2027", "ends", {"until": "2027-01-30"}),
    ("January 31 2027", "ends", {"until": "2028-01-31"}),
    ("the end of June", "ends", {"until": "2027-06-02"}),
    ("Fridays", "none_on", {"weekday": "thursday"}),
    ("Fridays", "none_on", {"count": 4}),
    ("14:00", "within", {"from": "04:00"}),
    # Something else that happens to hold.
    ("Osei", "visible", {"term": "Dr. Lindqvist"}),
    ("QR", "visible", {"term": "QRX"}),
    ("site_data_dir", "symbol_everywhere", {"old": "Site_Data_Dir"}),
    ("teal", "style", {"value": "#ff0000"}),
    ("#C8102E", "style", {"value": "#C8102F"}),
    # The word alone says no relation.
    ("not", "visible", {"term": "Landing"}),
    ("not", "visible", {"term": "not Landing"}),
    ("at most", "count", {"relation": ">=", "n": 40}),
    ("at most", "visible", {"term": "at most 40 rows"}),
    ("every", "visible", {"term": "a page"}),
    ("only", "count", {"n": 3}),
    ("before", "both", {"first": "a", "second": "b"}),
    # The unit of another argument, or of another number.
    ("2 mm", "holes", {"count": 2, "diameter_mm": 5}),
    ("2 mm", "holes", {"count": 2, "unit": "mm"}),
    ("2 hours", "week", {"sessions": 2, "break_hours": 1}),
    # The number of a page, or a number alone on one.
    ("two holes", "holes", {"page": 2}),
    ("3 doctors", "visible", {"term": "3"}),
    # A rate or a relation in a text that says something else.
    ("4 runs a week", "count", {"runs": 4, "note": "a week"}),
    ("at most", "hours_per_week", {"relation": ">=", "n": 5, "what": "max"}),
    ("at most", "max_hours", {"relation": ">=", "n": 5}),
    ("before", "ends", {"note": "before"}),
    ("≤", "rows", {"relation": ">=", "n": 3}),
    ("≤", "rows", {"n": 3}),
    ("+", "rows", {"n": 3}),
    ("5-7 pages", "pages", {"count": 7}),
    ("half an inch", "box", {"thickness_mm": 0.5}),
    ("half an inch", "box", {"thickness_mm": 25.4}),
    ("range(1, n)", "code", {"text": "range(2, n)"}),
    ("are out", "on_day", {"weekday": 2}),
    ("alone", "changed", {"path": "utils.py"}),
]


@pytest.mark.parametrize(("token", "check", "arguments"), TRUE)
def test_it_stands_there(token: str, check: str, arguments: dict[str, Any]) -> None:
    """A claim holds a token in any of the usual forms."""
    assert stands_in(token, check, arguments)


@pytest.mark.parametrize(("token", "check", "arguments"), FALSE)
def test_it_does_not(token: str, check: str, arguments: dict[str, Any]) -> None:
    """In doubt it does not."""
    assert not stands_in(token, check, arguments)


def test_what_is_missing_is_named() -> None:
    """A claim that leaves something out is told what."""
    hard = [token.text for token in hard_tokens("at most 40 rows, not on Fridays")]
    claim = Claim(check="rows", arguments={"at_most": 40})
    assert missing_tokens(hard, claim) == ["not", "Fridays"]


def test_a_claim_without_arguments_holds_nothing() -> None:
    """No hard token of a sentence stands in an empty claim with a neutral name."""
    for token in hard_tokens(
        "only 3 pages by 3 May 2027 in teal for Dr. Osei, not on Mondays, every photo left of src/a.py"
    ):
        assert not stands_in(token, "check", {}), token


@pytest.mark.parametrize(
    ("token", "day", "stands"),
    [
        ("tomorrow", "2027-03-11", True),
        ("tomorrow", "2027-03-12", False),
        ("next week", "2027-03-15", True),
        ("next week", "2027-03-22", False),
        ("nächsten Monat", "2027-04-30", True),
        ("下周", "2027-03-21", True),
        ("明年六月", "2028-06-01", True),
        ("明年六月", "2027-06-01", False),
    ],
)
def test_what_is_told_from_today_needs_today(token: str, day: str, stands: bool) -> None:
    """A date is next week's only when one knows which day it is."""
    assert stands_in(token, "ends", {"until": day}, today=date(2027, 3, 10)) == stands
    assert not stands_in(token, "ends", {"until": day})


@pytest.mark.parametrize(
    ("day", "stands"), [("2027-05-03", True), ("2026-05-03", False), ("2031-05-03", False), (date(2031, 5, 3), False)]
)
def test_a_date_without_a_year_is_the_next_one(day: str | date, stands: bool) -> None:
    """Nobody who says "May 3" means that of another year."""
    assert stands_in("May 3", "ends", {"until": day}, today=date(2026, 11, 23)) == stands
