"""Differences as editors show them."""

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.agents.ide.commands.acp_translating import differences_of, title_of
from loopwright.kits.history.texts import unified_diff

ROOT = Path("/project")
LINES = st.lists(st.sampled_from(["a\n", "b\r\n", "- c\n", "+++ d\n", "@@ -1 +1 @@\n", "\x0cform\n", "\n"]), max_size=6)
TEXT = st.tuples(LINES, st.sampled_from(["", "last"])).map(lambda parts: "".join(parts[0]) + parts[1])


@settings(max_examples=60)
@given(TEXT, TEXT)
def test_a_small_difference_is_told_whole(before, after):
    """Within the context of one hunk, the lines before and after are the files themselves."""
    shown = differences_of(ROOT, unified_diff("src/a.py", before.encode(), after.encode(), context=50))
    if before == after:
        assert shown == []
    else:
        [change] = shown
        assert (change.path, change.old_text, change.new_text) == ("/project/src/a.py", before, after)


def test_new_and_deleted_files_and_several_at_once():
    diff = unified_diff("new.py", None, b"x\n") + unified_diff("old.py", b"y\n", None)
    made, gone = differences_of(ROOT, diff)
    assert (made.path, made.old_text, made.new_text) == ("/project/new.py", None, "x\n")
    assert (gone.path, gone.old_text, gone.new_text) == ("/project/old.py", "y\n", "")


def test_what_cannot_be_read_as_a_difference_is_shown_as_text():
    binary = unified_diff("logo.png", b"\x89PNG\xff", b"\x89PNG\xfe")
    [shown] = differences_of(ROOT, binary)
    assert "Binary files" in shown.content.text


def test_titles_are_one_short_line():
    assert title_of("run_command", {"command": "pytest -q\n  tests"}) == "Run pytest -q tests"
    assert len(title_of("write_file", {"path": "x" * 500})) == 120
    assert title_of("levitate", {}) == "levitate"
