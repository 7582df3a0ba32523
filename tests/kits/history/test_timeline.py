"""Undo and redo, read from a history that is only ever appended to."""

import pytest

from loopwright.kits.history.timeline import Step, timeline_of

NAMES: dict[str, Step] = {"-": "undo", "+": "redo"}


@pytest.mark.parametrize(
    ("history", "counting", "undone"),
    [
        ("", "", ""),
        ("abc", "abc", ""),
        ("abc-", "ab", "c"),
        ("abc---", "", "abc"),
        ("abc----+", "a", "bc"),
        ("abc--+", "ab", "c"),
        ("abc--d", "ad", ""),
        ("abc--d+", "ad", ""),
        ("-+a", "a", ""),
    ],
)
def test_what_counts_and_what_may_be_redone(history: str, counting: str, undone: str) -> None:
    """As in an editor: a change ends what could have been redone, and steps into nothing change nothing."""
    found = timeline_of((NAMES.get(each, "change"), each) for each in history)
    assert "".join(found.changes[: found.counting]) == counting
    assert "".join(found.changes[found.counting :]) == undone
    assert found.current == (counting[-1:] or None)
    assert found.before == (counting[-2:-1] or None)
    assert found.after == (undone[:1] or None)


def test_changes_that_belong_together_are_one() -> None:
    """An undo takes back what was joined as one, and joins nothing across it."""
    joined = timeline_of(
        [("change", "a1"), ("change", "a2"), ("change", "b1"), ("undo", ""), ("change", "a3")],
        lambda last, new: last + new if last[0] == new[0] else None,
    )
    assert joined.changes == ("a1a2a3",)
