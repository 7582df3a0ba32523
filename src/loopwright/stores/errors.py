"""What can go wrong with a store, beyond what the kernel's errors name."""

from loopwright.kernel.errors import LoopwrightError


class StoreUnavailable(LoopwrightError):
    """The database cannot be used now: locked, unreachable, full, or already closed."""

    code = "store_unavailable"
