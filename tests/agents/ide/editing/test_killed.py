"""A process killed at any moment leaves what can be undone to the byte."""

import asyncio
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from loopwright.agents.ide.editing.checkpoints import Checkpoints
from loopwright.agents.ide.project_files import ProjectFiles
from tests.agents.ide.acting import project_at
from tests.agents.ide.editing.trees import snapshot

FILES = 6
WRITER = """
import asyncio, sys
from pathlib import Path
from loopwright.agents.ide.editing.checkpoints import Checkpoints
from loopwright.agents.ide.editing.patch_sets import Edit
from loopwright.agents.ide.project_files import ProjectFiles

async def write(root, state):
    checkpoints = Checkpoints(ProjectFiles(root), state)
    print("ready", flush=True)
    for number in range(1_000):
        names = [f"f{index}" for index in range(6)] + ["new"]
        found = {name: (root / name).read_bytes() if (root / name).exists() else None for name in names}
        edits = [Edit(name, data, f"{name} {number}".encode()) for name, data in found.items()]
        if number % 3 == 2:
            edits[-1] = Edit("new", found["new"], None)
        await checkpoints.apply(f"run-{number}", edits, key=str(number), account={})
        if number % 4 == 3:
            await checkpoints.undo()

asyncio.run(write(*map(Path, sys.argv[1:])))
"""


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(12))
def test_a_killed_process_leaves_what_can_be_undone(tmp_path: Path, seed: int) -> None:
    root = tmp_path / "project"
    root.mkdir()
    for index in range(FILES):
        (root / f"f{index}").write_text(f"begin {index}")
    before = snapshot(root)
    command = [sys.executable, "-c", WRITER, str(root), str(project_at(root).state_folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == b"ready\n"
        time.sleep(random.Random(seed).uniform(0.0, 0.5))
        writer.send_signal(signal.SIGKILL)
    asyncio.run(_undo_all(root))
    assert snapshot(root) == before


async def _undo_all(root: Path) -> None:
    """Back to before the first change set, whatever the others did."""
    checkpoints = Checkpoints(ProjectFiles(root), project_at(root).state_folder)
    found = await checkpoints.list()
    if found:
        await checkpoints.restore(min(found, key=lambda each: each.at).id)
