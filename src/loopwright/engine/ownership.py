"""The runs that this process owns, and those whose owner has died."""

import asyncio
import logging
import multiprocessing
import threading
import time
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from multiprocessing.context import ForkServerProcess
from typing import Any

from loopwright.kernel.errors import Conflict, StoreUnavailable
from loopwright.kernel.events import RunParked
from loopwright.kernel.ports import Journal, RunClaim, Runs, RunUpdate
from loopwright.kernel.state import MOST_DEATHS, RunState, under_way

# The heartbeat: tells other processes that this one lives, from a thread of its own.

log = logging.getLogger(__name__)

LEASE_BEATS = 4
"""Beats that make a lease: three may be lost."""

HUNG_BEATS = 3
"""Beats without a turn of the event loop after which this process is taken for hung."""


class Heart:
    """Beats while the event loop turns."""

    def __init__(
        self, beat: Callable[[Sequence[str]], None], held: Callable[[], Sequence[str]], seconds: float
    ) -> None:
        """Nothing beats before `start`.

        Args:
            beat: tells the store that the owner of these runs lives; called from the thread, must not block it.
            held: the runs that this process owns; called from the thread.
            seconds: between two beats.
        """
        self._beat = beat
        self._held = held
        self._seconds = seconds
        self._turned = time.monotonic()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="loopwright-heart", daemon=True)

    def start(self) -> None:
        """Begin to beat."""
        self._thread.start()

    def turn(self) -> None:
        """The event loop has turned; to be called by it at least once per beat."""
        self._turned = time.monotonic()

    def stop(self) -> None:
        """Beat no more."""
        self._over.set()

    def _run(self) -> None:
        hung = False
        while not self._over.wait(self._seconds):
            silence = time.monotonic() - self._turned
            if silence > HUNG_BEATS * self._seconds:
                if not hung:
                    log.error("the event loop has stood still for %.1f s: this process gives its runs up", silence)
                hung = True
                continue
            hung = False
            if run_ids := self._held():
                self._beat(run_ids)


class Ownership:
    """Claims, and the heart that beats for them."""

    def __init__(self, runs: Runs, owner: str, heartbeat_seconds: float) -> None:
        """Nothing beats before `start`."""
        self._runs = runs
        self._owner = owner
        self._held: dict[str, RunClaim] = {}
        self._unreleased: list[RunClaim] = []
        self._heart = Heart(lambda ids: runs.heartbeat(owner, ids), lambda: list(self._held), heartbeat_seconds)
        self._looked_at = datetime.now(UTC)
        self._trusts_leases_from = 0.0
        self.lease_seconds = LEASE_BEATS * heartbeat_seconds

    def start(self) -> None:
        """Begin to beat; `turn` must be called from now on, at every beat."""
        self._heart.start()

    def stop(self) -> None:
        """Beat no more."""
        self._heart.stop()

    async def claim(self, run_id: str) -> RunClaim:
        """Become the run's owner.

        Raises:
            Conflict: the run is terminal or parked, or another owner lives.
        """
        claim = await self._runs.claim(run_id, self._owner)
        self.hold(claim)
        return claim

    def hold(self, claim: RunClaim) -> None:
        """Renew the lease of this claim from now on."""
        self._held[claim.run_id] = claim

    async def release(self, claim: RunClaim) -> None:
        """Give the run up; while the store is away, as soon as it is back."""
        if self._held.get(claim.run_id) == claim:
            del self._held[claim.run_id]
        self._unreleased.append(claim)
        try:
            await self.release_all()
        except StoreUnavailable as error:
            log.warning("run %s will be given up when the store is back: %s", claim.run_id, error.message)

    async def release_all(self) -> None:
        """Give up what could not be given up before.

        Raises:
            StoreUnavailable: the store is still away.
        """
        while self._unreleased:
            claim = self._unreleased.pop()
            try:
                await self._runs.release(claim)
            except BaseException:
                self._unreleased.append(claim)
                raise

    def turn(self) -> None:
        """The event loop turns. When this machine has slept meanwhile, others may just be waking up too."""
        self._heart.turn()
        now = datetime.now(UTC)
        if (now - self._looked_at).total_seconds() > self.lease_seconds:
            self.distrust_leases()
        self._looked_at = now

    def distrust_leases(self) -> None:
        """Owners could not renew their leases for a while: they get the time to do so before they count as dead."""
        self._trusts_leases_from = asyncio.get_running_loop().time() + self.lease_seconds

    @property
    def trusts_leases(self) -> bool:
        """Whether a lease that has expired tells that its owner is dead."""
        return asyncio.get_running_loop().time() >= self._trusts_leases_from


# Places for runs: so many at once in a process, given to the sessions in turn.


class FairSlots:
    """A place that becomes free goes to the session that has waited longest since it got one: none starves another."""

    def __init__(self, places: int) -> None:
        """`places` is how many may be taken at once."""
        self._free = places
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()

    @property
    def full(self) -> bool:
        """Whether the next one has to wait."""
        return self._free <= 0

    @asynccontextmanager
    async def place(self, session_id: str) -> AsyncIterator[None]:
        """A place of this session, for as long as the context is open."""
        await self._take(session_id)
        try:
            yield
        finally:
            self._give_back()

    async def _take(self, session_id: str) -> None:
        if self._free > 0:  # nobody waits while a place is free
            self._free -= 1
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(session_id, deque()).append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # the place was given at the moment of the cancellation
                self._give_back()
            raise

    def _give_back(self) -> None:
        while self._waiting:
            session_id, turns = self._waiting.popitem(last=False)
            turn = turns.popleft()
            if turns:
                self._waiting[session_id] = turns  # at the end: every other session comes first
            if not turn.done():
                turn.set_result(None)
                return
        self._free += 1


# Runs whose owner has died: carried on apart from all others, and parked when it happens again and again.
#
# Runs in a process of their own: what kills it takes no other run along.


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
