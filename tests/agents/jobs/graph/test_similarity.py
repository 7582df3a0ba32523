"""The quick ratio is the slow one wherever it matters."""

from difflib import SequenceMatcher

from hypothesis import given
from hypothesis import strategies as st

from loopwright.agents.jobs.graph import Comparison, comparable, most_alike

WORDS = [
    *("Das", "System", "muss", "alle", "Rechnungen", "und", "Belege", "zehn", "Jahre", "lang"),
    *("unverändert", "aufbewahren", "dürfen", "Größe", "Prüfung"),
]
SENTENCES = st.lists(st.sampled_from(WORDS), min_size=1, max_size=14).map(" ".join)
EDITS = st.lists(st.tuples(st.integers(0, 200), st.sampled_from(["", "x", "ü", " ", "10"])), max_size=12)


def plain_ratio(one: str, other: str) -> float:
    first, second = sorted((comparable(one), comparable(other)), key=lambda each: (len(each), each))
    return SequenceMatcher(None, first, second, autojunk=False).ratio()


@st.composite
def pairs(draw: st.DrawFn) -> tuple[str, str]:
    """A sentence, and another one or an edited copy."""
    one = draw(SENTENCES)
    if draw(st.booleans()):
        return one, draw(SENTENCES | st.text(max_size=30))
    other = one
    for place, replacement in draw(EDITS):
        place %= len(other) + 1
        other = other[:place] + replacement + other[place + 1 :]
    return one, other


@given(pair=pairs(), least=st.sampled_from([0.3, 0.6, 0.7, 0.95]))
def test_no_bound_changes_the_ratio(pair: tuple[str, str], least: float) -> None:
    expected = plain_ratio(*pair) if any(map(comparable, pair)) else 0.0
    got = Comparison(pair[0]).ratio(pair[1], least)
    assert got == (expected if expected >= least else 0.0)
    assert got == Comparison(pair[1]).ratio(pair[0], least)


def test_case_spaces_and_marks_do_not_count() -> None:
    assert Comparison("Die  Rechnung MUSS geprüft werden.").ratio("„die Rechnung muss\ngeprüft werden“", 0.95) == 1.0


def test_related_and_duplicate_texts_are_told_apart() -> None:
    text = "Das System muss Rechnungen zehn Jahre lang unverändert aufbewahren."
    others = [
        ("same", "Das System muss die Rechnungen zehn Jahre lang unverändert aufbewahren."),
        ("like", "Das System muss Belege acht Jahre lang unverändert aufbewahren können."),
        ("other", "Nutzer können ein Fahrzeug für einen bestimmten Zeitraum reservieren."),
    ]
    found = {each.key: each.ratio for each in most_alike(text, others, 0.7)}
    assert list(found) == ["same", "like"]
    assert found["same"] >= 0.95 > found["like"]
