"""Runs whose owner has died: carried on apart from all others, and parked when it happens again and again."""

import asyncio
import logging
import multiprocessing
from collections.abc import Awaitable, Callable
from multiprocessing.context import ForkServerProcess
from typing import Any

from loopwright.engine.ownership import Ownership
from loopwright.kernel.errors import Conflict
from loopwright.kernel.events import RunParked
from loopwright.kernel.ports import Journal, RunClaim, Runs, RunUpdate
from loopwright.kernel.state import MOST_DEATHS, RunState, under_way

# --------------------------------------------------------------------------------------------------------------------
# Runs in a process of their own: what kills it takes no other run along.
# --------------------------------------------------------------------------------------------------------------------

log = logging.getLogger(__name__)

AT_ONCE = 4
"""Processes at once: each holds a database connection and the memory of a whole program."""

STOP_SECONDS = 5.0
"""How long a process may take to end in order when it is asked to."""


class Isolation:
    """Carries runs on in children of a fork server: a fresh interpreter would cost a second of work each."""

    def __init__(self, entry: Callable[..., None], *arguments: Any) -> None:
        """Nothing is started yet.

        Args:
            entry: a function of a module; called in the child with the arguments, a run's id and the reason. It
                becomes the run's owner, and returns when the run rests.
            arguments: must be picklable.
        """
        self._entry = entry
        self._arguments = arguments
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload([entry.__module__])
        self._places = asyncio.Semaphore(AT_ONCE)

    async def __call__(self, run_id: str, reason: str) -> None:
        """Carry the run on in a process of its own until that ends; when cancelled, stop it in order."""
        async with self._places:
            child = self._context.Process(
                target=self._entry, args=(*self._arguments, run_id, reason), name=f"loopwright-run-{run_id}"
            )
            await asyncio.to_thread(child.start)  # the first start brings the fork server up
            try:
                await _ended(child)
            except asyncio.CancelledError:
                await asyncio.to_thread(_stop, child)
                raise
            if child.exitcode:
                log.warning("the process of run %s has died (exit code %s)", run_id, child.exitcode)
            child.close()


async def _ended(child: ForkServerProcess) -> None:
    over = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_reader(child.sentinel, over.set)
    try:
        await over.wait()
    finally:
        loop.remove_reader(child.sentinel)
    child.join()


def _stop(child: ForkServerProcess) -> None:
    child.terminate()
    child.join(STOP_SECONDS)
    if child.exitcode is None:
        child.kill()
        child.join()


Isolate = Callable[[str, str], Awaitable[None]]
"""Carries a run (its id, the reason) on in a process of its own, and returns when that has ended."""


class Suspects:
    """What is done with a run that may have killed its owner."""

    def __init__(self, runs: Runs, journal: Journal, ownership: Ownership, isolate: Isolate | None) -> None:
        """Without `isolate` such runs execute in this process, like all others."""
        self._runs = runs
        self._journal = journal
        self._ownership = ownership
        self._isolate = isolate

    async def take(self, claim: RunClaim, reason: str, *, wary: bool) -> bool:
        """Deal with a run that is suspect, or of which the caller is `wary`; False: it is to be carried on here.

        Raises:
            StaleOwner: somebody else has taken the run meanwhile.
            StoreUnavailable: the store cannot be used now.
        """
        if claim.deaths >= MOST_DEATHS:
            await self._park(claim)
            return True
        if self._isolate is None or not (wary or claim.deaths):
            return False
        await self._carry_on_apart(self._isolate, claim, reason)
        return True

    async def _carry_on_apart(self, isolate: Isolate, claim: RunClaim, reason: str) -> None:
        """Let a process of its own carry the run on; each one that dies is counted, and the last one parks the run."""
        try:
            while claim.deaths < MOST_DEATHS:
                # While the run waits for a place it is nobody's: this process may die of another one.
                await self._ownership.release(claim)
                await self._until_over(asyncio.ensure_future(isolate(claim.run_id, reason)), claim)
                record = await self._runs.get(claim.run_id)
                if record.epoch == claim.epoch:
                    log.error("the process for run %s could not take it; it is left to others", claim.run_id)
                    await asyncio.sleep(self._ownership.lease_seconds)  # not at once again and again
                    return
                if record.status not in ("queued", "running") or record.owner is None or record.owner_alive:
                    return  # it rests, or was given up in order, or is somebody else's
                try:
                    claim = await self._ownership.claim(claim.run_id)
                except Conflict as conflict:
                    log.info("another process was quicker: %s", conflict.message)
                    return
                reason = "recovered after a crash"
            await self._park(claim)
        finally:
            await self._ownership.release(claim)

    async def _until_over(self, isolated: asyncio.Future[None], claim: RunClaim) -> None:
        """Wait for the process; one that hangs, so that its lease expires, is ended."""
        try:
            while not isolated.done():
                await asyncio.wait({isolated}, timeout=self._ownership.lease_seconds)
                record = await self._runs.get(claim.run_id)
                if record.epoch != claim.epoch and record.owner is not None and not record.owner_alive:
                    break
        finally:
            isolated.cancel()
            await asyncio.wait({isolated})

    async def _park(self, claim: RunClaim) -> None:
        """Let the run rest. It is not put together for that: its services may be what kills."""
        state = RunState.fold(claim.run_id, await self._journal.read(claim.run_id))
        parked = RunParked(deaths=claim.deaths, doing=under_way(state))
        await self._journal.append(claim, state.seq, [parked], RunUpdate(status="parked"))
        log.error("run %s is parked: %s owners in a row died (%s)", claim.run_id, claim.deaths, parked.doing)
