"""A thousand runs at once in one process: none lost, none mixed up, and committed in groups."""

import asyncio

import pytest
from sqlalchemy import Connection

from loopwright.kernel.events import Payload, RunCompleted, RunCreated, RunStarted, ToolCallStarted
from loopwright.kernel.ports import RunUpdate
from loopwright.stores.claims import owner_id
from loopwright.stores.journal import SqlJournal
from loopwright.stores.runs import SqlRuns
from tests.stores.play import answer, result

RUNS = 1_000
STEPS = 3
WRITES = RUNS * (4 + 2 * STEPS)


async def whole_run(runs: SqlRuns, journal: SqlJournal, number: int) -> str:
    """Create, claim, three steps of two appends, complete; gives the run's id."""
    first: list[Payload] = [RunCreated(session_id=f"s{number}", agent="test")]
    run_id = (await runs.create(f"s{number}", "test", str(number), first)).run_id
    claim = await runs.claim(run_id, owner_id())
    await journal.append(claim, 1, [RunStarted(owner=claim.owner)], RunUpdate(status="running"))
    seq = 2
    for step in range(STEPS):
        call = ToolCallStarted(call_id="c", name="t", arguments={}, effect="pure")
        await journal.append(claim, seq, [answer(f"{number}:{step}"), call], RunUpdate(steps=step + 1))
        await journal.append(claim, seq + 2, [result(f"{number}:{step}")])
        seq += 3
    await journal.append(claim, seq, [RunCompleted(text=str(number))], RunUpdate(status="completed"))
    return run_id


@pytest.mark.timeout(240)
async def test_a_thousand_runs_at_once(runs: SqlRuns, journal: SqlJournal, commits: list[Connection]) -> None:
    run_ids = await asyncio.gather(*(whole_run(runs, journal, number) for number in range(RUNS)))
    assert len(commits) < WRITES / 10
    assert len(set(run_ids)) == RUNS
    records = await runs.find(limit=2 * RUNS)
    assert {record.run_id for record in records} == set(run_ids)
    last = 3 + 3 * STEPS
    assert {(record.status, record.seq, record.steps) for record in records} == {("completed", last, STEPS)}
    for number in range(0, RUNS, 50):
        events = await journal.read(run_ids[number])
        assert [event.seq for event in events] == list(range(1, last + 1))
        told = [event.payload["text"] for event in events if event.type == "model_response"]
        assert told == [f"{number}:{step}" for step in range(STEPS)]
