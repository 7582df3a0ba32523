"""Runs that kill their process are parked; the healthy ones beside them complete, after few restarts."""

import asyncio
import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from loopwright.app.answering import try_again
from loopwright.app.starting import NewRun, create_run
from loopwright.app.watching import last_line
from loopwright.kernel.errors import Conflict
from loopwright.kernel.state import RunState
from loopwright.kernel.testing.conformance import check_journal
from tests.engine.poison import acting_application
from tests.support.commands import Installation

ROOT = Path(__file__).parents[2]


async def create(folder: Path, healthy: int, poisoned: int, seed: int) -> set[str]:
    """The runs in random order; gives the ids of the poisoned ones."""
    words = ["healthy"] * healthy + [f"poison {number}" for number in range(poisoned)]
    random.Random(seed).shuffle(words)
    async with acting_application(folder, worker=False) as application:
        made = [
            await create_run(application, NewRun(word, agent=("toy", "toyonce")[index % 2]))
            for index, word in enumerate(words)
        ]
    return {run.run_id for run, word in zip(made, words, strict=True) if word.startswith("poison")}


def work(folder: Path, workers: int) -> list[int]:
    """Start so many workers and wait for all of them; their exit codes."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    program = [sys.executable, "-m", "tests.engine.poison_worker", str(folder)]
    started = [subprocess.Popen(program, cwd=ROOT, env=environment) for _ in range(workers)]
    return [each.wait() for each in started]


async def check(folder: Path, poisoned: set[str]) -> None:
    """Whoever kills is parked with the reason, whoever does not has completed; every journal keeps its promises."""
    async with acting_application(folder, worker=False) as application:
        runs = await application.stores.runs.find(limit=1_000)
        assert {run.run_id: run.status for run in runs} == {
            run.run_id: "parked" if run.run_id in poisoned else "completed" for run in runs
        }
        for run in runs:
            events = await application.stores.journal.read(run.run_id)
            check_journal(events, over=run.run_id not in poisoned)
            if run.run_id in poisoned:
                assert (run.deaths, run.owner, events[-1].type) == (3, None, "run_parked")
                assert events[-1].payload == {"deaths": 3, "doing": "stage work: act {}"}


@pytest.mark.timeout(240)
async def test_poison_is_parked_and_the_healthy_complete(tmp_path: Path) -> None:
    """Two workers, restarted when they die: at most once each, since what is left of a death runs apart."""
    poisoned = await create(tmp_path, healthy=24, poisoned=4, seed=1)
    codes = [await asyncio.to_thread(work, tmp_path, 2) for _ in range(2)]
    assert codes[1] == [0, 0]
    await check(tmp_path, poisoned)


@pytest.mark.soak
@pytest.mark.timeout(1_800)
async def test_forty_poisoned_among_four_hundred(tmp_path: Path) -> None:
    """At most three restarts of the two workers."""
    poisoned = await create(tmp_path, healthy=400, poisoned=40, seed=2)
    began, starts = time.monotonic(), []
    while not starts or any(starts[-1]):
        assert len(starts) <= 3, starts
        starts.append(await asyncio.to_thread(work, tmp_path, 2))
    sys.stdout.write(f"\nexit codes of the workers by start: {starts}; {time.monotonic() - began:.0f} s\n")
    await check(tmp_path, poisoned)


@pytest.mark.timeout(240)
async def test_a_parked_run_is_told_and_tries_once_more(tmp_path: Path) -> None:
    """`runs show` says what it was doing; `--anyway` and HTTP let it try again, apart; one more death parks it."""
    [poisoned] = await create(tmp_path, healthy=0, poisoned=1, seed=1)
    while any(await asyncio.to_thread(work, tmp_path, 1)):
        pass
    place = Installation(tmp_path)
    shown = await asyncio.to_thread(place.run, "runs", "show", poisoned, "--json")
    assert (shown.last["status"], shown.last["doing"], shown.last["deaths"]) == ("parked", "stage work: act {}", 3)
    refused = await asyncio.to_thread(place.run, "runs", "resume", poisoned)
    assert refused.code == 2
    assert "--anyway" in refused.err
    async with acting_application(tmp_path, worker=True) as application:
        await try_again(application, poisoned)
        async with asyncio.timeout(60):
            assert await application.dispatcher.wait(poisoned) is None
        record = await application.stores.runs.get(poisoned)
        assert (record.status, record.deaths) == ("parked", 3)
        state = RunState.fold(poisoned, await application.stores.journal.read(poisoned))
        line = last_line(record, state, None)
        assert (line["code"], line["hint"]) == ("parked", f"loopwright runs resume {poisoned} --anyway")
        record = await application.stores.runs.request_cancel(poisoned)
        assert record.status == "cancelled"
        with pytest.raises(Conflict):
            await try_again(application, poisoned)
