"""Watching misses nothing, doubles nothing, and ends."""

import asyncio
from pathlib import Path

import pytest

from loopwright.kernel.errors import LoopwrightError, NotFound
from loopwright.kernel.events import RunCompleted
from loopwright.kernel.ports import RunClaim, RunUpdate
from loopwright.stores import database as changes
from loopwright.stores.database import Database
from loopwright.stores.journal import SqlJournal
from loopwright.stores.runs import SqlRuns
from tests.stores.play import answer, queued, running


async def watched(journal: SqlJournal, run_id: str, since_seq: int = 0, pause: float = 0.0) -> list[int]:
    """The seqs a watcher sees until the end."""
    seqs = []
    async for event in journal.watch(run_id, since_seq):
        seqs.append(event.seq)
        if pause:
            await asyncio.sleep(pause)
    return seqs


async def finish(journal: SqlJournal, claim: RunClaim, seq: int) -> int:
    """Append the terminal event; gives its seq."""
    await journal.append(claim, seq, [RunCompleted(text="done")], RunUpdate(status="completed"))
    return seq + 1


async def test_watchers_that_come_at_any_time_see_every_event_once(runs: SqlRuns, journal: SqlJournal) -> None:
    claim, seq = await running(runs, journal)
    watchers: list[tuple[int, asyncio.Task[list[int]]]] = []
    for number in range(60):
        since = number % 7
        pause = 0.002 if number % 5 == 0 else 0.0
        watchers.append((since, asyncio.create_task(watched(journal, claim.run_id, since, pause))))
        await journal.append(claim, seq, [answer()] * (number % 3 + 1))
        seq += number % 3 + 1
    last = await finish(journal, claim, seq)
    for since, watcher in watchers:
        assert await watcher == list(range(since + 1, last + 1))


async def test_events_of_another_process_come_too(url: str, tmp_path: Path, runs: SqlRuns, journal: SqlJournal) -> None:
    claim, seq = await running(runs, journal)
    async with await Database.open(url, tmp_path) as other:
        watcher = asyncio.create_task(watched(SqlJournal(other), claim.run_id))
        for _ in range(10):
            await journal.append(claim, seq, [answer()])
            seq += 1
            await asyncio.sleep(0.02)
        last = await finish(journal, claim, seq)
        async with asyncio.timeout(5 * changes.POLL_SECONDS):
            assert await watcher == list(range(1, last + 1))


async def test_two_processes_append_in_turn_before_one_watcher(
    url: str, tmp_path: Path, runs: SqlRuns, journal: SqlJournal
) -> None:
    claim, seq = await running(runs, journal)
    async with await Database.open(url, tmp_path) as other:
        watcher = asyncio.create_task(watched(journal, claim.run_id))
        for number in range(40):
            await (SqlJournal(other) if number % 3 == 0 else journal).append(claim, seq, [answer()])
            seq += 1
        last = await finish(journal, claim, seq)
        assert await watcher == list(range(1, last + 1))


async def test_a_slow_watcher_reads_what_was_not_kept(
    runs: SqlRuns, journal: SqlJournal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(changes, "MAX_PENDING", 4)
    claim, seq = await running(runs, journal)
    watcher = asyncio.create_task(watched(journal, claim.run_id, pause=0.005))
    await asyncio.sleep(0.05)
    for _ in range(30):
        await journal.append(claim, seq, [answer()] * 3)
        seq += 3
    last = await finish(journal, claim, seq)
    assert await watcher == list(range(1, last + 1))


async def test_an_ended_run_ends_the_stream(runs: SqlRuns, journal: SqlJournal) -> None:
    claim, seq = await running(runs, journal)
    last = await finish(journal, claim, seq)
    async with asyncio.timeout(60):
        assert await watched(journal, claim.run_id, last - 1) == [last]
        assert await watched(journal, claim.run_id, last) == []
        assert await watched(journal, claim.run_id, last + 100) == []


async def test_a_place_beyond_the_newest_event_means_only_new_ones(runs: SqlRuns, journal: SqlJournal) -> None:
    claim, seq = await running(runs, journal)
    watcher = asyncio.create_task(watched(journal, claim.run_id, 1_000))
    await asyncio.sleep(0.1)
    last = await finish(journal, claim, seq)
    async with asyncio.timeout(60):
        assert await watcher == [last]


async def test_a_cancellation_from_outside_ends_the_stream(runs: SqlRuns, journal: SqlJournal) -> None:
    run_id = await queued(runs)
    watcher = asyncio.create_task(watched(journal, run_id))
    await asyncio.sleep(0.05)
    await runs.request_cancel(run_id)
    async with asyncio.timeout(60):
        assert await watcher == [1, 2, 3]


async def test_an_unknown_run_is_not_found(journal: SqlJournal) -> None:
    with pytest.raises(NotFound):
        await watched(journal, "nobody")


async def test_closing_the_database_ends_every_watch(url: str, tmp_path: Path) -> None:
    database = await Database.open(url, tmp_path)
    journal = SqlJournal(database)
    run_id = await queued(SqlRuns(database))
    watcher = asyncio.create_task(watched(journal, run_id))
    await asyncio.sleep(0.1)
    await database.close()
    with pytest.raises(LoopwrightError, match="closed"):
        await watcher


async def test_a_watcher_that_leaves_is_forgotten(database: Database, runs: SqlRuns, journal: SqlJournal) -> None:
    claim, seq = await running(runs, journal)
    stream = journal.watch(claim.run_id)
    assert (await anext(stream)).seq == 1
    await stream.aclose()
    left = asyncio.create_task(watched(journal, claim.run_id))
    await asyncio.sleep(0.05)
    left.cancel()
    await asyncio.gather(left, return_exceptions=True)
    await asyncio.sleep(2 * changes.POLL_SECONDS)
    names = {task.get_name() for task in asyncio.all_tasks()}
    assert "loopwright-poll" not in names
    assert await finish(journal, claim, seq) == seq + 1


async def test_hundreds_of_watchers_are_polled_for_in_one_query(
    database: Database, runs: SqlRuns, journal: SqlJournal, monkeypatch: pytest.MonkeyPatch
) -> None:
    polls = []
    read_seqs = database.changes._read_seqs

    async def counted(run_ids: list[str]) -> dict[str, int]:
        polls.append(len(run_ids))
        return dict(await read_seqs(run_ids))

    monkeypatch.setattr(database.changes, "_read_seqs", counted)
    claims = [await running(runs, journal) for _ in range(300)]
    watchers = [asyncio.create_task(watched(journal, claim.run_id)) for claim, _ in claims]
    await asyncio.sleep(3 * changes.POLL_SECONDS)
    lasts = await asyncio.gather(*(finish(journal, claim, seq) for claim, seq in claims))
    async with asyncio.timeout(60):
        assert await asyncio.gather(*watchers) == [list(range(1, last + 1)) for last in lasts]
    assert max(polls) == 300
    assert len(polls) < 300
