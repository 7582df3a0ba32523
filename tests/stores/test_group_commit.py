"""The writer: one transaction for all that waits, an outcome for each, and never a caller who waits in vain."""

import asyncio
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, Select, insert, select, text

from loopwright.kernel.errors import Conflict, InvalidInput, StaleOwner
from loopwright.stores.database import Database
from loopwright.stores.errors import StoreUnavailable
from loopwright.stores.journal import SqlJournal
from loopwright.stores.runs import SqlRuns
from loopwright.stores.tables import events
from loopwright.stores.tables import runs as table
from loopwright.stores.writer import MAX_BATCH, each_alone
from tests.stores.play import answer, result, running


def clashing(run_id: str) -> Select[Any]:
    """A query that gives the run's first event once more."""
    columns = (events.c.run, events.c.seq, events.c.type, events.c.at, events.c.payload)
    return (
        select(*columns).join(table, table.c.number == events.c.run).where(table.c.run_id == run_id, events.c.seq == 1)
    )


async def test_what_waits_is_committed_together(runs: SqlRuns, journal: SqlJournal, commits: list[Connection]) -> None:
    claims = await asyncio.gather(*(running(runs, journal) for _ in range(200)))
    commits.clear()
    await asyncio.gather(*(journal.append(claim, seq, [answer(), result()]) for claim, seq in claims))
    assert 1 <= len(commits) <= 100
    for claim, seq in claims:
        assert [event.seq for event in await journal.read(claim.run_id, since_seq=seq)] == [seq + 1, seq + 2]


async def test_each_caller_gets_its_own_outcome(runs: SqlRuns, journal: SqlJournal) -> None:
    claims = await asyncio.gather(*(running(runs, journal) for _ in range(30)))
    outcomes = await asyncio.gather(
        *(journal.append(claim, seq + n % 2, [answer(str(n))]) for n, (claim, seq) in enumerate(claims)),
        return_exceptions=True,
    )
    for n, ((claim, seq), outcome) in enumerate(zip(claims, outcomes, strict=True)):
        stored = await journal.read(claim.run_id, since_seq=seq)
        if n % 2:
            assert isinstance(outcome, StaleOwner)
            assert stored == []
        else:
            assert not isinstance(outcome, BaseException)
            assert stored == outcome.events


async def test_a_failing_item_harms_nobody_else(runs: SqlRuns, journal: SqlJournal, database: Database) -> None:
    claims = await asyncio.gather(*(running(runs, journal) for _ in range(20)))
    run_id = claims[0][0].run_id

    def clash(connection: Connection) -> None:
        connection.execute(text("UPDATE runs SET steps = 99"))
        connection.execute(insert(events).from_select(["run", "seq", "type", "at", "payload"], clashing(run_id)))

    def broken(connection: Connection) -> None:
        connection.execute(text("UPDATE runs SET steps = 99"))
        raise ZeroDivisionError

    def refused(connection: Connection) -> None:
        connection.execute(text("UPDATE runs SET steps = 99"))
        raise Conflict("no")

    outcomes = await asyncio.gather(
        *(database.write(work) for work in (clash, broken, refused)),
        *(journal.append(claim, seq, [answer()]) for claim, seq in claims),
        return_exceptions=True,
    )
    assert [type(outcome) for outcome in outcomes[:3]] == [StoreUnavailable, ZeroDivisionError, Conflict]
    assert not any(isinstance(outcome, BaseException) for outcome in outcomes[3:])
    for claim, seq in claims:
        record = await runs.get(claim.run_id)
        assert (record.seq, record.steps) == (seq + 1, 0)


async def test_a_cancelled_caller_disturbs_nobody(runs: SqlRuns, journal: SqlJournal) -> None:
    claims = await asyncio.gather(*(running(runs, journal) for _ in range(40)))
    tasks = [asyncio.create_task(journal.append(claim, seq, [answer(), result()])) for claim, seq in claims]
    await asyncio.sleep(0)
    for task in tasks[::2]:
        task.cancel()
    outcomes = await asyncio.gather(*tasks, return_exceptions=True)
    for n, ((claim, seq), outcome) in enumerate(zip(claims, outcomes, strict=True)):
        stored = [event.seq for event in await journal.read(claim.run_id)]
        assert stored == list(range(1, (await runs.get(claim.run_id)).seq + 1))
        if n % 2:
            assert not isinstance(outcome, BaseException)
            assert stored[-1] == seq + 2


async def test_more_than_a_batch_goes_through(database: Database) -> None:
    sizes: list[int] = []

    def count(connection: Connection, items: Sequence[int]) -> list[int]:
        sizes.append(len(items))
        return [item * 2 for item in items]

    wanted = list(range(3 * MAX_BATCH))
    assert await asyncio.gather(*(database.write_together(count, n) for n in wanted)) == [n * 2 for n in wanted]
    assert max(sizes) <= MAX_BATCH
    assert sum(sizes) == len(wanted)


async def test_closing_writes_what_is_pending_and_refuses_what_comes_later(url: str, tmp_path: Path) -> None:
    database = await Database.open(url, tmp_path)
    runs, journal = SqlRuns(database), SqlJournal(database)
    claims = await asyncio.gather(*(running(runs, journal) for _ in range(50)))
    tasks = [asyncio.create_task(journal.append(claim, seq, [answer()])) for claim, seq in claims]
    await asyncio.sleep(0)
    await database.close()
    assert len(await asyncio.gather(*tasks)) == 50
    with pytest.raises(StoreUnavailable, match="closed"):
        await journal.append(claims[0][0], 4, [answer()])
    await database.close()
    assert "loopwright-writer" not in {thread.name for thread in threading.enumerate()}
    async with await Database.open(url, tmp_path) as again:
        for claim, seq in claims:
            assert (await SqlRuns(again).get(claim.run_id)).seq == seq + 1


async def test_a_writer_that_dies_tells_every_caller(url: str, tmp_path: Path) -> None:
    database = await Database.open(url, tmp_path)
    gate = threading.Event()

    def slow(connection: Connection) -> None:
        gate.wait(10)

    def fatal(connection: Connection, items: Sequence[int]) -> list[int]:
        raise SystemExit(1)

    first = asyncio.create_task(database.write(slow))
    await asyncio.sleep(0.05)
    others = [asyncio.create_task(database.write_together(fatal, n)) for n in range(3)]
    others += [asyncio.create_task(database.write_together(each_alone, lambda connection: 1)) for _ in range(3)]
    await asyncio.sleep(0.05)
    gate.set()
    async with asyncio.timeout(60):
        await first
        outcomes = await asyncio.gather(*others, return_exceptions=True)
        assert all(isinstance(outcome, StoreUnavailable) for outcome in outcomes)
        with pytest.raises(StoreUnavailable, match="died"):
            await database.write(lambda connection: 1)
        await database.close()


async def test_a_text_the_database_cannot_hold_is_the_callers_fault(runs: SqlRuns, database: Database) -> None:
    with pytest.raises(InvalidInput):
        await runs.find(session_id="\ud800")

    def write(connection: Connection) -> None:
        connection.execute(text("UPDATE runs SET message = :text"), {"text": "\ud800"})

    with pytest.raises(InvalidInput):
        await database.write(write)


async def test_a_broken_connection_is_replaced(runs: SqlRuns, journal: SqlJournal, database: Database) -> None:
    claim, seq = await running(runs, journal)

    def sever(connection: Connection) -> None:
        connection.connection.driver_connection.close()  # type: ignore[union-attr]
        connection.execute(text("SELECT 1"))

    with pytest.raises(Exception, match="clos"):
        await database.write(sever)
    await journal.append(claim, seq, [answer()])
    assert (await runs.get(claim.run_id)).seq == seq + 1
