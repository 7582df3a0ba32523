"""kill -9 in the middle of appends: no hole, nothing acknowledged is lost, and the runs can be taken over at once."""

import asyncio
import os
import sys
from pathlib import Path

import pytest

from loopwright.kernel.errors import StaleOwner
from loopwright.kernel.ports import RunClaim
from loopwright.stores.claims import owner_id
from loopwright.stores.database import Database
from loopwright.stores.journal import SqlJournal
from loopwright.stores.runs import SqlRuns
from tests.stores.appending_child import RUNS
from tests.stores.play import answer

ROOT = Path(__file__).parents[2]


async def kill_amid_appends(url: str, lines: int) -> dict[str, int]:
    """Let a child append, kill it after it has acknowledged so many times; gives run → seq acknowledged."""
    child = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.stores.appending_child",
        url,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    assert child.stdout is not None
    told = b""
    async with asyncio.timeout(60):
        while told.count(b"\n") < lines:
            piece = await child.stdout.read(4_096)
            assert piece, (await child.communicate())[1].decode()
            told += piece
        child.kill()
        told += (await child.communicate())[0]
    acknowledged: dict[str, int] = {}
    for line in told.decode().splitlines():
        run_id, seq = line.split()
        acknowledged[run_id] = max(int(seq), acknowledged.get(run_id, 0))
    return acknowledged


@pytest.mark.parametrize("lines", [25, 300, pytest.param(5_000, marks=pytest.mark.soak)])
async def test_nothing_acknowledged_is_lost(url: str, tmp_path: Path, lines: int) -> None:
    acknowledged = await kill_amid_appends(url, lines)
    assert 1 <= len(acknowledged) <= RUNS
    async with await Database.open(url, tmp_path) as database:
        runs, journal = SqlRuns(database), SqlJournal(database)
        for run_id, seq in acknowledged.items():
            record = await runs.get(run_id)
            events = await journal.read(run_id)
            assert [event.seq for event in events] == list(range(1, record.seq + 1))
            # At most the one append that was under way is there without having been acknowledged.
            assert seq <= record.seq <= seq + 3
        assert {run.run_id for run in await runs.orphans(20)} >= set(acknowledged)


async def test_another_process_takes_over_at_once_and_fences_the_dead_one(url: str, tmp_path: Path) -> None:
    acknowledged = await kill_amid_appends(url, 40)
    async with await Database.open(url, tmp_path) as database:
        runs, journal = SqlRuns(database), SqlJournal(database)
        for run_id in acknowledged:
            record = await runs.get(run_id)
            assert record.owner is not None
            assert not record.owner_alive
            ghost = RunClaim(run_id, record.epoch, record.owner)
            claim = await runs.claim(run_id, owner_id())
            with pytest.raises(StaleOwner):
                await journal.append(ghost, record.seq, [answer()])
            appended = await journal.append(claim, record.seq, [answer()])
            assert appended.events[0].seq == record.seq + 1
