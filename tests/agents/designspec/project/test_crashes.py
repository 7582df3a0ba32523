import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from loopwright.agents.designspec.project.changing import STEPS
from loopwright.agents.designspec.project.folder import ProjectFolder
from loopwright.kernel.errors import Conflict, Misconfigured
from loopwright.kernel.files import exclusive_lock
from tests.agents.designspec.project.changes import chain, edit_by_hand, loose_ends, save_seed, seed_of
from tests.shape.source import ROOT

OLD = [("create", 42)]
OUTCOMES = {
    "create": ([], OLD),
    "save": (OLD, [*OLD, ("agent", 7)]),
    "undo": ([*OLD, ("agent", 7)], [*OLD, ("agent", 7), ("undo", 42)]),
    "hand": (OLD, [*OLD, ("hand", 7)]),
    "open": (OLD, [*OLD, ("agent", 7)]),
}


@pytest.mark.parametrize(
    "action", ["save", "create", "hand", *(pytest.param(name, marks=pytest.mark.soak) for name in ("undo", "open"))]
)
def test_killed_at_every_call_the_project_is_the_old_or_the_new_one(action: str, tmp_path: Path) -> None:
    """And once the action is done again, it is the new one; nothing is left lying about, nothing is done twice."""
    command = [sys.executable, "-m", "tests.agents.designspec.project.dying", str(tmp_path), action]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stderr
    count = int(done.stdout)
    assert count > 5
    old, new = OUTCOMES[action]
    seen = []
    for number in range(1, count):
        project = ProjectFolder.create_or_open(tmp_path / str(number), "liver")
        outcome = chain(project)
        seen.append(outcome == new)
        assert outcome in (old, new)
        assert loose_ends(project) == []
        if action == "save":
            save_seed(project, 7, "p1")
            assert chain(project) == new
    assert seen == sorted(seen), "what was done is done: no later crash may take it back"
    assert seen[-1]


def test_a_hand_edit_after_a_crash_stays(tmp_path: Path) -> None:
    def stop(step: str) -> None:
        if step == "record":
            raise KeyboardInterrupt

    ProjectFolder.create_or_open(tmp_path, "liver")
    with pytest.raises(KeyboardInterrupt):
        save_seed(ProjectFolder(tmp_path, on_step=stop), 7)
    edit_by_hand(ProjectFolder(tmp_path), 5)
    project = ProjectFolder.open(tmp_path)
    assert chain(project) == [("create", 42), ("agent", 7), ("hand", 5)]
    project.undo()
    assert seed_of(project) == 7


@pytest.mark.parametrize("step", STEPS[:-2])
def test_a_disk_that_takes_no_more_leaves_the_old_spec(
    step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And what the caller was told has failed does not come about later."""
    project = ProjectFolder.create_or_open(tmp_path, "liver")
    full = threading.Event()
    real = os.fsync

    def fsync(descriptor: int) -> None:
        if full.is_set():
            full.clear()
            raise OSError(28, "No space left on device")
        real(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    writer = ProjectFolder(tmp_path, on_step=lambda reached: full.set() if reached == step else None)
    with pytest.raises(Misconfigured, match="No space left"):
        save_seed(writer, 7, "p1")
    assert chain(project) == OLD
    assert loose_ends(project) == []
    assert chain(ProjectFolder.open(tmp_path)) == OLD
    save_seed(project, 7, "p2")
    assert chain(project) == [*OLD, ("agent", 7)]


def test_writers_wait_for_each_other_and_none_is_lost(tmp_path: Path) -> None:
    ProjectFolder.create_or_open(tmp_path, "liver")
    lost: list[Exception] = []

    def work(writer: int) -> None:
        project = ProjectFolder.open(tmp_path)
        for number in range(4):
            while True:
                try:
                    save_seed(project, writer * 100 + number, f"{writer}-{number}")
                except Conflict:
                    continue
                except Exception as error:
                    lost.append(error)
                break

    threads = [threading.Thread(target=work, args=(writer,)) for writer in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert lost == []
    seeds = [seed for author, seed in chain(ProjectFolder.open(tmp_path)) if author == "agent"]
    assert sorted(seeds) == sorted(writer * 100 + number for writer in range(4) for number in range(4))


def test_a_lock_that_stays_taken_is_told(tmp_path: Path) -> None:
    project = ProjectFolder.create_or_open(tmp_path, "liver", wait_s=0.05)
    with exclusive_lock(tmp_path / ".lock", wait_s=1):
        began = time.monotonic()
        with pytest.raises(Conflict, match=f"Another process \\(id {os.getpid()}\\) has held"):
            project.undo()
        assert time.monotonic() - began < 30
        assert seed_of(project) == 42
    save_seed(project, 7)
