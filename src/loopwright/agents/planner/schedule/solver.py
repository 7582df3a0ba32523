"""Schedules a problem: a first answer in milliseconds, better ones until the time ends, and how good they are."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from time import monotonic
from typing import Literal

from loopwright.agents.planner.schedule.bounds import Bounds, compute_bounds
from loopwright.agents.planner.schedule.case import Case, build_case
from loopwright.agents.planner.schedule.certificates.explaining import explain_case
from loopwright.agents.planner.schedule.certificates.words import MOST_NAMED, listed
from loopwright.agents.planner.schedule.first_places import first_places
from loopwright.agents.planner.schedule.heads import capacity_heads
from loopwright.agents.planner.schedule.lower_bound import least_cost
from loopwright.agents.planner.schedule.objective import cost
from loopwright.agents.planner.schedule.problem import Answer, Cause, Problem
from loopwright.agents.planner.schedule.recreating import recreate
from loopwright.agents.planner.schedule.relaxed_axis import RelaxedAxis
from loopwright.agents.planner.schedule.solver_limits import model_size
from loopwright.agents.planner.schedule.solver_search import search
from loopwright.agents.planner.schedule.solver_windows import improve
from loopwright.agents.planner.schedule.table import Places

SHARES = {"push": (1.0,), "hybrid": (0.85, 1.0), "relax": (0.6, 1.0), "manual": (1.0,)}
"""How much of each day a mode fills, at first; where that does not fit, the whole day."""
MOST_AT_ONCE = 150
"""Tasks that one model holds; more are improved in windows."""

MOST_LITERALS = 1_500
"""Pairs of a block and a day that a model may have before windows are tried first."""
FEW = 12
"""Tasks up to which one model is all that is needed."""
QUICK_SHARE = 0.25
"""Of the time for quick changes, before all tasks are put in one model."""
LEAST_LEFT = 1.0
"""Seconds for which a search of the whole is worth its model."""

OnAnswer = Callable[[Answer], None]


def solve(problem: Problem, *, seconds: float = 5.0, on_answer: OnAnswer | None = None, seed: int = 0) -> Answer:
    """Schedule a problem.

    Args:
        problem: what is to be scheduled. In mode `manual` only the locked tasks are placed.
        seconds: the time for everything; the first answer comes long before it.
        on_answer: told about each better answer while the search goes on, from the solver's thread.
        seed: two runs with one seed that end before the time does give the same answer.

    Returns:
        The best answer. `gap` is (objective − bound) / objective, 0 for a proved optimum; both speak about days filled
        as far as the mode fills them. An infeasible problem has its cause; one that was not settled is `unknown`.

    Raises:
        InvalidInput: the problem itself is malformed (unknown ids, durations that are not positive).
    """
    started = monotonic()
    case = build_case(problem)
    bounds = compute_bounds(case)
    cause = explain_case(case, bounds)
    if cause is not None:
        return Answer("infeasible", seconds=monotonic() - started, cause=cause)
    if problem.mode == "manual" or not case.moving:
        blocks = case.blocks({})
        return Answer("optimal", blocks, 0.0, 0.0, 0.0, monotonic() - started)
    run = _Run(started, seconds, on_answer or (lambda answer: None), seed)
    answer = None
    for share in SHARES[problem.mode]:
        narrowed = case if share == 1.0 else build_case(problem, share)
        answer = run.schedule(narrowed, bounds, last=share == 1.0)
        if answer.blocks:
            break
    if answer is None or answer.status != "infeasible":
        return answer or Answer("unknown", seconds=monotonic() - started)
    # Imported here: it asks the solver itself.
    from loopwright.agents.planner.schedule.certificates.core import find_core

    cause = find_core(problem, max(1.0, seconds - (monotonic() - started)), seed)
    return replace(answer, cause=cause, seconds=monotonic() - started)


@dataclass
class _Run:
    """One call of `solve`."""

    started: float
    seconds: float
    on_answer: OnAnswer
    seed: int

    @property
    def left(self) -> float:
        return self.started + self.seconds - monotonic()

    def answer(self, case: Case, places: Places, bound: int, proved: bool = False) -> Answer:
        value = cost(case, places)
        bound = value if proved else min(bound, value)
        gap = (value - bound) / value if value else 0.0
        status: Literal["optimal", "feasible"] = "optimal" if value == bound else "feasible"
        return Answer(status, case.blocks(places), value, bound, gap, monotonic() - self.started)

    def schedule(self, case: Case, bounds: Bounds, last: bool) -> Answer:
        """The best answer with days as full as the case says; with `last` nothing else is tried after it."""
        places, left_out = first_places(case, bounds, self.seed, lambda: self.left)
        bounds = capacity_heads(case, bounds, RelaxedAxis(case))
        bound = least_cost(case, bounds, None if places is None else cost(case, places))
        large = len(case.moving) > MOST_AT_ONCE
        if places is None:
            return self._found_late(case, bounds, left_out, bound, last) if last or not large else self._none()
        first = self.answer(case, places, bound)
        self.on_answer(first)
        if first.status == "optimal":
            return first
        if len(case.moving) > FEW:
            places = self._improved(case, bounds, places, bound, large)
            if large or self.left < LEAST_LEFT:
                return self.answer(case, places, bound)
        return self._searched(case, bounds, places, bound, self.left)

    def _found_late(self, case: Case, bounds: Bounds, left_out: list[int], bound: int, last: bool) -> Answer:
        """Where no list gives a schedule: any that the solver finds, then better ones; or a proof of none."""
        seconds = self.left if last else self.left / 3
        large = len(case.moving) > MOST_AT_ONCE
        found = search(case, bounds, None, max(0.05, seconds), self.seed, satisfy=True)
        if found.infeasible:
            return Answer("infeasible", seconds=monotonic() - self.started)
        if found.places is None:
            cause = unproved(case, left_out, self.seconds)
            return Answer("unknown", bound=bound, seconds=monotonic() - self.started, cause=cause)
        self._told(case, found.places, bound)
        if large:
            return self.answer(case, self._improved(case, bounds, found.places, bound, large), bound)
        return self._searched(case, bounds, found.places, bound, self.left if last else self.left / 2)

    def _improved(self, case: Case, bounds: Bounds, places: Places, bound: int, large: bool) -> Places:
        """Quick changes of a few tasks; then windows, where one model would be too much."""

        def told(better: Places) -> None:
            self._told(case, better, bound)

        until = self.left * (0.0 if large else 1 - QUICK_SHARE)
        places = recreate(case, bounds, places, lambda: self.left - until, told, self.seed)
        if large or model_size(case, bounds) > MOST_LITERALS:
            places = improve(case, places, lambda: self.left, told, self.seed)
        return places

    def _searched(self, case: Case, bounds: Bounds, places: Places, bound: int, seconds: float) -> Answer:
        """The whole in one model, from a schedule."""

        def told(better: Places, least: int) -> None:
            self._told(case, better, max(bound, least))

        found = search(case, bounds, places, max(0.05, seconds), self.seed, told)
        return self.answer(case, found.places or places, max(bound, found.bound), found.optimal)

    def _none(self) -> Answer:
        return Answer("unknown", seconds=monotonic() - self.started)

    def _told(self, case: Case, places: Places, bound: int) -> None:
        self.on_answer(self.answer(case, places, bound))


def unproved(case: Case, left_out: list[int], seconds: float) -> Cause:
    """What could not be placed in time: no proof, but where to look for a way out."""
    works = [case.works[index] for index in left_out[:MOST_NAMED]]
    text = (
        f"No schedule was found in {seconds:g} seconds, and none was proved impossible. Hardest to place: "
        f"{listed([work.task.title for work in works])}."
    )
    return Cause("unproved", text, tuple(work.task.id for work in works), found_before_solver=False)
