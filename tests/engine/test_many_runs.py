"""A thousand runs at once in one process on SQLite: all complete, none is lost, every journal is whole."""

import asyncio
import time
from collections import Counter
from pathlib import Path

import pytest

from loopwright.app.loopwright import Loopwright
from loopwright.app.starting import NewRun, start_run
from loopwright.kernel.ports import RunRecord
from loopwright.kernel.testing.conformance import check_journal
from tests.engine.toys import LookingModel, toy_application

RUNS = 1_000
LOOKS = 2

CPU_PER_STEP = 0.008
"""Seconds of CPU that a step may cost, everything included; about 1.5 ms were measured."""


@pytest.mark.timeout(240)
async def test_a_thousand_runs_at_once(tmp_path: Path) -> None:
    """Each with its own session, folder, journal and words."""
    model = LookingModel(LOOKS, hold=asyncio.Event(), opens_at=RUNS)
    async with toy_application(tmp_path, model, runs_at_once=RUNS) as application:
        began = time.process_time()
        created = await asyncio.gather(*(go(application, number) for number in range(RUNS)))
        async with asyncio.timeout(120):  # were a run lost, the others would wait for it
            await asyncio.gather(*(application.dispatcher.wait(run.run_id) for run in created))
        spent = time.process_time() - began
        found = {run.run_id: run for run in await application.stores.runs.find(limit=2 * RUNS)}
        assert set(found) == {run.run_id for run in created}
        assert len({run.session_id for run in found.values()}) == RUNS
        assert Counter((run.status, run.steps, run.owner) for run in found.values()) == {
            ("completed", LOOKS + 1, None): RUNS
        }
        for run in created:
            await check(application, run)
    assert model.asked == RUNS * (LOOKS + 1)
    assert model.most_at_once == RUNS
    assert spent < RUNS * (LOOKS + 1) * CPU_PER_STEP


async def go(application: Loopwright, number: int) -> RunRecord:
    return await start_run(application, NewRun(f"message {number}", agent="toy"))


async def check(application: Loopwright, run: RunRecord) -> None:
    """The journal keeps its promises, and is this run's and no other's."""
    events = await application.stores.journal.read(run.run_id)
    check_journal(events)
    assert events[-1].type == "run_completed"
    assert events[-1].payload["text"] == run.message
    assert sum(event.type == "tool_result" for event in events) == LOOKS
