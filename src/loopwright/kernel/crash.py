"""Named crash points: where a test may kill the process to prove that nothing is lost.

`action.effect` is for agents: a stage's own work has changed something that the journal does not know of yet.
"""

from collections.abc import Callable

CRASH_POINTS = (
    "run.created",
    "run.claimed",
    "model.answered",
    "calls.started",
    "calls.nested",
    "tool.model_answered",
    "tool.executed",
    "result.recorded",
    "gate.opened",
    "gate.answered",
    "records.absorbed",
    "action.started",
    "action.effect",
    "compaction.done",
    "run.finishing",
    "run.finished",
)

_armed: dict[str, Callable[[], None]] = {}


def arm(name: str, action: Callable[[], None], hits: int = 1) -> None:
    """Do the action when the point is reached for the `hits`-th time.

    Raises:
        ValueError: there is no crash point of this name.
    """
    if name not in CRASH_POINTS:
        raise ValueError(f"no crash point {name!r}; there are: {', '.join(CRASH_POINTS)}")
    left = hits

    def count_down() -> None:
        nonlocal left
        left -= 1
        if left == 0:
            action()

    _armed[name] = count_down


def disarm() -> None:
    """Forget every armed point."""
    _armed.clear()


def crash_point(name: str) -> None:
    """Mark a place; costs a dictionary look-up when nothing is armed."""
    if _armed and name in _armed:
        _armed[name]()
