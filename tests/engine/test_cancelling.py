"""A cancellation from wherever it comes reaches the call under way: another process, HTTP, the editor, Ctrl-C."""

import asyncio
import os
import signal
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

import httpx

from loopwright.app.starting import NewRun, create_run, start_run
from loopwright.cli.ide.acp.turn import Turn
from loopwright.kernel.outcomes import Cancelled
from loopwright.kernel.ports import RunRecord
from loopwright.kernel.prompts import PromptRepository
from loopwright.kernel.run import Toolbox
from loopwright.kernel.testing.conformance import check_journal
from loopwright.models.repair import repair_arguments
from loopwright.server.application import create_app
from tests.engine.toys import CallingModel, Nap, toy_house, toy_with
from tests.support.commands import Installation
from tests.support.house import journal_of, settings_in, until

ROOT = Path(__file__).parents[2]
SLEEP = NewRun("sleep", agent="toy")


async def napping(house: Any, run_id: str) -> bool:
    """Whether the tool of the run has begun."""
    session = await house.stores.sessions.get((await house.stores.runs.get(run_id)).session_id)
    return (Path(session.output_dir) / "began").exists()


async def check_cancelled(house: Any, run_id: str) -> None:
    """The run has ended, and so has its call."""
    events = await journal_of(house, run_id)
    check_journal(events)
    assert [event.type for event in events][-2:] == ["tool_result", "run_cancelled"]
    assert "cancelled by the user" in events[-2].payload["output"]
    assert (await house.stores.runs.get(run_id)).status == "cancelled"


async def test_the_command_of_another_process_reaches_the_call(tmp_path: Path) -> None:
    """The flag is heard of within a second, whatever the pace of the heartbeat."""
    async with toy_house(tmp_path, CallingModel(looks=1), toy_with(Nap()), heartbeat_seconds=60) as house:
        run = await start_run(house, SLEEP)
        await until(lambda: napping(house, run.run_id))
        said = await asyncio.to_thread(Installation(tmp_path).run, "runs", "cancel", run.run_id)
        assert said.code == 0, said.err
        began = time.monotonic()
        async with asyncio.timeout(10):
            assert await house.dispatcher.wait(run.run_id) in (Cancelled(), None)
        assert time.monotonic() - began < 2
        await check_cancelled(house, run.run_id)


async def test_http_reaches_the_call(tmp_path: Path) -> None:
    """202, and a moment later the run has ended."""
    app = create_app(settings_in(tmp_path))
    async with app.router.lifespan_context(app):
        house = app.state.house
        house.model = CallingModel(looks=1)
        house.toolboxes["toy"] = Toolbox.of(toy_with(Nap()), PromptRepository({}), repair_arguments)
        run = await start_run(house, SLEEP)
        await until(lambda: napping(house, run.run_id))
        ended = asyncio.create_task(house.dispatcher.wait(run.run_id))
        began = time.monotonic()
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://127.0.0.1") as client:
            assert (await client.post(f"/api/runs/{run.run_id}/cancel")).status_code == 202
        assert await ended == Cancelled()
        assert time.monotonic() - began < 2
        await check_cancelled(house, run.run_id)


class SilentClient:
    """An editor that takes every update."""

    async def session_update(self, session_id: str, update: Any) -> None:
        """Show nothing."""


async def test_the_editor_reaches_the_call(tmp_path: Path) -> None:
    """`session/cancel` ends the turn as cancelled."""
    async with toy_house(tmp_path, CallingModel(looks=1), toy_with(Nap())) as house:
        run = await create_run(house, SLEEP)
        turn = Turn(house, cast(Any, SilentClient()), run, tmp_path)
        carried = asyncio.create_task(turn.carry_out())
        await until(lambda: napping(house, run.run_id))
        began = time.monotonic()
        await turn.cancel()
        async with asyncio.timeout(10):
            assert await carried == "cancelled"
        assert time.monotonic() - began < 2
        await check_cancelled(house, run.run_id)


@asynccontextmanager
async def following(folder: Path, *kind: str) -> AsyncIterator[tuple[asyncio.subprocess.Process, RunRecord, Any]]:
    """A program that follows a napping run; it is killed at the end."""
    program = [sys.executable, "-m", "tests.engine.napping_child", str(folder), *kind]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    child = await asyncio.create_subprocess_exec(*program, cwd=ROOT, env=environment, stdout=asyncio.subprocess.PIPE)
    try:
        async with toy_house(folder, CallingModel()) as house:

            async def begun() -> bool:
                assert child.returncode is None, "the program has ended"
                runs = await house.stores.runs.find(limit=1)
                return bool(runs) and await napping(house, runs[0].run_id)

            await until(begun)
            yield child, (await house.stores.runs.find(limit=1))[0], house
    finally:
        if child.returncode is None:
            child.kill()
        await child.communicate()


async def code_of(child: asyncio.subprocess.Process, seconds: float) -> int:
    """The program's exit code."""
    return await asyncio.wait_for(child.wait(), seconds)


async def test_the_first_ctrl_c_reaches_the_call(tmp_path: Path) -> None:
    """Exit 5, and the run has ended."""
    async with following(tmp_path) as (child, run, house):
        began = time.monotonic()
        child.send_signal(signal.SIGINT)
        assert await code_of(child, 15) == 5
        assert time.monotonic() - began < 4
        await check_cancelled(house, run.run_id)


async def test_a_second_ctrl_c_kills(tmp_path: Path) -> None:
    """A tool that does not let itself be cancelled holds nobody up; the run can be taken over."""
    async with following(tmp_path, "deaf") as (child, run, house):
        child.send_signal(signal.SIGINT)
        await asyncio.sleep(0.5)
        assert child.returncode is None
        child.send_signal(signal.SIGINT)
        assert await code_of(child, 1) == -signal.SIGINT
        record = await house.stores.runs.get(run.run_id)
        assert (record.status, record.owner_alive) == ("running", False)


async def test_a_tool_that_does_not_stop_does_not_keep_the_program(tmp_path: Path) -> None:
    """It is abandoned, and the program ends by itself."""
    async with following(tmp_path, "deaf") as (child, run, house):
        child.send_signal(signal.SIGINT)
        assert await code_of(child, 15) == 5
        await check_cancelled(house, run.run_id)
