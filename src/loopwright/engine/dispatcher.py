"""What the app needs from whatever executes runs."""

from typing import Protocol

from loopwright.kernel.outcomes import Outcome
from loopwright.kernel.ports import RunClaim


class Dispatcher(Protocol):
    """Executes segments of runs: from a claim to a gate or to the end. The loop never knows which one it is."""

    def dispatch(self, run_id: str, claim: RunClaim | None = None, reason: str = "dispatched") -> None:
        """Carry the run on in the background; without a claim it is claimed first."""
        ...

    async def drive(self, run_id: str, claim: RunClaim | None = None, reason: str = "dispatched") -> Outcome | None:
        """Carry the run on and wait; None when somebody else owns it now."""
        ...

    def cancel(self, run_id: str) -> None:
        """Tell a run that executes here that its cancellation was asked for."""
        ...

    async def recover(self) -> list[str]:
        """Take over runs whose owner is dead; gives their ids."""
        ...

    async def close(self) -> None:
        """Stop executing; runs under way are left so that another owner can take them over."""
        ...
