"""What needs the user's word waits for it, and is written to the byte, or not at all where the files have changed."""

from pathlib import Path
from typing import Any

import pytest

from loopwright.agents.ide.editing import checkpoints as commands
from loopwright.kernel.gates import Outcome, Waiting
from loopwright.kernel.loop import run_agentic_loop
from loopwright.kernel.testing import resume_run
from tests.agents.ide.acting import ENDING, Account, act, project_at
from tests.agents.ide.commanding import confined
from tests.agents.ide.editing.trees import git, make_repository
from tests.agents.ide.test_injection import answered

TOKEN = "https://user:TOKEN-7d1@example.org/x.git"
COMMIT = (
    "echo new > new.txt; git config user.name A; git config user.email a@example.org; git add -A;"
    "git commit -qm Second; git gc -q; git config --get remote.origin.url; git status --short"
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = (tmp_path / "project").resolve()
    root.mkdir()
    (root / "a.txt").write_text("one\ntwo\nthree\n")
    make_repository(root)
    git(root, "remote", "add", "origin", TOKEN)
    return root


def in_the_sandbox(test):  # type: ignore[no-untyped-def]
    """A test that runs commands."""
    for mark in confined:
        test = mark(test)
    return test


async def agreed(account: Account) -> Outcome:
    """The user says yes, and the run goes on to its end."""
    assert isinstance(account.outcome, Waiting)
    run = resume_run(account.run, payloads=answered(account.outcome, {"decision": "approve"}))
    account.run = run
    run.model.script = [*run.model.script, *ENDING]
    return await run_agentic_loop(run)


def files_of(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


async def held_commit(root: Path) -> dict[str, Any]:
    """The result of a command that commits: running is allowed, changing a repository is not."""
    account = await act(root, [("run_command", {"command": COMMIT})], *ENDING, allowed=["run"])
    (result,) = account.results("run_command")
    return result


@in_the_sandbox
async def test_a_commit_waits_and_is_then_applied_to_the_byte(root: Path) -> None:
    before, config = files_of(root), (root / ".git" / "config").read_text()
    result = await held_commit(root)
    assert result["success"], result["output"]
    assert "TOKEN" not in result["output"], "a command does not see it"
    assert files_of(root) == before
    name = result["artifacts"]["held"]
    assert name.startswith("held-")
    account = await act(root, [("patchset_apply", {"patch_set_id": name})], allowed=["write", "run"])
    assert isinstance(account.outcome, Waiting), "that writing is allowed does not matter"
    assert ".git/config" in account.outcome.gate.details["protected"]
    assert files_of(root) == before
    await agreed(account)
    assert account.results("patchset_apply")[0]["success"], account.results()
    assert git(root, "log", "--format=%s").split() == ["Second", "Begin"]
    git(root, "fsck", "--strict", "--full")
    assert git(root, "--no-optional-locks", "status", "--porcelain") == ""
    now = (root / ".git" / "config").read_text()
    assert now == config + "[user]\n\tname = A\n\temail = a@example.org\n", "the user's token is kept"
    await project_at(root).checkpoints.undo()
    assert files_of(root) == before
    git(root, "fsck", "--strict", "--full")


@in_the_sandbox
async def test_what_waits_is_refused_whole_where_a_file_has_changed(root: Path) -> None:
    name = (await held_commit(root))["artifacts"]["held"]
    git(root, "commit", "--allow-empty", "-qm", "Mine")
    before = files_of(root)
    account = await act(root, [("patchset_apply", {"patch_set_id": name})])
    await agreed(account)
    assert not account.results("patchset_apply")[0]["success"]
    assert files_of(root) == before


WRITES: dict[str, dict[str, Any]] = {
    "write_file": {"path": "a.txt", "content": "one\nTWO\nthree\n"},
    "replace_in_file": {"path": "a.txt", "search": "two", "replace": "TWO"},
    "apply_patch": {"diff": "--- a.txt\n+++ a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n"},
}


@pytest.mark.parametrize("changed", [False, True])
@pytest.mark.parametrize("tool", WRITES)
async def test_what_was_agreed_to_is_what_is_written(root: Path, tool: str, changed: bool) -> None:
    """The difference that was shown is bound to the file as it was then, even where it would still fit."""
    account = await act(root, [(tool, WRITES[tool])], allowed=())
    if changed:
        (root / "a.txt").write_text("one\ntwo\nthree\nmine\n")
    await agreed(account)
    (result,) = account.results(tool)
    assert result["success"] is not changed
    if changed:
        assert "has changed since" in result["output"]
    assert (root / "a.txt").read_text() == ("one\ntwo\nthree\nmine\n" if changed else "one\nTWO\nthree\n")


@pytest.mark.parametrize("changed", [False, True])
async def test_a_restore_that_was_agreed_to_is_what_is_done(root: Path, changed: bool) -> None:
    await act(root, [("write_file", {"path": "a.txt", "content": "one\ntwo\nTHREE\n"})], *ENDING)
    (checkpoint,) = await project_at(root).checkpoints.list()
    account = await act(root, [("checkpoint_restore", {"checkpoint_id": checkpoint.id})], allowed=())
    if changed:
        (root / "a.txt").write_text("mine\none\ntwo\nTHREE\n")
    await agreed(account)
    (result,) = account.results("checkpoint_restore")
    assert result["success"] is not changed
    assert (root / "a.txt").read_text() == ("mine\none\ntwo\nTHREE\n" if changed else "one\ntwo\nthree\n")


@in_the_sandbox
async def test_what_is_too_large_to_wait_is_told_and_not_written(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "MOST_HELD_BYTES", 10)
    before = files_of(root)
    result = await held_commit(root)
    assert not result["success"]
    assert "NOTHING it changed was written" in result["output"]
    assert "too large to wait" in result["output"]
    assert "It changed" not in result["output"]
    assert result["artifacts"]["paths"] == []
    assert files_of(root) == before
    assert not project_at(root).patch_sets.list()
