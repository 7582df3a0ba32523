"""Errors, named by what the runtime does with them.

LoopwrightError
├── InvalidInput        the caller's fault: HTTP 4xx, exit 2; nothing was changed
│   ├── NotFound        404
│   └── Conflict        409: the state does not allow it (second answer, finished run …)
├── StaleOwner          another process owns the run now: this one stops without a trace
├── StoreUnavailable    the store cannot be used now; a run sits a short outage out, then stops and may be resumed
│   └── JournalUnavailable  an append failed for good: this owner stops, the run stays as it is
├── Interrupted         the user has cancelled the run: what is under way is let go
│   └── Abandoned          … and has not stopped in time: it may still do something
├── Suspended           a call made by a tool waits for a human: the tool is let go, and run again after the answer
├── Refused             a limit or a policy forbids it: the run ends `failed` with the reason
│   └── BudgetExceeded
├── ModelError          the model could not be had: the run ends `failed`; the session goes on with a new one
│   ├── ModelUnavailable   retries and fallback are spent (transient by nature)
│   └── ModelRejected      the endpoint refused the request itself (4xx): repeating is useless
├── InvariantBroken     a promise of the program does not hold: the run ends before anything is sent
└── Misconfigured       the installation's fault: exit 2 with a hint

An expected failure of a tool is no exception but a `ToolResult`.
"""


class LoopwrightError(Exception):
    """Root of all errors of this package.

    Args:
        message: what happened, and where.
        hint: what to do next, or nothing.
    """

    code = "error"

    def __init__(self, message: str, *, hint: str = "") -> None:
        """Keep the message and the hint apart, so that surfaces can show both."""
        super().__init__(message)
        self.message = message
        self.hint = hint
        if hint:
            self.add_note(f"hint: {hint}")  # for the traceback of a program that does not catch it


class InvalidInput(LoopwrightError):
    """What the caller gave cannot be used; nothing was changed."""

    code = "invalid_input"


class NotFound(InvalidInput):
    """The named thing does not exist."""

    code = "not_found"


class Conflict(InvalidInput):
    """The state of the thing does not allow this now."""

    code = "conflict"


class InvariantBroken(LoopwrightError):
    """Something that must always hold does not: the program is wrong, and stops before it does harm."""

    code = "invariant_broken"


class Misconfigured(LoopwrightError):
    """A setting is missing or contradictory."""

    code = "misconfigured"


class StaleOwner(LoopwrightError):
    """The fence refused an append: another owner has claimed the run."""

    code = "stale_owner"


class StoreUnavailable(LoopwrightError):
    """The database cannot be used now: locked, unreachable, full, or already closed."""

    code = "store_unavailable"


class JournalUnavailable(StoreUnavailable):
    """An append failed for another reason than the fence; `__cause__` has it."""

    code = "journal_unavailable"


class Interrupted(LoopwrightError):
    """The user has cancelled the run while something was under way."""

    code = "interrupted"


class Abandoned(Interrupted):
    """The user has cancelled, and what was under way did not stop in time."""

    code = "abandoned"


class Suspended(LoopwrightError):
    """A call that a tool has made waits for a human."""

    code = "suspended"


class Refused(LoopwrightError):
    """A limit or a policy forbids to go on."""

    code = "refused"


class Forbidden(Refused):
    """Whoever asks has no right to what is asked for."""

    code = "forbidden"


class BudgetExceeded(Refused):
    """A hard cap on tokens or money would be passed by the next call."""

    code = "budget_exceeded"


class ModelError(LoopwrightError):
    """The model gave no usable answer."""

    code = "model_error"


class ModelUnavailable(ModelError):
    """Every retry and every fallback failed for a passing reason."""

    code = "model_unavailable"


class ModelRejected(ModelError):
    """The endpoint refused the request for good (authentication, unknown model, bad request)."""

    code = "model_rejected"
