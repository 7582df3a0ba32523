"""Runs in this process: one asyncio task per segment, and a heartbeat that tells other processes to keep away."""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime

from loopwright.engine.broadcast import Broadcast
from loopwright.kernel.crash import crash_point
from loopwright.kernel.errors import Conflict, JournalUnavailable, StaleOwner
from loopwright.kernel.loop import conclude, run_agentic_loop
from loopwright.kernel.outcomes import Failed, Outcome
from loopwright.kernel.ports import Claim, Journal, RunRecord, Runs
from loopwright.kernel.run import AgentRun
from loopwright.kernel.run_states import TERMINAL
from loopwright.kernel.state import RunState

log = logging.getLogger(__name__)

LISTEN_SECONDS = 0.5
"""How often cancellations that other processes ask for are looked for: a user should not wait longer than a second."""

BuildRun = Callable[[RunState, Claim], Awaitable[AgentRun]]
"""Puts a run together from its state: toolbox, model, services, budget."""


class LocalDispatcher:
    """The default `Dispatcher`.

    A waiting run holds no task and no memory here. `heartbeat_seconds` is how often ownership is renewed.
    """

    def __init__(
        self,
        runs: Runs,
        journal: Journal,
        build: BuildRun,
        broadcast: Broadcast,
        owner: str,
        heartbeat_seconds: float = 5.0,
    ) -> None:
        """Nothing runs before `dispatch`."""
        self._runs = runs
        self._journal = journal
        self._build = build
        self._broadcast = broadcast
        self._owner = owner
        self._heartbeat_seconds = heartbeat_seconds
        self._live: dict[str, AgentRun] = {}
        self._tasks: dict[str, asyncio.Task[Outcome | None]] = {}
        self._chores: list[asyncio.Task[None]] = []
        self._recovers = False

    def dispatch(self, run_id: str, claim: Claim | None = None, reason: str = "dispatched") -> None:
        """Carry the run on in a task of its own.

        Without a claim a run that executes here is left alone; with one, the segment that held the former claim ends
        first.
        """
        before = self._tasks.get(run_id)
        if before is not None and not before.done() and claim is None:
            return
        task = asyncio.create_task(self._drive_logged(run_id, claim, reason, before), name=f"run-{run_id}")
        self._tasks[run_id] = task
        task.add_done_callback(lambda done: self._forget(run_id, done))

    def _forget(self, run_id: str, task: asyncio.Task[Outcome | None]) -> None:
        if self._tasks.get(run_id) is task:
            del self._tasks[run_id]

    async def _drive_logged(
        self, run_id: str, claim: Claim | None, reason: str, before: asyncio.Task[Outcome | None] | None
    ) -> Outcome | None:
        if before is not None:
            await asyncio.wait({before})
        try:
            return await self.drive(run_id, claim, reason)
        except Conflict as conflict:
            log.info("run %s is not taken: %s", run_id, conflict.message)
            return None

    async def drive(self, run_id: str, claim: Claim | None = None, reason: str = "dispatched") -> Outcome | None:
        """Carry the run from here to its end or to a gate.

        Raises:
            Conflict: the run is terminal, or another owner lives.
        """
        claim = claim or await self._runs.claim(run_id, self._owner)
        crash_point("run.claimed")
        self._start_heart()
        try:
            state = RunState.fold(run_id, await self._journal.read(run_id))
            run = await self._build(state, claim)
            self._live[run_id] = run
            if state.status != "running" or reason != "answered":
                await run.enter(reason)
            return await run_agentic_loop(run)
        except StaleOwner:
            log.warning("run %s was taken over by another owner", run_id)
            return None
        except JournalUnavailable:
            log.exception("run %s stops here: its journal cannot be written; it can be resumed", run_id)
            return None
        except Exception as error:
            log.exception("run %s failed unexpectedly", run_id)
            return await self._fail(run_id, claim, error)
        finally:
            self._live.pop(run_id, None)
            with contextlib.suppress(StaleOwner):
                await self._runs.release(claim)

    async def _fail(self, run_id: str, claim: Claim, error: Exception) -> Outcome | None:
        """Write down that the program broke; the state is folded anew, since the one in memory may be ahead."""
        outcome = Failed(
            "internal",
            f"The run broke on {type(error).__name__}: {error}"[:1_000],
            hint="The log has the traceback; everything done before is kept.",
        )
        state = RunState.fold(run_id, await self._journal.read(run_id))
        if state.status in TERMINAL:
            return None
        try:
            run = await self._build(state, claim)
            await conclude(run, outcome)
        except (StaleOwner, JournalUnavailable):
            log.exception("the end of run %s could not be written", run_id)
            return None
        return outcome

    def cancel(self, run_id: str) -> None:
        """Stop the run: calls and model calls under way are cancelled."""
        if run_id in self._live:
            self._live[run_id].cancel()

    async def recover(self) -> list[str]:
        """Take over the runs of dead owners, now and at every later heartbeat; living owners refuse the claim."""
        self._recovers = True
        self._start_heart()
        taken = []
        for record in await self._runs.orphans(4 * self._heartbeat_seconds):
            if record.run_id in self._tasks or self._just_created(record):
                continue
            try:
                claim = await self._runs.claim(record.run_id, self._owner)
            except Conflict:
                continue  # somebody was quicker
            self.dispatch(record.run_id, claim, "recovered after a crash")
            taken.append(record.run_id)
        return taken

    def _just_created(self, record: RunRecord) -> bool:
        """Whether the process that created the run is most likely about to take it itself."""
        age = (datetime.now(UTC) - record.created_at).total_seconds()
        return record.status == "queued" and age < self._heartbeat_seconds

    def _start_heart(self) -> None:
        if not self._chores:
            self._chores = [
                asyncio.create_task(self._beat(), name="heartbeat"),
                asyncio.create_task(self._listen(), name="cancellations"),
            ]

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(self._heartbeat_seconds)
            try:
                if self._live:
                    await self._runs.heartbeat(self._owner, list(self._live))
                if self._recovers:
                    await self.recover()
            except Exception:  # the database may be away for a moment; a lost claim shows itself at the next append
                log.exception("heartbeat failed; trying again in %s s", self._heartbeat_seconds)

    async def _listen(self) -> None:
        while True:
            await asyncio.sleep(LISTEN_SECONDS)
            if not self._live:
                continue
            try:
                for run_id in await self._runs.cancel_requested(list(self._live)):
                    self.cancel(run_id)
            except Exception:  # as above; the flag stays until somebody looks
                log.exception("cannot look for cancellations; trying again in %s s", LISTEN_SECONDS)

    async def wait(self, run_id: str) -> Outcome | None:
        """The outcome of a run dispatched here; None when it is not running here. Who stops waiting stops no run."""
        task = self._tasks.get(run_id)
        return await asyncio.shield(task) if task is not None else None

    async def close(self) -> None:
        """Stop everything; a run under way keeps its state and can be resumed."""
        tasks = [*self._tasks.values(), *self._chores]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


__all__ = ["Broadcast", "BuildRun", "LocalDispatcher"]
