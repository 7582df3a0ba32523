"""The runs that this process owns: their leases are renewed while it lives, and given up in order."""

import asyncio
import logging
from datetime import UTC, datetime

from loopwright.engine.heart import LEASE_BEATS, Heart
from loopwright.kernel.errors import StoreUnavailable
from loopwright.kernel.ports import Claim, Runs

log = logging.getLogger(__name__)


class Ownership:
    """Claims, and the heart that beats for them."""

    def __init__(self, runs: Runs, owner: str, heartbeat_seconds: float) -> None:
        """Nothing beats before `start`."""
        self._runs = runs
        self._owner = owner
        self._held: dict[str, Claim] = {}
        self._unreleased: list[Claim] = []
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

    async def claim(self, run_id: str) -> Claim:
        """Become the run's owner.

        Raises:
            Conflict: the run is terminal or parked, or another owner lives.
        """
        claim = await self._runs.claim(run_id, self._owner)
        self.hold(claim)
        return claim

    def hold(self, claim: Claim) -> None:
        """Renew the lease of this claim from now on."""
        self._held[claim.run_id] = claim

    async def release(self, claim: Claim) -> None:
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
