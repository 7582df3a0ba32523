"""The runs that this process owns: their leases are renewed while it lives, and given up in order."""

import asyncio
import logging
import threading
import time
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime

from loopwright.kernel.errors import StoreUnavailable
from loopwright.kernel.ports import RunClaim, Runs

# --------------------------------------------------------------------------------------------------------------------
# The heartbeat: tells other processes that this one lives, from a thread of its own.
# --------------------------------------------------------------------------------------------------------------------

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


# --------------------------------------------------------------------------------------------------------------------
# Places for runs: so many at once in a process, given to the sessions in turn.
# --------------------------------------------------------------------------------------------------------------------


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
