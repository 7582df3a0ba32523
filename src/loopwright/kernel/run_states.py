"""The states of a run and the only transitions between them (spec 000, contract 3; field notes, decision 21)."""

from typing import Literal

from loopwright.kernel.errors import Conflict

RunStatus = Literal["queued", "running", "waiting_input", "parked", "completed", "failed", "cancelled"]
"""A parked run rests because its owners kept dying: only a human lets it try again."""

TRANSITIONS: dict[RunStatus, frozenset[RunStatus]] = {
    "queued": frozenset({"running", "parked", "cancelled"}),
    "running": frozenset({"waiting_input", "parked", "completed", "failed", "cancelled"}),
    "waiting_input": frozenset({"running", "failed", "cancelled"}),
    "parked": frozenset({"running", "cancelled"}),
    "completed": frozenset(),
    "failed": frozenset(),
    "cancelled": frozenset(),
}

TERMINAL: frozenset[RunStatus] = frozenset(status for status, targets in TRANSITIONS.items() if not targets)


def check_transition(run_id: str, old: RunStatus, new: RunStatus) -> None:
    """Allow the move, or say why not.

    Raises:
        Conflict: the table has no such transition.
    """
    if new not in TRANSITIONS[old]:
        raise Conflict(
            f"Run {run_id} is {old} and cannot become {new}.",
            hint="Start a new run in the same session." if old in TERMINAL else "",
        )
