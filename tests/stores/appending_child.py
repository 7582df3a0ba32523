"""A process that appends to many runs at once and tells what was acknowledged, until it is killed."""

import asyncio
import os
import sys
from pathlib import Path

from loopwright.kernel.events import RunCreated, RunStarted
from loopwright.kernel.ports import RunUpdate
from loopwright.stores.claims import owner_id
from loopwright.stores.database import Database
from loopwright.stores.journal import SqlJournal
from loopwright.stores.runs import SqlRuns
from tests.stores.play import answer, result

RUNS = 20


def acknowledge(run_id: str, seq: int) -> None:
    """One line in one system call: what has reached the pipe survives the process."""
    os.write(1, f"{run_id} {seq}\n".encode())


async def append_for_ever(runs: SqlRuns, journal: SqlJournal) -> None:
    """Appends of one, two and three events, each acknowledged when it is stored."""
    run_id = (await runs.create("s", "test", "m", [RunCreated(session_id="s", agent="test")])).run_id
    claim = await runs.claim(run_id, owner_id())
    await journal.append(claim, 1, [RunStarted(owner=claim.owner)], RunUpdate(status="running"))
    seq = 2
    acknowledge(run_id, seq)
    while True:
        payloads = [answer(f"{run_id} {seq}"), result(), result("x" * 5_000)][: seq % 3 + 1]
        seq = (await journal.append(claim, seq, payloads, RunUpdate(steps=seq))).events[-1].seq
        acknowledge(run_id, seq)


async def main() -> None:
    """Append until somebody kills this process."""
    async with await Database.open(sys.argv[1], Path()) as database:
        runs, journal = SqlRuns(database), SqlJournal(database)
        await asyncio.gather(*(append_for_ever(runs, journal) for _ in range(RUNS)))


if __name__ == "__main__":
    asyncio.run(main())
