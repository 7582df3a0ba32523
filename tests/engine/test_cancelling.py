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

from loopwright.agents.ide.commands.acp_translating import Turn
from loopwright.app.starting import NewRun, create_run, start_run
from loopwright.kernel.gates import Cancelled
from loopwright.kernel.ports import RunRecord
from loopwright.kernel.testing.conformance import check_journal
from loopwright.server.application import create_app
from tests.engine.toys import CallingModel, Nap, toy_application, toy_with
from tests.support.agents import introduce
from tests.support.application import journal_of, settings_in, until
from tests.support.commands import Installation

ROOT = Path(__file__).parents[2]
SLEEP = NewRun("sleep", agent="toy")


async def napping(application: Any, run_id: str) -> bool:
    """Whether the tool of the run has begun."""
    session = await application.stores.sessions.get((await application.stores.runs.get(run_id)).session_id)
    return (Path(session.output_dir) / "began").exists()


async def check_cancelled(application: Any, run_id: str) -> None:
    """The run has ended, and so has its call."""
    events = await journal_of(application, run_id)
    check_journal(events)
    assert [event.type for event in events][-2:] == ["tool_result", "run_cancelled"]
    assert "cancelled by the user" in events[-2].payload["output"]
    assert (await application.stores.runs.get(run_id)).status == "cancelled"


async def test_the_command_of_another_process_reaches_the_call(tmp_path: Path) -> None:
    """The flag is heard of within a second, whatever the pace of the heartbeat."""
    async with toy_application(tmp_path, CallingModel(looks=1), toy_with(Nap()), heartbeat_seconds=60) as application:
        run = await start_run(application, SLEEP)
        await until(lambda: napping(application, run.run_id))
        said = await asyncio.to_thread(Installation(tmp_path).run, "runs", "cancel", run.run_id)
        assert said.code == 0, said.err
        began = time.monotonic()
        async with asyncio.timeout(10):
            assert await application.dispatcher.wait(run.run_id) in (Cancelled(), None)
        assert time.monotonic() - began < 2
        await check_cancelled(application, run.run_id)


async def test_http_reaches_the_call(tmp_path: Path) -> None:
    """202, and a moment later the run has ended."""
    app = create_app(settings_in(tmp_path))
    async with app.router.lifespan_context(app):
        application = app.state.application
        application.model = CallingModel(looks=1)
        introduce(application, "toy", toy_with(Nap()))
        run = await start_run(application, SLEEP)
        await until(lambda: napping(application, run.run_id))
        ended = asyncio.create_task(application.dispatcher.wait(run.run_id))
        began = time.monotonic()
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://127.0.0.1") as client:
            assert (await client.post(f"/api/runs/{run.run_id}/cancel")).status_code == 202
        assert await ended == Cancelled()
        assert time.monotonic() - began < 2
        await check_cancelled(application, run.run_id)


class SilentClient:
    """An editor that takes every update."""

    async def session_update(self, session_id: str, update: Any) -> None:
        """Show nothing."""


async def test_the_editor_reaches_the_call(tmp_path: Path) -> None:
    """`session/cancel` ends the turn as cancelled."""
    async with toy_application(tmp_path, CallingModel(looks=1), toy_with(Nap())) as application:
        run = await create_run(application, SLEEP)
        turn = Turn(application, cast(Any, SilentClient()), run, tmp_path)
        carried = asyncio.create_task(turn.carry_out())
        await until(lambda: napping(application, run.run_id))
        began = time.monotonic()
        await turn.cancel()
        async with asyncio.timeout(10):
            assert await carried == "cancelled"
        assert time.monotonic() - began < 2
        await check_cancelled(application, run.run_id)


@asynccontextmanager
async def following(folder: Path, *kind: str) -> AsyncIterator[tuple[asyncio.subprocess.Process, RunRecord, Any]]:
    """A program that follows a napping run; it is killed at the end."""
    program = [sys.executable, "-m", "tests.engine.napping_child", str(folder), *kind]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    child = await asyncio.create_subprocess_exec(*program, cwd=ROOT, env=environment, stdout=asyncio.subprocess.PIPE)
    try:
        async with toy_application(folder, CallingModel()) as application:

            async def begun() -> bool:
                assert child.returncode is None, "the program has ended"
                runs = await application.stores.runs.find(limit=1)
                return bool(runs) and await napping(application, runs[0].run_id)

            await until(begun)
            yield child, (await application.stores.runs.find(limit=1))[0], application
    finally:
        if child.returncode is None:
            child.kill()
        await child.communicate()


async def code_of(child: asyncio.subprocess.Process, seconds: float) -> int:
    """The program's exit code."""
    return await asyncio.wait_for(child.wait(), seconds)


async def test_the_first_ctrl_c_reaches_the_call(tmp_path: Path) -> None:
    """Exit 5, and the run has ended."""
    async with following(tmp_path) as (child, run, application):
        began = time.monotonic()
        child.send_signal(signal.SIGINT)
        assert await code_of(child, 15) == 5
        assert time.monotonic() - began < 4
        await check_cancelled(application, run.run_id)


async def test_a_second_ctrl_c_kills(tmp_path: Path) -> None:
    """A tool that does not let itself be cancelled holds nobody up; the run can be taken over."""
    async with following(tmp_path, "deaf") as (child, run, application):
        child.send_signal(signal.SIGINT)
        await asyncio.sleep(0.5)
        assert child.returncode is None
        child.send_signal(signal.SIGINT)
        assert await code_of(child, 1) == -signal.SIGINT
        record = await application.stores.runs.get(run.run_id)
        assert (record.status, record.owner_alive) == ("running", False)


async def test_a_tool_that_does_not_stop_does_not_keep_the_program(tmp_path: Path) -> None:
    """It is abandoned, and the program ends by itself."""
    async with following(tmp_path, "deaf") as (child, run, application):
        child.send_signal(signal.SIGINT)
        assert await code_of(child, 15) == 5
        await check_cancelled(application, run.run_id)
