"""Runs in this process: one asyncio task per segment, so many at once, and fair between sessions."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime

from loopwright.engine.drafts import Broadcast
from loopwright.engine.ownership import FairSlots, Isolate, Ownership, Suspects
from loopwright.kernel.crash import crash_point
from loopwright.kernel.errors import Conflict, JournalUnavailable, NotFound, StaleOwner, StoreUnavailable
from loopwright.kernel.gates import Failed, Outcome
from loopwright.kernel.loop import conclude, run_agentic_loop
from loopwright.kernel.ports import OUTAGE_SECONDS, Journal, RunClaim, RunRecord, Runs
from loopwright.kernel.run import AgentRun
from loopwright.kernel.state import TERMINAL, RunState

log = logging.getLogger(__name__)

LISTEN_SECONDS = 0.5
"""How often cancellations that other processes ask for are looked for: a user should not wait longer than a second."""

STORE_RETRY_SECONDS = 1.0
"""How long a run waits before it goes on from its journal after the store was away."""

RUNS_AT_ONCE = 64
"""Runs that a process executes at once, where the settings say nothing else."""

BuildRun = Callable[[RunState, RunClaim], Awaitable[AgentRun]]
"""Puts a run together from its state: toolbox, model, services, budget."""


class LocalDispatcher:
    """Executes segments of runs in this process: from a claim to a gate or to the end.

    A waiting run holds no task and no memory here. `heartbeat_seconds` is how often ownership is renewed.

    Args:
        isolate: how a run is carried on whose owner has died; without it such runs execute here like all others.
        runs_at_once: how many runs that were dispatched execute at once; the others wait their turn.
    """

    def __init__(
        self,
        runs: Runs,
        journal: Journal,
        build: BuildRun,
        broadcast: Broadcast,
        owner: str,
        heartbeat_seconds: float = 5.0,
        *,
        runs_at_once: int = RUNS_AT_ONCE,
        isolate: Isolate | None = None,
    ) -> None:
        """Nothing runs before `dispatch`."""
        self._runs = runs
        self._journal = journal
        self._build = build
        self._broadcast = broadcast
        self._heartbeat_seconds = heartbeat_seconds
        self._slots = FairSlots(runs_at_once)
        self._live: dict[str, AgentRun] = {}
        self._tasks: dict[str, asyncio.Task[Outcome | None]] = {}
        self._not_for_us: set[str] = set()
        self._ownership = Ownership(runs, owner, heartbeat_seconds)
        self._suspects = Suspects(runs, journal, self._ownership, isolate)
        self._chores: list[asyncio.Task[None]] = []
        self._recovers = False
        self._wary = False

    def dispatch(self, run_id: str, claim: RunClaim | None = None, reason: str = "dispatched") -> None:
        """Carry the run on in a task of its own, as soon as there is a place for it.

        Without a claim a run that executes here is left alone; with one, the segment that held the former claim ends
        first.
        """
        self._dispatch(run_id, claim, reason)

    def _dispatch(self, run_id: str, claim: RunClaim | None, reason: str, *, recovered: bool = False) -> None:
        before = self._tasks.get(run_id)
        if before is not None and not before.done() and claim is None:
            return
        if claim is not None:
            self._ownership.hold(claim)
        work = self._in_turn(run_id, claim, reason, before, recovered)
        task = asyncio.create_task(work, name=f"run-{run_id}")
        self._tasks[run_id] = task
        task.add_done_callback(lambda done: self._forget(run_id, done))

    def _forget(self, run_id: str, task: asyncio.Task[Outcome | None]) -> None:
        if self._tasks.get(run_id) is task:
            del self._tasks[run_id]
        if not task.cancelled() and task.exception() is not None:
            log.error("run %s stopped here; it can be resumed", run_id, exc_info=task.exception())

    async def _in_turn(
        self,
        run_id: str,
        claim: RunClaim | None,
        reason: str,
        before: asyncio.Task[Outcome | None] | None,
        recovered: bool,
    ) -> Outcome | None:
        if before is not None:
            await asyncio.wait({before})
        try:
            session_id = ""
            if self._slots.full:
                session_id = (await self._runs.get(run_id)).session_id
                if claim is not None:  # what only waits must not die with this process
                    await self._ownership.release(claim)
                    claim = None
            async with self._slots.place(session_id):
                return await self._carry_on(run_id, claim, reason, apart=recovered and self._wary)
        except Conflict as conflict:
            log.info("run %s is not taken: %s", run_id, conflict.message)
        except StoreUnavailable as error:
            log.warning("run %s cannot be taken now: %s", run_id, error.message)
        return None

    async def drive(self, run_id: str, claim: RunClaim | None = None, reason: str = "dispatched") -> Outcome | None:
        """Carry the run from here to its end or to a gate, at once.

        Raises:
            Conflict: the run is terminal or parked, or another owner lives.
        """
        return await self._carry_on(run_id, claim, reason, apart=False)

    async def _carry_on(self, run_id: str, claim: RunClaim | None, reason: str, *, apart: bool) -> Outcome | None:
        self._start_chores()
        claim = claim or await self._ownership.claim(run_id)
        crash_point("run.claimed")
        self._ownership.hold(claim)
        try:
            if await self._suspects.take(claim, reason, wary=apart):
                return None
            return await self._segments(claim, reason)
        except StaleOwner:
            log.warning("run %s was taken over by another owner", run_id)
            return None
        except NotFound as error:  # of an agent that is gone: who has it can resume the run, and we do not try again
            log.warning("run %s cannot be carried on here: %s", run_id, error.message)
            self._not_for_us.add(run_id)
            return None
        except StoreUnavailable:
            log.exception("run %s stops here: its store cannot be used; it can be resumed", run_id)
            return None
        except Exception as error:
            log.exception("run %s failed unexpectedly", run_id)
            return await self._fail(run_id, claim, error)
        finally:
            await self._ownership.release(claim)

    async def _segments(self, claim: RunClaim, reason: str) -> Outcome | None:
        """Carry the run on; when the store was away, go on from the journal under the same claim, if it still holds.

        Appends sit an outage out themselves, with what they hold; one that has given up ends it here.
        """
        loop = asyncio.get_running_loop()
        failing_since = None
        while True:
            began = loop.time()
            try:
                return await self._segment(claim, reason)
            except JournalUnavailable:
                raise
            except StoreUnavailable as error:
                failed = loop.time()
                if failing_since is None or failed - began > OUTAGE_SECONDS:
                    failing_since = began
                if failed - failing_since > OUTAGE_SECONDS:
                    raise
                log.warning("run %s waits for its store: %s", claim.run_id, error.message)
                reason = "the store was away"
            await asyncio.sleep(STORE_RETRY_SECONDS)

    async def _segment(self, claim: RunClaim, reason: str) -> Outcome | None:
        state = RunState.fold(claim.run_id, await self._journal.read(claim.run_id))
        if state.status in TERMINAL:
            return None
        run = await self._build(state, claim)
        self._live[claim.run_id] = run
        try:
            if state.status != "running" or reason != "answered":
                await run.enter(reason)
            return await run_agentic_loop(run)
        finally:
            self._live.pop(claim.run_id, None)

    async def _fail(self, run_id: str, claim: RunClaim, error: Exception) -> Outcome | None:
        """Write down that the program broke; the state is folded anew, since the one in memory may be ahead."""
        outcome = Failed(
            "internal",
            f"The run broke on {type(error).__name__}: {error}"[:1_000],
            hint="The log has the traceback; what earlier steps changed was not taken back.",
        )
        try:
            state = RunState.fold(run_id, await self._journal.read(run_id))
            if state.status in TERMINAL:
                return None
            await conclude(await self._build(state, claim), outcome)
        except (StaleOwner, StoreUnavailable):
            log.exception("the end of run %s could not be written", run_id)
            return None
        return outcome

    def cancel(self, run_id: str) -> None:
        """Stop the run: calls and model calls under way are cancelled."""
        if run_id in self._live:
            self._live[run_id].cancel()

    async def recover(self) -> list[str]:
        """Carry on the runs of dead owners, now and at every later heartbeat; living owners refuse the claim.

        Once an owner was seen dead, what is recovered executes in processes of its own, where this one has such: which
        of the runs has killed the owner is not known yet, nor which of those that it had not begun will.
        """
        self._recovers = True
        self._start_chores()
        if not self._ownership.trusts_leases:
            return []
        orphans = await self._runs.orphans(self._ownership.lease_seconds)
        taken = self._tasks.keys() | self._not_for_us
        left = [record for record in orphans if record.run_id not in taken and not self._just_created(record)]
        if left and not self._wary:
            self._wary = any(record.owner is not None for record in left) or await self._runs.any_deaths()
        for record in left:
            self._dispatch(record.run_id, None, "recovered after a crash", recovered=True)
        return [record.run_id for record in left]

    def _just_created(self, record: RunRecord) -> bool:
        """Whether the process that created the run is most likely about to take it itself."""
        age = (datetime.now(UTC) - record.created_at).total_seconds()
        return record.status == "queued" and age < self._heartbeat_seconds

    def _start_chores(self) -> None:
        if not self._chores:
            self._ownership.start()
            self._chores = [
                asyncio.create_task(self._turn(), name="heartbeat"),
                asyncio.create_task(self._listen(), name="cancellations"),
            ]

    async def _turn(self) -> None:
        """Show the heart that the loop turns, and look for what others have left."""
        while True:
            self._ownership.turn()
            await asyncio.sleep(self._heartbeat_seconds)
            try:
                await self._ownership.release_all()
                if self._recovers:
                    await self.recover()
            except Exception as error:  # whatever it was: without this task the heart falls silent
                self._ownership.distrust_leases()
                log.warning(
                    "recovering the runs of others has failed: %s",
                    error,
                    exc_info=not isinstance(error, StoreUnavailable),
                )

    async def _listen(self) -> None:
        while True:
            await asyncio.sleep(LISTEN_SECONDS)
            if not self._live:
                continue
            try:
                for run_id in await self._runs.cancel_requested(list(self._live)):
                    self.cancel(run_id)
            except Exception as error:  # the flag stays until somebody looks
                log.warning(
                    "cancellations are not heard of: %s", error, exc_info=not isinstance(error, StoreUnavailable)
                )

    async def wait(self, run_id: str) -> Outcome | None:
        """The outcome of a run dispatched here; None when it is not running here. Who stops waiting stops no run."""
        task = self._tasks.get(run_id)
        return await asyncio.shield(task) if task is not None else None

    async def close(self) -> None:
        """Stop everything; a run under way keeps its state and can be resumed."""
        tasks: Sequence[asyncio.Task[object]] = [*self._tasks.values(), *self._chores]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._ownership.stop()


__all__ = ["Broadcast", "BuildRun", "LocalDispatcher"]
