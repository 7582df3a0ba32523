"""Solves project scheduling instances: smallest makespan, or a proof that there is no schedule.

The way is that of `solver`: what can be proved without search is proved first, a list schedule gives the first answer
and the horizon, and CP-SAT closes what is left.
"""

from dataclasses import dataclass
from random import Random
from time import monotonic

from rig.patterson import Instance
from rig.rcpsp_causes import find_cause
from rig.rcpsp_lists import best_list_schedule
from rig.rcpsp_search import Search, refuted_group

from loopwright.agents.planner.schedule.problem import Cause

GROUPS = 0.15
"""Of the time, for groups of activities that have no schedule even alone."""
SAMPLES = 25
"""List schedules that are tried before the search."""


@dataclass(frozen=True)
class Project:
    """The answer for an instance: `status` as in `Answer`; `starts` by activity."""

    status: str
    starts: tuple[int, ...] = ()
    makespan: int | None = None
    bound: int = 0
    cause: Cause | None = None
    seconds: float = 0.0

    @property
    def gap(self) -> float | None:
        """(makespan − bound) / makespan, or None without a schedule."""
        return None if self.makespan is None else (self.makespan - self.bound) / max(1, self.makespan)


def solve_rcpsp(instance: Instance, seconds: float = 5.0, seed: int = 0, workers: int = 2) -> Project:
    """Find a schedule with the smallest makespan.

    Args:
        instance: what is to be scheduled.
        seconds: for everything.
        seed: of the samples and of CP-SAT.
        workers: threads of CP-SAT.

    Returns:
        The best schedule with its bound, or a proof that there is none, or `unknown`.
    """
    started = monotonic()
    cause, closure = find_cause(instance)
    if cause is not None:
        return Project("infeasible", cause=cause, seconds=monotonic() - started)
    first: list[int] | None = None
    if all(lag >= 0 for _, _, lag in instance.lags):
        first = best_list_schedule(instance, closure.tails, SAMPLES, Random(seed), closure.makespan)
    else:
        group = refuted_group(instance, closure, GROUPS * seconds, seed)
        if group is not None:
            listed = ", ".join(str(index) for index in group)
            text = f"The activities {listed} cannot keep all their time lags with the resources that there are."
            cause = Cause("core", text, tuple(str(index) for index in group), found_before_solver=False)
            return Project("infeasible", cause=cause, seconds=monotonic() - started)
    search = Search(instance, closure, started + seconds, seed, workers, first, closure.makespan)
    search.run()
    spent = monotonic() - started
    if search.refuted:
        text = "CP-SAT has proved that the time lags and the resources together leave no schedule."
        return Project("infeasible", cause=Cause("core", text, found_before_solver=False), seconds=spent)
    if search.best is None or search.end is None:
        return Project("unknown", bound=search.bound, seconds=spent)
    status = "optimal" if search.end <= search.bound else "feasible"
    return Project(status, tuple(search.best), search.end, min(search.bound, search.end), seconds=spent)
