"""The tools that write: asked about with their difference, done once, undone as one."""

import os
from pathlib import Path
from typing import Any

import pytest

from loopwright.agents.ide.spec import AGENT
from loopwright.kernel.gates import Finished, Waiting
from loopwright.kernel.loop import run_agentic_loop
from loopwright.kernel.testing import Death, MortalJournal, resume_run, start_run
from tests.agents.ide.acting import ENDING, StagedModel, act, project_at, services_with

DIFF = """\
--- a/a.py
+++ b/a.py
@@ -1,2 +1,2 @@
-one = 1
+one = 11
 two = 2
--- /dev/null
+++ b/c.py
@@ -0,0 +1 @@
+c
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = (tmp_path / "project").resolve()
    root.mkdir()
    (root / "a.py").write_bytes(b"one = 1\ntwo = 2\n")
    (root / "b.txt").write_bytes("\ufeffone\r\ntwo\r\n".encode())
    return root


async def test_people_are_asked_with_the_difference(root: Path) -> None:
    account = await act(
        root, [("replace_in_file", {"path": "a.py", "search": "two = 2", "replace": "two = 3"})], allowed=()
    )
    assert isinstance(account.outcome, Waiting)
    gate = account.outcome.gate
    assert gate.kind == "permission"
    assert "-two = 2\n+two = 3\n" in gate.details["diff"]
    assert (root / "a.py").read_bytes() == b"one = 1\ntwo = 2\n"


@pytest.mark.parametrize(
    ("tool", "arguments", "says"),
    [
        ("replace_in_file", {"path": "a.py", "search": "three = 3", "replace": "x"}, "does not occur"),
        ("replace_in_file", {"path": "a.py", "search": "one", "replace": "11"}, "could not be read any more: line 1"),
        ("create_file", {"path": "a.py", "content": "x"}, "there already"),
        ("delete_file", {"path": "nothing.py"}, "no file"),
        ("write_file", {"path": "a.py", "content": "one = 1\ntwo = 2\n"}, "nothing has to be done"),
        ("write_file", {"path": ".git/hooks/pre-commit", "content": "x"}, "git itself"),
        ("apply_patch", {"diff": "--- a.py\n+++ a.py\n@@ -1 +1 @@\n-x\n+y\n"}, "does not fit"),
        ("patchset_apply", {"patch_set_id": "none"}, "no patch set"),
        ("checkpoint_restore", {"checkpoint_id": "none"}, "no checkpoint"),
    ],
)
async def test_nobody_is_asked_about_what_cannot_be_done(
    root: Path, tool: str, arguments: dict[str, Any], says: str
) -> None:
    account = await act(root, [(tool, arguments)], *ENDING, allowed=())
    assert isinstance(account.outcome, Finished)
    (result,) = account.results(tool)
    assert not result["success"]
    assert says in result["output"]


async def test_all_of_them_say_what_they_changed(root: Path) -> None:
    account = await act(
        root,
        [("write_file", {"path": "b.txt", "content": "one\nthree\n"})],
        [("create_file", {"path": "d/e.py", "content": "e\n"})],
        [("apply_patch", {"diff": DIFF})],
        [("replace_in_file", {"path": "a.py", "search": "one  = 11", "replace": "one = 12"})],
        [("delete_file", {"path": "d/e.py"})],
        *ENDING,
    )  # fmt: skip
    written, created, applied, replaced, deleted = [result["output"] for result in account.results()]
    assert written == "Changed b.txt (+1 −1)"
    assert created == "Created d/e.py (+1 −0)"
    assert applied == "Changed a.py (+1 −1)\nCreated c.py (+1 −0)"
    assert replaced.startswith("Changed a.py (+1 −1)\nThe text was not there exactly; it was matched but for white")
    assert deleted == "Deleted d/e.py (+0 −1)"
    assert (root / "b.txt").read_bytes() == "\ufeffone\r\nthree\r\n".encode(), "line ends and mark of the file stay"
    checkpoints = project_at(root).checkpoints
    assert await checkpoints.changed_by(account.run.state.run_id) == ["a.py", "b.txt", "c.py"]
    await checkpoints.undo()
    assert sorted(os.listdir(root)) == ["a.py", "b.txt"]
    assert (root / "a.py").read_bytes() == b"one = 1\ntwo = 2\n"


@pytest.mark.parametrize("stored", [False, True])
@pytest.mark.parametrize("append", range(2, 6))
async def test_a_call_whose_process_dies_changes_the_file_once(root: Path, append: int, stored: bool) -> None:
    calls = [
        ("replace_in_file", {"path": "a.py", "search": "two = 2", "replace": "two = 2\ntwo = 2"}),
        ("apply_patch", {"diff": DIFF}),
    ]
    model, journal = StagedModel([calls, *ENDING]), MortalJournal(dies_at=[append], stored=stored)
    options = {"mode": "agent", "qa": False, "allowed": ["write"]}
    services = services_with(journal)
    run = start_run(AGENT, model, "Do it.", journal=journal, output_dir=root, options=options, services=services)
    try:
        await run_agentic_loop(run)
    except Death:
        answered = any(event.type == "model_response" for event in journal.events[run.state.run_id])
        replies = [[*calls], *ENDING] if not answered else list(ENDING)
        run = resume_run(run, StagedModel(replies))
        assert isinstance(await run_agentic_loop(run), Finished)
    assert journal.deaths == 1
    assert (root / "a.py").read_bytes() == b"one = 11\ntwo = 2\ntwo = 2\n"
    results = [e.payload for e in journal.events[run.state.run_id] if e.type == "tool_result"]
    assert [result["output"].splitlines()[0] for result in results] == ["Changed a.py (+1 −0)", "Changed a.py (+1 −1)"]
    await project_at(root).checkpoints.undo()
    assert (root / "a.py").read_bytes() == b"one = 1\ntwo = 2\n"


async def test_a_patch_set_is_refused_when_a_file_has_changed(root: Path) -> None:
    diff = "--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n-one = 1\n+one = 12\n two = 2\n"
    account = await act(root, [("patchset_propose", {"diff": diff})], *ENDING, allowed=())
    (proposed,) = account.results()
    assert proposed["success"], "proposals need no permission"
    name = {"patch_set_id": proposed["artifacts"]["patch_set_id"]}
    assert (root / "a.py").read_bytes() == b"one = 1\ntwo = 2\n"
    (root / "a.py").write_bytes(b"mine\n")
    account = await act(root, [("patchset_apply", name)], *ENDING)
    assert "changed in the meantime" in account.results()[0]["output"]
    assert (root / "a.py").read_bytes() == b"mine\n"
    (root / "a.py").write_bytes(b"one = 1\ntwo = 2\n")
    await act(root, [("patchset_show", name), ("patchset_apply", name)], *ENDING)
    assert (root / "a.py").read_bytes() == b"one = 12\ntwo = 2\n"
    account = await act(root, [("patchset_list", {}), ("patchset_discard", name)], *ENDING)
    assert account.results()[0]["output"] == "There are no patch sets."


async def test_a_run_may_go_back_and_go_on_and_is_still_undone_as_one(root: Path) -> None:
    model, journal = StagedModel([]), MortalJournal()
    options = {"mode": "agent", "qa": False, "allowed": ["write"]}
    services = services_with(journal)
    run = start_run(AGENT, model, "Do it.", journal=journal, output_dir=root, options=options, services=services)
    model.script = [
        [("write_file", {"path": "a.py", "content": "wrong\n"}), ("create_file", {"path": "n.py", "content": "n\n"})],
        [("checkpoint_show", {"checkpoint_id": run.state.run_id})],
        [("checkpoint_restore", {"checkpoint_id": run.state.run_id})],
        [("write_file", {"path": "a.py", "content": "right\n"})],
        *ENDING,
    ]
    await run_agentic_loop(run)
    outputs = [e.payload["output"] for e in journal.events[run.state.run_id] if e.type == "tool_result"]
    assert "+wrong" in outputs[2]
    assert outputs[3] == "Restored: a.py, n.py."
    assert (root / "a.py").read_bytes() == b"right\n"
    checkpoints = project_at(root).checkpoints
    assert await checkpoints.changed_by(run.state.run_id) == ["a.py"]
    await checkpoints.undo()
    assert (root / "a.py").read_bytes() == b"one = 1\ntwo = 2\n"
    assert not (root / "n.py").exists()
