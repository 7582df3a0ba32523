"""A minimal set of tasks and links that has no schedule, where no simpler cause was found.

CP-SAT names assumptions that suffice; they are neither minimal nor beyond doubt. So the set is solved again by itself,
and each member is left out in turn: what is still infeasible without it does not need it.
"""

from dataclasses import dataclass, replace
from time import monotonic

from loopwright.agents.planner.schedule.bounds import compute_bounds, own_bounds
from loopwright.agents.planner.schedule.case import build_case, in_words
from loopwright.agents.planner.schedule.certificates.explaining import explain_case
from loopwright.agents.planner.schedule.certificates.pairs import lasting, listed
from loopwright.agents.planner.schedule.problem import Cause, Link, Problem, Span, Task
from loopwright.agents.planner.schedule.solver_model import build_model
from loopwright.agents.planner.schedule.solver_search import attempt, new_solver

ONE_TEST = 1.0
"""Seconds for one try of leaving something out, at least."""
PART = 0.05
"""Of all the time, that one try may take."""
MINIMAL = "Without any one of them the others fit."
NOT_MINIMAL = "Fewer of them may be enough: there was no time to settle it."


def find_core(problem: Problem, seconds: float, seed: int = 0) -> Cause:
    """The cause of a problem that the solver has proved infeasible.

    Args:
        problem: without a schedule.
        seconds: for making the set small; it is a proof anyway.
        seed: of the solver.
    """
    core = _assumed(problem, seconds / 3, seed)
    if core is not problem and attempt(core, max(ONE_TEST, seconds / 3), seed).status != "infeasible":
        core = problem
    filtered = _Filter(core, monotonic() + seconds, max(ONE_TEST, PART * seconds), seed)
    filtered.leave_out_tasks()
    filtered.leave_out_links()
    core = filtered.core
    case = build_case(core)
    cause = explain_case(case, compute_bounds(case))
    return replace(cause, found_before_solver=False) if cause is not None else _told(core, filtered.is_minimal)


def _told(core: Problem, is_minimal: bool) -> Cause:
    titles = [task.title for task in core.tasks]
    first = min([task.earliest or core.start for task in core.tasks] or [core.start])
    end = max([task.latest or core.end for task in core.tasks] or [core.end])
    needed = sum(task.minutes for task in core.tasks)
    links = f" and the {len(core.links)} links between them" if len(core.links) > 1 else " and the link between them"
    least = MINIMAL if is_minimal else NOT_MINIMAL
    text = (
        f"{listed(titles)}{links if core.links else ''} cannot all hold between {in_words(first, core)} and "
        f"{in_words(end, core)}: every order of the work ({lasting(needed)}) was ruled out. {least}"
    )
    return Cause("core", text, tuple(task.id for task in core.tasks), Span(first, end), needed, None, False)


def _assumed(problem: Problem, seconds: float, seed: int) -> Problem:
    """The part of the problem that CP-SAT names; the whole where it names none in time."""
    from ortools.sat.python import cp_model

    case = build_case(problem)
    model = build_model(case, own_bounds(case), options=True)
    if not model.complete:
        return problem
    model.cp.add_assumptions([*model.present.values(), *model.linked.values()])
    solver = new_solver(max(0.1, seconds), seed, workers=1)
    if solver.solve(model.cp) != cp_model.INFEASIBLE:
        return problem
    named = set(solver.sufficient_assumptions_for_infeasibility())
    tasks = {index for index, literal in model.present.items() if literal.index in named}
    links = tuple(link for n, link in enumerate(problem.links) if model.linked[n].index in named)
    ids = {case.works[index].task.id for index in tasks} | {end for link in links for end in (link.before, link.after)}
    kept = tuple(task for task in problem.tasks if task.id in ids or task.locked)
    return replace(problem, tasks=kept, links=links)


def _less(problem: Problem, tasks: tuple[Task, ...], links: tuple[Link, ...]) -> Problem:
    ids = {task.id for task in tasks}
    return replace(problem, tasks=tasks, links=tuple(li for li in links if {li.before, li.after} <= ids))


@dataclass
class _Filter:
    """A deletion filter: what is still infeasible without a member does not need it.

    `is_minimal` is false as soon as it was not settled of some member whether it is needed.
    """

    core: Problem
    until: float
    one_test: float
    seed: int
    is_minimal: bool = True

    def leave_out_tasks(self) -> None:
        """In halves at first, then one by one."""
        size = max(1, len(self.core.tasks) // 2)
        while size:
            at = 0
            while at < len(self.core.tasks):
                kept = self.core.tasks[:at] + self.core.tasks[at + size :]
                if not (kept and self._needless(_less(self.core, kept, self.core.links), settle=size == 1)):
                    at += size
            size //= 2

    def leave_out_links(self) -> None:
        """One by one."""
        for link in self.core.links:
            kept = tuple(other for other in self.core.links if other is not link)
            self._needless(replace(self.core, links=kept), settle=True)

    def _needless(self, less: Problem, settle: bool) -> bool:
        """Go on with less, where that is proved infeasible too."""
        left = self.until - monotonic()
        status = attempt(less, min(self.one_test, left), self.seed).status if left > 0 else "unknown"
        if status == "infeasible":
            self.core = less
        elif settle and status == "unknown":
            self.is_minimal = False
        return status == "infeasible"
