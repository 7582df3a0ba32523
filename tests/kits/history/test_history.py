"""A history of files that any agent may have: no project, no sandbox, a rule of its own about paths."""

from pathlib import Path

import pytest

from loopwright.kernel.errors import Conflict, InvalidInput, NotFound
from loopwright.kits.history.change_log import Edit
from loopwright.kits.history.history import ChangeHistory


def only_text(path: str) -> str:
    """Paths of text files."""
    if not path.endswith(".txt"):
        raise InvalidInput(f"{path!r} cannot be written.")
    return path


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder with one file."""
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "a.txt").write_text("one\n")
    return folder


@pytest.fixture
def history(root: Path, tmp_path: Path) -> ChangeHistory:
    """Its history, kept beside it."""
    return ChangeHistory(root, tmp_path / "state", only_text)


async def test_several_files_are_undone_and_done_again_as_one(root: Path, history: ChangeHistory) -> None:
    """An undo is a change set of its own, which is undone in turn."""
    edits = [Edit("a.txt", b"one\n", b"two\n"), Edit("new/b.txt", None, b"made\n")]
    await history.apply("run-1", edits, key="k1", account={"files": 2})
    assert await history.finish("k1") == {"files": 2}
    reverted = await history.undo()
    assert (root / "a.txt").read_text() == "one\n"
    assert not (root / "new").exists()
    assert reverted.checkpoint is not None
    await history.undo(reverted.checkpoint)
    assert (root / "new/b.txt").read_text() == "made\n"


async def test_what_somebody_else_has_written_is_not_overwritten(root: Path, history: ChangeHistory) -> None:
    """The edit names what its author has read; nothing of it is written where that is gone."""
    (root / "a.txt").write_text("theirs\n")
    with pytest.raises(Conflict):
        await history.apply("run-1", [Edit("a.txt", b"one\n", b"two\n")], key="k1", account={})
    assert (root / "a.txt").read_text() == "theirs\n"
    assert await history.finish("k1") is None


async def test_the_agents_own_rule_decides_which_paths_may_be_written(root: Path, history: ChangeHistory) -> None:
    """A path that the rule refuses is not written, nor are the others of the same change."""
    with pytest.raises(InvalidInput):
        await history.apply("run-1", [Edit("a.txt", b"one\n", b"2"), Edit("x.sh", None, b"")], key="k", account={})
    assert (root / "a.txt").read_text() == "one\n"
    with pytest.raises(NotFound):
        await history.undo()
