"""Pauses where breaks have no length: any idle slot ends a stretch of work."""

from typing import TYPE_CHECKING, Any

from loopwright.agents.planner.schedule.case import Case

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel


def add_pauses(case: Case, cp: "CpModel") -> list[Any]:
    """State that no stretch of work is longer than allowed, where breaks have no length.

    Returns:
        Idle slots, to be kept apart from the work.
    """
    most = case.pause_after
    found: list[Any] = []
    for first, end in case.axis.free if most is not None else []:
        assert most is not None  # noqa: S101 - the loop is empty otherwise
        before: Any = first - 1
        for _ in range(2 * (end - first) // (most + 1) + 1 if end - first > most else 0):
            at = cp.new_int_var(first, end, "")
            cp.add(at <= before + 1 + most)
            cp.add(at >= before)
            inside = cp.new_bool_var("")
            cp.add(at <= end - 1).only_enforce_if(inside)
            cp.add(at == end).only_enforce_if(~inside)
            found.append(cp.new_optional_fixed_size_interval_var(at, 1, inside, ""))
            if before is not first - 1:
                cp.add(at >= before + 1).only_enforce_if(inside)
            before = at
        if end - first > most:
            cp.add(before >= end - 1 - most)
    return found
