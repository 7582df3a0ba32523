"""The intent to run a `once` call is on disk before the call runs."""

import asyncio
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import Connection, event

from loopwright.kernel.events import ToolCallStarted
from loopwright.kernel.events.base import Payload
from loopwright.stores.database import Database
from loopwright.stores.journal import SqlJournal
from loopwright.stores.runs import SqlRuns
from tests.stores.play import answer, running

FULL, NORMAL = 2, 1
ROOT = Path(__file__).parents[2]


def started(effect: str) -> ToolCallStarted:
    """The intent to run a call."""
    return ToolCallStarted.model_validate({"call_id": "c", "name": "send", "arguments": {}, "effect": effect})


@pytest.fixture
async def levels(tmp_path: Path) -> tuple[Database, list[int]]:
    """A database in a file, and SQLite's `synchronous` at each commit of its writer."""
    database = await Database.open(None, tmp_path)
    seen: list[int] = []

    def note(connection: Connection) -> None:
        driver = connection.connection.driver_connection
        assert driver is not None
        seen.append(driver.execute("PRAGMA synchronous").fetchone()[0])

    event.listen(database._writing, "commit", note)
    return database, seen


async def test_what_is_synced_and_what_is_not(levels: tuple[Database, list[int]]) -> None:
    """It shows what SQLite was asked to do at each commit; that it does so is in its documentation."""
    database, seen = levels
    journal = SqlJournal(database)
    claim, seq = await running(SqlRuns(database), journal)
    seen.clear()
    payloads: list[Payload] = [answer(), started("once"), answer(), started("idempotent"), started("pure")]
    for number, payload in enumerate(payloads):
        await journal.append(claim, seq + number, [payload])
    assert seen == [NORMAL, FULL, NORMAL, NORMAL, NORMAL]
    seen.clear()
    seq += len(payloads)
    other, other_seq = await running(SqlRuns(database), journal)
    seen.clear()
    await asyncio.gather(
        journal.append(claim, seq, [answer()]), journal.append(other, other_seq, [answer(), started("once")])
    )
    assert FULL in seen  # whoever shares a transaction with an intent is synced with it
    await database.close()


APPEND = """
import asyncio, sys
from pathlib import Path
from loopwright.stores.database import Database
from loopwright.stores.journal import SqlJournal
from loopwright.stores.runs import SqlRuns
from tests.stores.play import running
from tests.stores.test_durability import started

async def main():
    async with await Database.open(None, Path(sys.argv[1])) as database:
        journal = SqlJournal(database)
        claim, seq = await running(SqlRuns(database), journal)
        for number in range(10):
            await journal.append(claim, seq + number, [started(sys.argv[2])])
        import os; os._exit(0)  # no checkpoint at closing

asyncio.run(main())
"""


@pytest.mark.skipif(shutil.which("strace") is None, reason="needs strace; what it counts is asked for above")
def test_the_system_calls(tmp_path: Path) -> None:
    """Ten intents of `once` calls cost ten syncs of the log more than ten others."""
    counted = [count_syncs(tmp_path / effect, effect) for effect in ("idempotent", "once")]
    assert counted[1] - counted[0] >= 10


def count_syncs(folder: Path, effect: str) -> int:
    folder.mkdir()
    log = folder / "trace"
    traced = ["strace", "-f", "-e", "trace=fsync,fdatasync", "-o", str(log)]
    subprocess.run(
        [*traced, sys.executable, "-c", APPEND, str(folder), effect],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}"},
        check=True,
        timeout=100,
    )
    return sum("sync(" in line for line in log.read_text().splitlines())
