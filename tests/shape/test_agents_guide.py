"""AGENTS.md stays short enough to be read every time."""

from tests.shape.source import ROOT

MOST_LINES = 60


def test_the_guide_is_short_and_shows_both_ways() -> None:
    """At most a screen, and every rule that needs it shown by a bad and a good line."""
    text = (ROOT / "AGENTS.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= MOST_LINES
    assert text.count("# bad") == text.count("# good") > 0
