"""Fenced appends: what they store, and what they refuse."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import update

from loopwright.kernel.errors import Conflict, NotFound, StaleOwner
from loopwright.kernel.events import RunCancelled, RunCompleted, RunFailed, ToolResultRecorded
from loopwright.kernel.ports import RunClaim, RunUpdate
from loopwright.kernel.state import TRANSITIONS, RunStatus
from loopwright.stores.database import Database
from loopwright.stores.journal import SqlJournal
from loopwright.stores.runs import SqlRuns
from loopwright.stores.tables import runs as runs_table
from tests.stores.play import ELSEWHERE, answer, result, running


async def test_events_are_numbered_and_read_back_as_they_were_returned(runs: SqlRuns, journal: SqlJournal) -> None:
    claim, seq = await running(runs, journal)
    odd = 'zero \x00, quote ", backslash \\, emoji 🪵, line\u2028, ' + "x" * 50_000
    appended = await journal.append(claim, seq, [answer(odd), result("")])
    assert [event.seq for event in appended.events] == [4, 5]
    assert appended.events[0].payload["text"] == odd
    assert await journal.read(claim.run_id, since_seq=3) == appended.events
    assert [event.seq for event in await journal.read(claim.run_id)] == [1, 2, 3, 4, 5]
    assert [event.seq for event in await journal.read(claim.run_id, since_seq=1, limit=2)] == [2, 3]


async def test_the_newest_events_of_a_type_are_found(runs: SqlRuns, journal: SqlJournal) -> None:
    claim, seq = await running(runs, journal)
    await journal.append(claim, seq, [answer("one"), result("a"), answer("two"), result("b"), answer("three")])
    found = await journal.newest(claim.run_id, answer().type, 2)
    assert [event.payload["text"] for event in found] == ["three", "two"]
    assert await journal.newest("nobody", answer().type, 2) == []


async def test_times_are_utc_and_of_now(runs: SqlRuns, journal: SqlJournal) -> None:
    claim, seq = await running(runs, journal)
    await journal.append(claim, seq, [answer()])
    record = await runs.get(claim.run_id)
    moments = [event.at for event in await journal.read(claim.run_id)]
    for moment in [*moments, record.created_at, record.updated_at, record.heartbeat_at]:
        assert moment is not None
        assert moment.utcoffset() == timedelta(0)
        assert abs(datetime.now(UTC) - moment) < timedelta(minutes=1)
    assert moments == sorted(moments)


async def test_run_columns_change_with_the_append(runs: SqlRuns, journal: SqlJournal) -> None:
    claim, seq = await running(runs, journal)
    await journal.append(claim, seq, [answer()], RunUpdate(steps=2, cost_usd=0.25))
    await journal.append(claim, seq + 1, [answer()])
    record = await runs.get(claim.run_id)
    assert (record.status, record.seq, record.steps, record.cost_usd) == ("running", 5, 2, pytest.approx(0.25))
    await journal.append(claim, seq + 2, [answer()], RunUpdate(cost_usd=0.5, cost_unknown=True))
    assert (await runs.get(claim.run_id)).cost_usd is None


async def test_an_append_may_bring_columns_only(runs: SqlRuns, journal: SqlJournal) -> None:
    claim, seq = await running(runs, journal)
    assert (await journal.append(claim, seq, [], RunUpdate(steps=7))).events == []
    record = await runs.get(claim.run_id)
    assert (record.seq, record.steps) == (seq, 7)


@pytest.mark.parametrize(("epochs", "seqs"), [(1, 0), (-1, 0), (0, 1), (0, -1)])
async def test_a_wrong_epoch_or_seq_is_stale(runs: SqlRuns, journal: SqlJournal, epochs: int, seqs: int) -> None:
    claim, seq = await running(runs, journal)
    other = RunClaim(claim.run_id, claim.epoch + epochs, claim.owner)
    with pytest.raises(StaleOwner):
        await journal.append(other, seq + seqs, [answer()], RunUpdate(status="completed", steps=9))
    record = await runs.get(claim.run_id)
    assert (record.status, record.seq, record.steps) == ("running", seq, 0)
    assert len(await journal.read(claim.run_id)) == seq


async def test_an_unknown_run_is_not_found(journal: SqlJournal) -> None:
    with pytest.raises(NotFound):
        await journal.append(RunClaim("nobody", 1, "me"), 0, [answer()])
    assert await journal.read("nobody") == []


async def test_of_two_owners_that_race_the_later_wins(runs: SqlRuns, journal: SqlJournal) -> None:
    old, seq = await running(runs, journal, owner=ELSEWHERE)
    new = await runs.claim(old.run_id, "me", takeover=True)
    outcomes = await asyncio.gather(
        *(journal.append(claim, seq, [answer(claim.owner)]) for claim in (old, new) * 3), return_exceptions=True
    )
    assert sum(isinstance(outcome, StaleOwner) for outcome in outcomes) == 5
    events = await journal.read(old.run_id, since_seq=seq)
    assert [(event.seq, event.payload["text"]) for event in events] == [(seq + 1, "me")]


async def test_one_claim_used_twice_at_once_appends_once(runs: SqlRuns, journal: SqlJournal) -> None:
    claim, seq = await running(runs, journal)
    outcomes = await asyncio.gather(
        *(journal.append(claim, seq, [answer(str(i)), result()]) for i in range(20)), return_exceptions=True
    )
    assert sum(not isinstance(outcome, Exception) for outcome in outcomes) == 1
    assert [event.seq for event in await journal.read(claim.run_id)] == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("last", [RunCompleted(text="done"), RunFailed(code="x", message="y"), RunCancelled()])
async def test_nothing_follows_a_terminal_event(
    runs: SqlRuns, journal: SqlJournal, last: RunCompleted | RunFailed | RunCancelled
) -> None:
    claim, seq = await running(runs, journal)
    status: RunStatus = last.type.removeprefix("run_")  # type: ignore[assignment]
    await journal.append(claim, seq, [last], RunUpdate(status=status))
    for update_ in (None, RunUpdate(steps=1), RunUpdate(status="running"), RunUpdate(status=status)):
        with pytest.raises(Conflict):
            await journal.append(claim, seq + 1, [result()], update_)
    assert len(await journal.read(claim.run_id)) == seq + 1


@pytest.mark.parametrize("old", list(TRANSITIONS))
async def test_only_the_moves_of_the_table_are_allowed(
    runs: SqlRuns, journal: SqlJournal, database: Database, old: RunStatus
) -> None:
    for new in TRANSITIONS:
        claim, seq = await running(runs, journal)
        change = update(runs_table).where(runs_table.c.run_id == claim.run_id).values(status=old)
        await database.write(lambda connection, change=change: connection.execute(change).rowcount)
        if new in TRANSITIONS[old]:
            await journal.append(claim, seq, [answer()], RunUpdate(status=new))
            assert (await runs.get(claim.run_id)).status == new
        else:
            with pytest.raises(Conflict):
                await journal.append(claim, seq, [answer()], RunUpdate(status=new))
            assert (await runs.get(claim.run_id)).seq == seq


@pytest.mark.parametrize("status", ["waiting_input", "completed"])
async def test_a_run_that_rests_has_no_owner(runs: SqlRuns, journal: SqlJournal, status: RunStatus) -> None:
    claim, seq = await running(runs, journal)
    assert (await runs.get(claim.run_id)).owner_alive
    await journal.append(claim, seq, [answer()], RunUpdate(status=status))
    record = await runs.get(claim.run_id)
    assert record.owner is None
    assert not record.owner_alive


async def test_an_append_tells_of_a_cancellation(runs: SqlRuns, journal: SqlJournal) -> None:
    claim, seq = await running(runs, journal)
    assert not (await journal.append(claim, seq, [answer()])).cancel_requested
    await runs.request_cancel(claim.run_id)
    assert (await journal.append(claim, seq + 1, [answer()])).cancel_requested


async def test_half_a_surrogate_pair_harms_its_caller_only(runs: SqlRuns, journal: SqlJournal) -> None:
    claim, seq = await running(runs, journal)
    other, _ = await running(runs, journal)
    broken = ToolResultRecorded.model_construct(call_id="c", name="t", success=True, output="\ud800")
    outcomes = await asyncio.gather(
        journal.append(claim, seq, [broken]), journal.append(other, seq, [result()]), return_exceptions=True
    )
    assert isinstance(outcomes[0], Exception)
    assert not isinstance(outcomes[1], Exception)
    assert (await runs.get(claim.run_id)).seq == seq
