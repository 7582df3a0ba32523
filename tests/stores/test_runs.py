"""Creation, ownership, cancellation."""

import asyncio
import sys
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import update

from loopwright.kernel.errors import Conflict, NotFound, StaleOwner
from loopwright.kernel.events import BudgetCharged, Payload, RunCreated, RunParked, RunResumed, StageChanged
from loopwright.kernel.ports import RunClaim, RunUpdate
from loopwright.stores.claims import owner_id
from loopwright.stores.database import Database
from loopwright.stores.journal import SqlJournal
from loopwright.stores.runs import SqlRuns
from loopwright.stores.tables import runs as runs_table
from tests.stores.play import ELSEWHERE, answer, queued, running


async def age_heartbeat(database: Database, run_id: str, seconds: float) -> None:
    """Make the run's last heartbeat older."""
    moment = datetime.now(UTC) - timedelta(seconds=seconds)
    change = update(runs_table).where(runs_table.c.run_id == run_id).values(heartbeat_at=moment)
    await database.write(lambda connection: connection.execute(change).rowcount)


async def written(database: Database) -> None:
    """Whatever was handed to the writer before is stored."""
    await database.write(lambda connection: None)


async def test_a_new_run_is_queued_with_its_events(runs: SqlRuns, journal: SqlJournal) -> None:
    record = await runs.create("s1", "pages", "A bakery\x00", [RunCreated(session_id="s1", agent="pages")])
    assert (record.status, record.seq, record.epoch, record.owner) == ("queued", 1, 0, None)
    assert (record.steps, record.cost_usd, record.message) == (0, 0.0, "A bakery\ufffd")
    assert await runs.get(record.run_id) == record
    assert [event.type for event in await journal.read(record.run_id)] == ["run_created"]


async def test_a_given_id_is_taken_once(runs: SqlRuns) -> None:
    assert await queued(runs, run_id="mine") == "mine"
    with pytest.raises(Conflict):
        await queued(runs, run_id="mine")
    outcomes = await asyncio.gather(*(queued(runs, run_id="ours") for _ in range(5)), return_exceptions=True)
    assert sorted(isinstance(outcome, Conflict) for outcome in outcomes) == [False, True, True, True, True]


async def test_an_unknown_run_is_not_found(runs: SqlRuns) -> None:
    for call in (runs.get("nobody"), runs.claim("nobody", "me"), runs.request_cancel("nobody")):
        with pytest.raises(NotFound):
            await call
    await runs.release(RunClaim("nobody", 1, "me"))
    runs.heartbeat("me", ["nobody"])
    assert await runs.cancel_requested(["nobody"]) == set()


async def test_runs_are_found_newest_first(runs: SqlRuns) -> None:
    first, second, third = [await queued(runs, session) for session in ("a", "b", "a")]
    await runs.request_cancel(second)
    assert [run.run_id for run in await runs.find()] == [third, second, first]
    assert [run.run_id for run in await runs.find(session_id="a")] == [third, first]
    assert [run.run_id for run in await runs.find(status="cancelled")] == [second]
    assert [run.run_id for run in await runs.find(limit=1)] == [third]
    assert await runs.find(agent="other") == []


async def test_claiming_raises_the_epoch_and_fences_the_old_owner(runs: SqlRuns, journal: SqlJournal) -> None:
    old, seq = await running(runs, journal)
    new = await runs.claim(old.run_id, ELSEWHERE, takeover=True)
    assert new.epoch == old.epoch + 1
    with pytest.raises(StaleOwner):
        await journal.append(old, seq, [answer()])
    await runs.release(old)
    assert (await runs.get(old.run_id)).owner == ELSEWHERE
    await runs.release(new)
    assert (await runs.get(old.run_id)).owner is None
    assert (await runs.get(old.run_id)).status == "running"


async def test_a_live_owner_keeps_its_run(runs: SqlRuns, journal: SqlJournal, database: Database) -> None:
    claim, _ = await running(runs, journal, owner=ELSEWHERE)
    with pytest.raises(Conflict, match="elsewhere"):
        await runs.claim(claim.run_id, "me")
    await age_heartbeat(database, claim.run_id, 19)
    with pytest.raises(Conflict):
        await runs.claim(claim.run_id, "me")
    await age_heartbeat(database, claim.run_id, 21)
    assert (await runs.claim(claim.run_id, "me")).epoch == claim.epoch + 1


async def test_a_heartbeat_keeps_an_owner_alive(runs: SqlRuns, journal: SqlJournal, database: Database) -> None:
    claim, _ = await running(runs, journal, owner=ELSEWHERE)
    await age_heartbeat(database, claim.run_id, 100)
    assert not (await runs.get(claim.run_id)).owner_alive
    runs.heartbeat("somebody else", [claim.run_id])
    await written(database)
    assert not (await runs.get(claim.run_id)).owner_alive
    await asyncio.to_thread(runs.heartbeat, ELSEWHERE, [claim.run_id])
    await written(database)
    assert (await runs.get(claim.run_id)).owner_alive


async def test_a_cancellation_that_was_asked_for_is_found(runs: SqlRuns, journal: SqlJournal) -> None:
    claim, _ = await running(runs, journal, owner=ELSEWHERE)
    other, _ = await running(runs, journal, owner=ELSEWHERE)
    assert await runs.cancel_requested([claim.run_id, other.run_id]) == set()
    await runs.request_cancel(claim.run_id)
    assert await runs.cancel_requested([claim.run_id, other.run_id]) == {claim.run_id}
    assert await runs.cancel_requested([]) == set()


async def test_of_many_that_claim_at_once_one_gets_it(runs: SqlRuns) -> None:
    run_id = await queued(runs)
    outcomes = await asyncio.gather(*(runs.claim(run_id, owner_id()) for _ in range(10)), return_exceptions=True)
    assert sum(isinstance(outcome, RunClaim) for outcome in outcomes) == 1
    assert sum(isinstance(outcome, Conflict) for outcome in outcomes) == 9


async def test_a_waiting_run_is_free_and_a_terminal_one_is_nobodys(runs: SqlRuns, journal: SqlJournal) -> None:
    claim, seq = await running(runs, journal)
    await journal.append(claim, seq, [answer()], RunUpdate(status="waiting_input"))
    first, second = await asyncio.gather(runs.claim(claim.run_id, "a"), runs.claim(claim.run_id, "b"))
    assert {first.epoch, second.epoch} == {claim.epoch + 1, claim.epoch + 2}
    last = max(first, second, key=lambda claim: claim.epoch)
    await journal.append(last, seq + 1, [answer()], RunUpdate(status="failed"))
    for takeover in (False, True):
        with pytest.raises(Conflict, match="failed"):
            await runs.claim(claim.run_id, "me", takeover=takeover)


async def test_orphans_are_what_nobody_runs(runs: SqlRuns, journal: SqlJournal, database: Database) -> None:
    new = await queued(runs)
    alive, _ = await running(runs, journal)
    silent, _ = await running(runs, journal, owner=ELSEWHERE)
    released, _ = await running(runs, journal)
    dead_pid, _ = await running(runs, journal, owner=f"{owner_id().split(':')[0]}:4194304:gone")
    waiting, seq = await running(runs, journal)
    await journal.append(waiting, seq, [answer()], RunUpdate(status="waiting_input"))
    await runs.release(released)
    await age_heartbeat(database, silent.run_id, 30)
    found = [run.run_id for run in await runs.orphans(20)]
    assert found == [new, silent.run_id, released.run_id, dead_pid.run_id]
    assert silent.run_id not in {run.run_id for run in await runs.orphans(60)}
    assert alive.run_id not in found


async def test_a_process_of_this_host_has_ten_seconds_at_least(
    runs: SqlRuns, journal: SqlJournal, database: Database
) -> None:
    """On a loaded machine even the thread that beats may wait; beyond, one that exists has no privilege."""
    busy, _ = await running(runs, journal)
    elsewhere, _ = await running(runs, journal, owner=ELSEWHERE)
    for silence, orphans in ((8, [elsewhere.run_id]), (12, [busy.run_id, elsewhere.run_id])):
        for claim in (busy, elsewhere):
            await age_heartbeat(database, claim.run_id, silence)
        assert [run.run_id for run in await runs.orphans(2)] == orphans
    await age_heartbeat(database, busy.run_id, 19)
    assert busy.run_id not in {run.run_id for run in await runs.orphans(20)}


async def test_a_run_that_rests_is_cancelled_at_once(runs: SqlRuns, journal: SqlJournal) -> None:
    resting = await queued(runs)
    claim, seq = await running(runs, journal)
    await journal.append(claim, seq, [answer()], RunUpdate(status="waiting_input"))
    for run_id in (resting, claim.run_id):
        before = await runs.get(run_id)
        record = await runs.request_cancel(run_id)
        assert (record.status, record.seq, record.epoch) == ("cancelled", before.seq + 1, before.epoch + 1)
        events = await journal.read(run_id)
        assert [event.seq for event in events] == list(range(1, record.seq + 1))
        assert events[-1].type == "run_cancelled"
        assert await runs.request_cancel(run_id) == record
    with pytest.raises(StaleOwner):
        await journal.append(claim, seq + 1, [answer()], RunUpdate(status="running"))


async def test_a_run_at_work_is_asked_to_stop(runs: SqlRuns, journal: SqlJournal, database: Database) -> None:
    claim, seq = await running(runs, journal, owner=ELSEWHERE)
    record = await runs.request_cancel(claim.run_id)
    assert (record.status, record.cancel_requested, record.seq, record.epoch) == ("running", True, seq, claim.epoch)
    await age_heartbeat(database, claim.run_id, 100)
    assert (await runs.request_cancel(claim.run_id)).status == "cancelled"


async def test_spending_is_summed_over_all_runs_since_a_moment(runs: SqlRuns, journal: SqlJournal) -> None:
    def charge(usd: float | None) -> BudgetCharged:
        return BudgetCharged(tokens=1, cost_usd=usd, total_tokens=1, total_usd=usd)

    start = datetime.now(UTC)
    assert await runs.spent_since(start) == 0.0
    for _ in range(2):
        claim, seq = await running(runs, journal)
        await journal.append(claim, seq, [answer(), charge(0.25), answer(), charge(None)])
    middle = datetime.now(UTC)
    await journal.append(claim, seq + 4, [charge(1.0)])
    assert await runs.spent_since(start) == pytest.approx(1.5)
    assert await runs.spent_since(middle) == pytest.approx(1.0)
    assert await runs.spent_since(datetime.now(UTC)) == 0.0
    record = await runs.get(claim.run_id)
    assert await runs.spent_in(record.session_id) == pytest.approx(1.5)
    assert await runs.spent_in("another") == 0.0


class Clock(datetime):
    """This process's clock, half a minute ahead."""

    @classmethod
    def now(cls, tz=None):
        return datetime.now(tz) + timedelta(seconds=30)


async def test_a_clock_that_is_ahead_steals_nothing(
    runs: SqlRuns, journal: SqlJournal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Leases are measured by the database's clock alone, and renewed by it."""
    claims = [(await running(runs, journal, owner=ELSEWHERE))[0] for _ in range(20)]
    for name, module in list(sys.modules.items()):
        if name.startswith("loopwright.stores") and getattr(module, "datetime", None) is datetime:
            monkeypatch.setattr(module, "datetime", Clock)
    assert await runs.orphans(20) == []
    for claim in claims:
        with pytest.raises(Conflict, match="being run by"):
            await runs.claim(claim.run_id, "me:1:1")
        assert (await runs.get(claim.run_id)).owner_alive


DEAD = f"{owner_id().split(':')[0]}:4194304:gone"
"""A process of this host that has ended."""


async def test_each_owner_that_dies_at_work_is_counted(runs: SqlRuns, journal: SqlJournal) -> None:
    claim, _ = await running(runs, journal, owner=DEAD)
    for deaths in (1, 2, 3):
        claim = await runs.claim(claim.run_id, DEAD + str(deaths))
        assert claim.deaths == deaths
    assert (await runs.get(claim.run_id)).deaths == 3


async def test_owners_that_gave_the_run_up_are_no_deaths(runs: SqlRuns, journal: SqlJournal) -> None:
    """An orderly stop, a takeover, a cancellation that was asked for, the same owner again, a human's answer."""
    released, _ = await running(runs, journal, owner=DEAD)
    await runs.release(released)
    assert (await runs.claim(released.run_id, "me")).deaths == 0
    alive, _ = await running(runs, journal, owner=ELSEWHERE)
    assert (await runs.claim(alive.run_id, "me", takeover=True)).deaths == 0
    cancelled, _ = await running(runs, journal, owner=ELSEWHERE)
    await runs.request_cancel(cancelled.run_id)
    assert (await runs.claim(cancelled.run_id, DEAD, takeover=True)).deaths == 0
    assert (await runs.claim(cancelled.run_id, "me")).deaths == 0
    again, _ = await running(runs, journal, owner=DEAD)
    assert (await runs.claim(again.run_id, DEAD)).deaths == 0
    waiting, seq = await running(runs, journal, owner=DEAD)
    await journal.append(waiting, seq, [answer()], RunUpdate(status="waiting_input"))
    assert (await runs.claim(waiting.run_id, "me")).deaths == 0


MOVED = StageChanged.model_validate({"from": "a", "to": "b", "reason": "done"})


@pytest.mark.parametrize(
    ("between", "counted"),
    [
        ([], [1, 2, 3]),
        ([answer()], [1, 2, 3]),
        ([answer()] * 19, [1, 2, 3]),
        ([answer()] * 20, [1, 1, 1]),
        ([MOVED], [1, 1, 1]),
    ],
)
async def test_counting_begins_anew_after_twenty_steps_or_a_new_stage(
    runs: SqlRuns, journal: SqlJournal, between: list[Payload], counted: list[int]
) -> None:
    """A run that kills every few steps is counted; one that outlives power cuts and gets ahead is not."""
    claim, seq = await running(runs, journal, owner=DEAD)
    deaths = []
    for number in range(len(counted)):
        claim = await runs.claim(claim.run_id, f"{DEAD}-{number}")
        deaths.append(claim.deaths)
        if between:
            seq = (await journal.append(claim, seq, between)).events[-1].seq
    assert deaths == counted


async def test_a_parked_run_belongs_to_nobody_and_tries_once_more_when_told_to(
    runs: SqlRuns, journal: SqlJournal
) -> None:
    claim, seq = await running(runs, journal, owner=DEAD)
    for _ in range(3):
        claim = await runs.claim(claim.run_id, claim.owner + "x")
    await journal.append(claim, seq, [RunParked(deaths=3, doing="")], RunUpdate(status="parked"))
    assert (await runs.get(claim.run_id)).owner is None
    assert await runs.orphans(0) == []
    with pytest.raises(Conflict, match="parked: 3 owners"):
        await runs.claim(claim.run_id, "me")
    claim = await runs.claim(claim.run_id, DEAD, anyway=True)
    assert claim.deaths == 2
    await journal.append(claim, seq + 1, [RunResumed(owner="me", reason="anyway")], RunUpdate(status="running"))
    assert (await runs.claim(claim.run_id, "me")).deaths == 3
