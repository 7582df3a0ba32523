"""Why there is no schedule, without asking the solver: from what is simplest to understand to what is least."""

from collections.abc import Callable

from loopwright.agents.planner.schedule.bounds import Bounds, compute_bounds
from loopwright.agents.planner.schedule.case import Case, build_case
from loopwright.agents.planner.schedule.certificates.crowding import find_crowding
from loopwright.agents.planner.schedule.certificates.cycles import find_cycle
from loopwright.agents.planner.schedule.certificates.demand import find_demand
from loopwright.agents.planner.schedule.certificates.locks import find_locked_conflict
from loopwright.agents.planner.schedule.certificates.pairs import find_pair
from loopwright.agents.planner.schedule.certificates.reach import find_chain, find_window
from loopwright.agents.planner.schedule.certificates.rooms import Rooms
from loopwright.agents.planner.schedule.problem import Cause, Problem


def explain(problem: Problem) -> Cause | None:
    """Look for a proof that the problem has no schedule, in milliseconds.

    Returns:
        A cause that is proved, or None: then there may be a schedule or not.

    Raises:
        InvalidInput: the problem itself is malformed.
    """
    case = build_case(problem)
    return explain_case(case, compute_bounds(case))


def explain_case(case: Case, bounds: Bounds) -> Cause | None:
    """The same for a problem that is already on its axis."""
    if case.problem.mode == "manual":
        return find_locked_conflict(case)
    rooms = Rooms(case)
    checks: list[Callable[[], Cause | None]] = [
        lambda: find_cycle(case),
        lambda: find_window(case, rooms),
        lambda: find_chain(case, bounds, rooms),
        lambda: find_demand(case, bounds, rooms),
        lambda: find_crowding(case, bounds),
        lambda: find_pair(case, bounds),
        lambda: find_locked_conflict(case),
    ]
    for check in checks:
        cause = check()
        if cause is not None:
            return cause
    return None
