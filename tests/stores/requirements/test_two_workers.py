"""Two processes on one database, one of them killed amid its work: nothing is settled twice, and nothing is lost."""

import asyncio
import os
import sys
from collections import Counter
from pathlib import Path

from loopwright.stores.database import Database
from tests.stores.requirements.bench import Bench, wanted
from tests.support.stores import upgrade

ROOT = Path(__file__).parents[3]
REQUIREMENTS = 500
BATCH = 11
HANGS_AFTER = 150


async def start(url: str, owner: str, hangs_after: int = 0) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.stores.requirements.validating_child",
        url,
        owner,
        str(BATCH),
        str(hangs_after),
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )


async def read_until(worker: asyncio.subprocess.Process, sign: bytes) -> bytes:
    """What the worker says, up to this sign."""
    assert worker.stdout is not None
    told = b""
    while sign not in told:
        piece = await worker.stdout.read(4_096)
        assert piece, (await worker.communicate())[1].decode()
        told += piece
    return told


async def finish(worker: asyncio.subprocess.Process) -> bytes:
    told, errors = await worker.communicate()
    assert worker.returncode == 0, errors.decode()
    return told


async def test_a_killed_worker_costs_nothing(url: str, tmp_path: Path) -> None:
    async with await Database.open(url, tmp_path) as database:
        await upgrade(database, "jobs")
        bench = await Bench(database).open()
        added = await bench.store.add("creator", [wanted(n) for n in range(REQUIREMENTS)], phase=2, key="k")
    async with asyncio.timeout(90):
        doomed = await start(url, "first", HANGS_AFTER)
        told = await read_until(doomed, b"first")
        survivor = await start(url, "second")
        told += await read_until(survivor, b"second") + await read_until(doomed, b"hangs")
        doomed.kill()
        told += (await doomed.communicate())[0] + await finish(survivor)
    said = Counter(line.split()[0] for line in told.decode().splitlines() if line != "hangs")
    assert set(said.values()) == {1}
    async with await Database.open(url, tmp_path) as database:
        store = Bench(database).store
        rows = await store.find(limit=REQUIREMENTS + 1)
    assert {row.requirement_id for row in rows} == {row.requirement_id for row in added}
    assert Counter(row.status for row in rows) == {"integrated": 400, "rejected": 100}
    assert {row.settled_by for row in rows} == {"first", "second"}
    # What was said was stored; at most the batch under way at the kill was stored without having been said.
    assert set(said) <= {row.requirement_id for row in rows}
    assert len(said) >= REQUIREMENTS - BATCH
