"""The user's own git sees nothing of checkpoints: index, stash, branches and every byte of `.git` stay."""

from pathlib import Path

import pytest

from loopwright.agents.ide.editing.checkpoints import Checkpoints
from loopwright.agents.ide.project_files import ProjectFiles
from loopwright.agents.ide.sandbox import can_confine
from loopwright.kits.history.change_log import Edit
from tests.agents.ide.acting import project_at
from tests.agents.ide.commanding import command
from tests.agents.ide.editing.trees import git, make_repository, snapshot


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository with a stash, staged and unstaged changes, ignored files, and a configuration that runs programs."""
    root = tmp_path / "project"
    root.mkdir()
    (root / "kept.txt").write_text("kept\n")
    (root / "staged.txt").write_text("one\n")
    (root / ".gitignore").write_text("ignored/\n*.log\n")
    (root / ".gitattributes").write_text("*.txt filter=evil text eol=crlf\n")
    make_repository(root)
    (root / "kept.txt").write_text("stashed\n")
    git(root, "stash")
    (root / "staged.txt").write_text("two\n")
    git(root, "add", "staged.txt")
    (root / "staged.txt").write_text("three\n")
    (root / "ignored").mkdir()
    (root / "ignored" / "mine").write_text("mine\n")
    (root / "mine.log").write_text("mine\n")
    trap = f"touch {tmp_path / 'trapped'}"
    for name in ("filter.evil.clean", "filter.evil.smudge", "core.fsmonitor", "core.hooksPath", "diff.external"):
        git(root, "config", name, str(tmp_path / "hooks") if name == "core.hooksPath" else trap)
    hook = tmp_path / "hooks" / "post-index-change"
    hook.parent.mkdir()
    hook.write_text(f"#!/bin/sh\n{trap}\n")
    hook.chmod(0o755)
    return root


@pytest.mark.sandbox
@pytest.mark.skipif(not can_confine(), reason="bubblewrap is missing, or may not make its namespaces")
async def test_nothing_of_git_changes_and_nothing_of_its_configuration_runs(root: Path, tmp_path: Path) -> None:
    before, own = snapshot(root), _bytes_of(root / ".git")
    checkpoints = Checkpoints(ProjectFiles(root), project_at(root).state_folder)
    edits = [Edit("staged.txt", b"three\n", b"four\n"), Edit("ignored/made", None, b"made\n")]
    await checkpoints.apply("run-1", edits, key="k", account={})
    line = "echo 5 > kept.txt; echo '!*.log' >> .gitignore; echo y > made.txt; echo other > ignored/mine"
    await command(root, line)
    assert await checkpoints.changed_by("run-1") == [
        ".gitignore", "ignored/made", "ignored/mine", "kept.txt", "made.txt", "staged.txt",
    ], "what git ignores is changed and undone like the rest"  # fmt: skip
    await checkpoints.undo()
    assert snapshot(root) == before
    assert _bytes_of(root / ".git") == own
    assert not (tmp_path / "trapped").exists()


async def test_git_does_not_see_the_agents_folder(tmp_path: Path) -> None:
    root = tmp_path / "plain"
    root.mkdir()
    (root / "a").write_text("a\n")
    make_repository(root)
    checkpoints = Checkpoints(ProjectFiles(root), project_at(root).state_folder)
    await checkpoints.apply("run-1", [Edit("a", b"a\n", b"b\n")], key="k", account={})
    assert git(root, "status", "--porcelain") == " M a\n"
    await checkpoints.undo()
    assert git(root, "status", "--porcelain") == ""


def _bytes_of(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
