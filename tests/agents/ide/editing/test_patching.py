"""Unified diffs: read as models and git write them, applied where they fit, else refused with the nearest place."""

import subprocess
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.agents.ide.editing.patch_sets import Sources
from loopwright.agents.ide.editing.patches import PatchEdits, read_patch
from loopwright.agents.ide.project_files import ProjectFiles
from loopwright.kernel.errors import Conflict, InvalidInput, LoopwrightError, NotFound
from loopwright.kits.history.change_log import Edit
from loopwright.kits.history.texts import unified_diff
from tests.agents.ide.editing.trees import git, make_repository

LINES = st.lists(
    st.sampled_from(["a", "b", "b", "", "  c", "-- x", "++ y", "@@ -1 +1 @@", "\\ z", "d\r", "\x0c", "é"]), max_size=12
)
TEXTS = st.builds(lambda lines, end: "\n".join(lines) + end, LINES, st.sampled_from(["", "\n", "\r\n"]))


def patched(text: str, diff: str) -> str:
    """What a diff makes of a file `f`."""
    return "".join(edit.after.decode() for edit in edits_of(diff, {"f": text}) if edit.after is not None)


def edits_of(diff: str, files: dict[str, str]) -> list[Edit]:
    """The edits of a patch in a project with these files."""
    staged = {path: Edit(path, None, text.encode()) for path, text in files.items()}
    edits = PatchEdits(Sources(ProjectFiles(Path("/nonexistent")), staged))
    for patch in read_patch(diff):
        edits.add(patch)
    return list(edits.edits)


@given(TEXTS, TEXTS, st.integers(0, 3))
@settings(max_examples=200, deadline=None)
def test_the_difference_of_two_texts_applied_to_one_gives_the_other(before: str, after: str, context: int) -> None:
    diff = unified_diff("f", before.encode(), after.encode(), context)
    if before == after:
        assert diff == ""
        return
    if context:
        assert patched(before, diff) == after


@given(TEXTS)
@settings(max_examples=50, deadline=None)
def test_creating_and_deleting(text: str) -> None:
    created = edits_of(unified_diff("f", None, text.encode()), {})
    assert [(edit.before, edit.after) for edit in created] == [(None, text.encode())]
    deleted = edits_of(unified_diff("f", text.encode(), None), {"f": text})
    assert deleted == [Edit("f", text.encode(), None)]


@given(TEXTS, TEXTS)
@settings(max_examples=8, deadline=None)
def test_git_understands_our_differences(before: str, after: str) -> None:
    if before == after:
        return
    diff = unified_diff("f", before.encode(), after.encode())
    counted = subprocess.run(
        ["git", "apply", "--numstat", "-"], input=diff.encode(), capture_output=True, check=True, cwd="/"
    )
    assert counted.stdout.endswith(b"\tf\n")


def test_what_git_prints_is_applied(tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    (root / "a b.txt").write_text("1\n2\n3\n")
    (root / "gone").write_text("gone\n")
    (root / "old").write_text("".join(f"{n}\n" for n in range(30)))
    (root / "é").write_text("x\n")
    make_repository(root)
    (root / "a b.txt").write_text("1\n2\n4")
    (root / "gone").unlink()
    (root / "old").rename(root / "new")
    (root / "new").write_text("".join(f"{n}\n" for n in range(31)))
    (root / "é").write_text("y\n")
    (root / "fresh").write_text("fresh\n")
    (root / "fresh").chmod(0o755)
    git(root, "add", "-A")
    diff = git(root, "diff", "--cached", "-M")
    git(root, "reset", "-q", "--hard")
    edits = PatchEdits(Sources(ProjectFiles(root)))
    for patch in read_patch(f"Here it is:\n```diff\n{diff}```\n"):
        edits.add(patch)
    after = {edit.path: (edit.after, edit.mode) for edit in edits.edits}
    assert after == {
        "a b.txt": (b"1\n2\n4", None),
        "fresh": (b"fresh\n", 0o755),
        "gone": (None, None),
        "old": (None, None),
        "new": ("".join(f"{n}\n" for n in range(31)).encode(), 0o644),
        "é": (b"y\n", None),
    }


BODY = "".join(f"line {number}\n" for number in range(1, 21))


@pytest.mark.parametrize(
    "diff",
    [
        "--- f\n+++ f\n@@ -10,3 +10,3 @@\n line 10\n-line 11\n+LINE\n line 12\n",
        "--- a/f\n+++ b/f\n@@ -3,3 +3,3 @@ def\n line 10\n-line 11\n+LINE\n line 12\n",  # moved
        "--- a/f\n+++ b/f\n@@ -10,9 +10,2 @@\n line 10\n-line 11\n+LINE\n line 12\n",  # wrong counts
        "--- a/f\n+++ b/f\n@@ -10,1 +10,1 @@\n line 10\n-line 11\n+LINE\n line 12\n",
        "--- a/f\n+++ b/f\n@@\n line 10\n-line 11\n+LINE\n",  # no numbers
        "--- a/f\n+++ b/f\n@@ -10,3 +10,3 @@\n line ten\n-line 11\n+LINE\n line 12\n",  # context differs
        "--- a/f\n+++ b/f\n@@ -10,3 +10,3 @@\r\n line 10\r\n-line 11  \r\n+LINE\r\n line 12\r\n",  # other line ends
    ],
)
def test_what_models_make_of_it_is_applied(diff: str) -> None:
    assert patched(BODY, diff) == BODY.replace("line 11\n", "LINE\n")


def test_line_ends_and_a_missing_last_one_are_kept() -> None:
    text = "one\r\n\r\nthree"
    diff = "--- f\n+++ f\n@@ -1,3 +1,4 @@\n one\n+two\n\n-three\n+four\n"
    assert patched(text, diff) == "one\r\ntwo\r\n\r\nfour"


def test_two_files_with_wrong_counts_are_told_apart() -> None:
    diff = (
        "--- a/f\n+++ b/f\n@@ -1,9 +1,9 @@\n-one\n+1\n\n"
        "--- a/g\n+++ b/g\n@@ -1,9 +1,9 @@\n-two\n+2\n"
    )  # fmt: skip
    after = {edit.path: edit.after for edit in edits_of(diff, {"f": "one\n", "g": "two\n"})}
    assert after == {"f": b"1\n", "g": b"2\n"}


@pytest.mark.parametrize(
    ("diff", "error", "says"),
    [
        ("no patch at all", InvalidInput, "no change"),
        ("@@ -1 +1 @@\n-a\n+b\n", InvalidInput, "before it names a file"),
        ("--- f\n+++ f\n@@ -1 +1 @@\n-line one\n+x\n", InvalidInput, r"most similar place .* begins in line 1"),
        ("--- f\n+++ f\n@@\n+x\n", InvalidInput, "several places"),
        ("--- f\n+++ f\n@@@ -1 -1 +1 @@@\n", InvalidInput, "cannot be read"),
        ("--- g\n+++ g\n@@ -1 +1 @@\n-a\n+b\n", NotFound, "no file 'g'"),
        ("--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+x\n", Conflict, "there already"),
        ("--- a/f\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-line 1\n", InvalidInput, "does not know all"),
        ("--- ../f\n+++ ../f\n@@ -1 +1 @@\n-a\n+b\n", InvalidInput, "climbs up"),
        ("--- /dev/null\n+++ b/.git/hooks/post-commit\n@@ -0,0 +1 @@\n+x\n", InvalidInput, "git"),
        ("--- /dev/null\n+++ /etc/x\n@@ -0,0 +1 @@\n+x\n", InvalidInput, "absolute"),
        ("diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+x", InvalidInput, "120000"),
        ("diff --git a/l b/l\nBinary files a/l and b/l differ\n", InvalidInput, "binary"),
        ("--- f\n+++ f\n@@ -1 +1 @@\n-line 1\n+x\nwords\n+lost\n", InvalidInput, "belongs to no hunk"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused_with_its_reason(diff: str, error: type[LoopwrightError], says: str) -> None:
    with pytest.raises(error, match=says):
        edits_of(diff, {"f": BODY})


@given(st.text(alphabet='-+@ \\\n\r/abdev0123,gitfu"', max_size=200))
@settings(max_examples=100, deadline=None)
def test_no_text_breaks_the_reader(text: str) -> None:
    with suppress(LoopwrightError):
        assert read_patch(text)
