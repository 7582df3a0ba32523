"""A process that dies in the middle of a command leaves a layer, and nothing else."""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

from tests.agents.ide.acting import project_at
from tests.agents.ide.commanding import command, confined

pytestmark = confined
TOP = Path(__file__).parents[4]
CHILD = """
import asyncio, sys
from pathlib import Path
from tests.agents.ide.commanding import command
asyncio.run(command(Path(sys.argv[1]), "echo half > made; echo ready; exec sleep 4321"))
"""


async def test_the_command_dies_with_its_process_and_its_layer_goes_with_the_next(tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    layers = project_at(root).state_folder / "layers"
    with subprocess.Popen([sys.executable, "-c", CHILD, str(root)], cwd=TOP) as child:  # noqa: ASYNC220
        async with asyncio.timeout(60):
            while not list(layers.glob("*/upper/made")):  # noqa: ASYNC110  (nobody else tells)
                await asyncio.sleep(0.02)
        child.send_signal(signal.SIGKILL)
    async with asyncio.timeout(30):
        while _sleeps():  # noqa: ASYNC110
            await asyncio.sleep(0.02)
    (left,) = layers.iterdir()
    assert os.listdir(root) == []
    report = await command(root, "echo whole > made")
    assert report.paths == ["made"]
    assert not left.exists()
    assert os.listdir(layers) == []


def _sleeps() -> bool:
    found = Path("/proc").glob("[0-9]*/cmdline")
    return any(_read(place) == b"sleep\x004321\x00" for place in found)


def _read(place: Path) -> bytes:
    try:
        return place.read_bytes()
    except OSError:
        return b""
