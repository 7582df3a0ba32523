"""The runs that wait for a human, each with its question: what the fold of every journal says, in one query."""

from typing import Any

from sqlalchemy import Connection, event

from loopwright.kernel.events import GateAnswered, GateOpened, Payload, RunResumed, RunStarted, RunWaitingInput
from loopwright.kernel.ports import RunUpdate
from loopwright.kernel.state import RunState, RunStatus
from loopwright.stores.claims import owner_id
from loopwright.stores.database import Database
from loopwright.stores.journal import SqlJournal
from loopwright.stores.runs import SqlRuns
from tests.stores.play import answer, queued


async def asking(runs: SqlRuns, journal: SqlJournal, session: str, *, answered: int = 0, last: RunStatus) -> str:
    """A run that was asked and answered some times, and then was asked once more; gives its id."""
    run_id = await queued(runs, session)
    claim, seq = await runs.claim(run_id, owner_id()), 3
    await journal.append(claim, 2, [RunStarted(owner=claim.owner)], RunUpdate(status="running"))
    for number in range(1, answered + 2):
        gate_id = f"{run_id}.{number}"
        question = GateOpened(gate_id=gate_id, kind="questions", digest=f"d{number}", title=f"{number} of {session}?")
        rests: list[Payload] = [answer(), question, RunWaitingInput(gate_id=gate_id)]
        await journal.append(claim, seq, rests, RunUpdate(status="waiting_input"))
        seq += 3
        if number <= answered:
            claim = await runs.claim(run_id, owner_id())
            said: list[Payload] = [GateAnswered(gate_id=gate_id, answer={}), RunResumed(owner="me", reason="answered")]
            await journal.append(claim, seq, said, RunUpdate(status="running"))
            seq += 2
    if last == "cancelled":
        await runs.request_cancel(run_id)
    elif last == "running":
        claim = await runs.claim(run_id, owner_id())
        gone_on: list[Payload] = [GateAnswered(gate_id=gate_id, answer={})]
        await journal.append(claim, seq, gone_on, RunUpdate(status="running"))
    return run_id


def queries(database: Database) -> list[str]:
    """Grows by each query."""
    seen: list[str] = []

    def note(connection: Connection, cursor: object, statement: str, *_: object) -> None:
        if statement.startswith("SELECT"):
            seen.append(statement)

    event.listen(database._reading, "before_cursor_execute", note)
    return seen


async def folded(journal: SqlJournal, run_ids: list[str]) -> list[dict[str, Any]]:
    """What the runs' whole journals say of their open gates."""
    states = [RunState.fold(run_id, await journal.read(run_id)) for run_id in run_ids]
    return [state.open_gate.model_dump() for state in states if state.open_gate is not None]


async def test_the_last_question_of_each_waiting_run(database: Database, runs: SqlRuns, journal: SqlJournal) -> None:
    ends: list[RunStatus] = ["waiting_input", "cancelled", "waiting_input", "running"]
    made = [
        await asking(runs, journal, f"s{number}", answered=number % 3, last=ends[number % len(ends)])
        for number in range(12)
    ]
    await queued(runs)
    newest_first = [each.run_id for each in await runs.find(status="waiting_input")]
    assert sorted(newest_first) == sorted(made[number] for number in range(12) if number % 2 == 0)
    seen = queries(database)
    found = await runs.waiting()
    assert len(seen) == 1
    assert [run.run_id for run, _ in found] == newest_first
    assert [run for run, _ in found] == await runs.find(status="waiting_input")
    gates = [GateOpened.model_validate(opened.payload).gate.model_dump() for _, opened in found]
    assert gates == await folded(journal, newest_first)
    for run, opened in found:
        assert opened in await journal.read(run.run_id)


async def test_of_one_session_and_only_so_many(runs: SqlRuns, journal: SqlJournal) -> None:
    for session in ("a", "b", "a"):
        await asking(runs, journal, session, last="waiting_input")
    assert [run.session_id for run, _ in await runs.waiting(session_id="a")] == ["a", "a"]
    assert [run.session_id for run, _ in await runs.waiting(limit=2)] == ["a", "b"]
    assert await runs.waiting(session_id="nobody") == []
