"""Is there any schedule? Asked of problems that are changed to see what would help."""

from dataclasses import dataclass
from time import monotonic
from typing import Literal

from loopwright.agents.planner.schedule.bounds import compute_bounds
from loopwright.agents.planner.schedule.case import build_case
from loopwright.agents.planner.schedule.certificates.explaining import explain_case
from loopwright.agents.planner.schedule.first_places import first_places
from loopwright.agents.planner.schedule.problem import Cause, Problem
from loopwright.agents.planner.schedule.solver_search import search


@dataclass(frozen=True)
class Attempt:
    """`feasible` has a schedule, `infeasible` is proved to have none; of some such the cause is known."""

    status: Literal["feasible", "infeasible", "unknown"]
    cause: Cause | None = None


def attempt(problem: Problem, seconds: float, seed: int = 0) -> Attempt:
    """Look for any schedule: causes first, then lists with repairs, then the solver; the first answer counts."""
    until = monotonic() + seconds
    case = build_case(problem)
    bounds = compute_bounds(case)
    cause = explain_case(case, bounds)
    if cause is not None:
        return Attempt("infeasible", cause)
    if problem.mode == "manual" or not case.moving:
        return Attempt("feasible")
    if first_places(case, bounds, seed, lambda: until - monotonic())[0] is not None:
        return Attempt("feasible")
    found = search(case, bounds, None, max(0.05, until - monotonic()), seed, satisfy=True)
    if found.infeasible:
        return Attempt("infeasible")
    return Attempt("feasible" if found.places is not None else "unknown")
