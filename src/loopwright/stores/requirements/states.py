"""The statuses of a requirement and what leads from one to another, as one table."""

from collections.abc import Mapping
from typing import Literal, get_args

from loopwright.kernel.errors import Conflict

Status = Literal["pending", "validating", "integrated", "rejected", "failed"]
STATUSES: tuple[Status, ...] = get_args(Status)

Event = Literal["claim", "take over", "release", "integrate", "reject", "fail", "retry", "withdraw"]

TRANSITIONS: Mapping[tuple[Status, Event], Status] = {
    ("pending", "claim"): "validating",
    ("validating", "take over"): "validating",
    ("validating", "release"): "pending",
    ("validating", "integrate"): "integrated",
    ("validating", "reject"): "rejected",
    ("validating", "fail"): "failed",
    ("failed", "retry"): "pending",
    ("validating", "withdraw"): "pending",
    ("integrated", "withdraw"): "pending",
    ("rejected", "withdraw"): "pending",
    ("failed", "withdraw"): "pending",
}
"""`take over` is a claim after a lease ran out; `withdraw` is a rewind of the job that claimed or settled."""

VERDICTS: Mapping[Status, Event] = {"integrated": "integrate", "rejected": "reject", "failed": "fail"}
"""What a holder may say, and the event that it is."""


def status_after(requirement_id: str, status: Status, event: Event) -> Status:
    """The status that the event leads to.

    Raises:
        Conflict: it leads nowhere from here.
    """
    target = TRANSITIONS.get((status, event))
    if target is None:
        possible = [name for (source, name) in TRANSITIONS if source == status and name != "withdraw"]
        raise Conflict(
            f"Requirement {requirement_id} is {status}; {event!r} is not possible.",
            hint=f"From {status}: {', '.join(possible)}." if possible else f"{status} is its end.",
        )
    return target


def statuses_before(event: Event) -> list[Status]:
    """The statuses from which the event leads on."""
    return [status for status, name in TRANSITIONS if name == event]
