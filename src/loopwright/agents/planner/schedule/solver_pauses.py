"""Pauses where breaks have no length: any idle slot ends a stretch of work."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from loopwright.agents.planner.schedule.axis import Slots
from loopwright.agents.planner.schedule.case import Case

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel


@dataclass
class _Stretch:
    """Slots in a row that may all be worked in; in those of `free` one may also pause."""

    first: int
    end: int
    free: list[Slots]
    is_open: bool = True
    """Whether slots that follow go on with it."""


def add_pauses(case: Case, cp: "CpModel") -> list[Any]:
    """State that no stretch of work is longer than allowed, where breaks have no length.

    Returns:
        Idle slots, to be kept apart from the work.
    """
    most = case.pause_after
    if most is None:
        return []
    found: list[Any] = []
    for stretch in _stretches(case):
        if stretch.end - stretch.first > most and stretch.free:
            found += _pauses(stretch, most, cp)
    return found


def _pauses(stretch: _Stretch, most: int, cp: "CpModel") -> list[Any]:
    """Idle slots at most so far apart; those that are not needed lie, without length, at the end."""
    from ortools.sat.python.cp_model import Domain

    first, end = stretch.first, stretch.end
    domain = Domain.from_intervals([*([a, b - 1] for a, b in stretch.free), [end, end]])
    found: list[Any] = []
    before: Any = first - 1
    for number in range(2 * (end - first) // (most + 1) + 1):
        at = cp.new_int_var_from_domain(domain, "")
        cp.add(at <= before + 1 + most)
        cp.add(at >= before)
        inside = cp.new_bool_var("")
        cp.add(at <= end - 1).only_enforce_if(inside)
        cp.add(at == end).only_enforce_if(~inside)
        found.append(cp.new_optional_fixed_size_interval_var(at, 1, inside, ""))
        if number:
            cp.add(at >= before + 1).only_enforce_if(inside)
        before = at
    cp.add(before >= end - 1 - most)
    return found


def _stretches(case: Case) -> list[_Stretch]:
    """Free stretches, with the locked work that they touch."""
    parts = [_Stretch(a, b, [(a, b)]) for a, b in case.axis.free]
    joins = {(run.first, run.end): run for run in case.locked_runs}
    parts += [_Stretch(run.first, run.end, [], run.joins_after) for run in case.locked_runs]
    found: list[_Stretch] = []
    for part in sorted(parts, key=lambda part: part.first):
        run = None if part.free else joins[part.first, part.end]
        last = found[-1] if found else None
        if last is not None and last.is_open and last.end == part.first and (run is None or run.joins_before):
            found[-1] = _Stretch(last.first, part.end, last.free + part.free, part.is_open)
        else:
            found.append(part)
    return found
