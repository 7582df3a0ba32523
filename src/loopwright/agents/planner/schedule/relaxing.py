"""Ways out of a problem without a schedule: each one is solved before it is offered."""

from dataclasses import dataclass, replace
from time import monotonic

from loopwright.agents.planner.schedule.problem import Cause, Problem, Relaxation, apply_relaxation
from loopwright.agents.planner.schedule.relaxation_calendar import Idea, ideas
from loopwright.agents.planner.schedule.solver_search import Attempt, attempt

__all__ = ["apply_relaxation", "relax"]

ONE_TRY = 1.5
"""Seconds for solving one changed problem, at least."""
PART = 0.05
"""Of all the time, that one try may take."""
MOST_TOGETHER = 5
"""Changes that are combined where no single one helps."""
MOST = 6
"""Relaxations that are offered."""


def relax(
    problem: Problem, cause: Cause, *, seconds: float = 10.0, most: int = MOST, seed: int = 0
) -> tuple[Relaxation, ...]:
    """Find changes with which there is a schedule.

    Args:
        problem: without a schedule.
        cause: why; the changes are sought at the tasks that it names.
        seconds: for everything. What was not solved in time is not offered.
        most: relaxations to find.
        seed: of the solver.

    Returns:
        Relaxations, the cheapest first, each one verified: `apply_relaxation` gives a problem that was solved. A later
        deadline is the earliest one that works on a grid of hours, then of days.
    """
    tries = _Tries(problem, monotonic() + seconds, max(ONE_TRY, PART * seconds), seed)
    found: list[Relaxation] = []
    kinds: dict[str, int] = {}
    for idea in ideas(problem, cause):
        if len(found) >= most or tries.left <= 0:
            break
        # Two of one kind are a choice; more would crowd out the other kinds.
        if kinds.get(idea.kind, 0) >= (1 if idea.is_combined else 2):
            continue
        relaxation = tries.least(idea)
        if relaxation is not None:
            found.append(relaxation)
            kinds[idea.kind] = kinds.get(idea.kind, 0) + 1
    if not found:
        found = tries.together(cause)
    return tuple(sorted(found, key=lambda relaxation: relaxation.cost))


def _joined(parts: list[Relaxation]) -> Relaxation:
    text = " ".join(part.text for part in parts)
    return Relaxation(text, "several", sum(p.cost for p in parts), {"set": "all", "changes": [p.change for p in parts]})


@dataclass
class _Tries:
    """Solves changed problems until the time ends."""

    problem: Problem
    until: float
    one_try: float
    seed: int

    @property
    def left(self) -> float:
        return self.until - monotonic()

    def attempt(self, problem: Problem) -> Attempt:
        """Whether a changed problem has a schedule."""
        return attempt(problem, min(self.one_try, self.left), self.seed) if self.left > 0 else Attempt("unknown")

    def works(self, relaxation: Relaxation) -> bool:
        """Whether there is a schedule with the change."""
        return self.attempt(apply_relaxation(self.problem, relaxation)).status == "feasible"

    def together(self, cause: Cause) -> list[Relaxation]:
        """Several changes at once, for a problem that has more than one cause: one cause after the other."""
        problem, chosen, met = self.problem, list[Idea](), {cause}
        while self.left > 0 and len(chosen) < MOST_TOGETHER:
            for idea in ideas(problem, cause):
                if not idea.steps or self.left <= 0:
                    continue
                changed = apply_relaxation(problem, idea.steps[-1])
                answer = self.attempt(changed)
                if answer.status == "feasible":
                    return self._smallest([*chosen, idea])
                # Another cause means that this one is gone.
                if answer.cause is not None and set(answer.cause.task_ids) != set(cause.task_ids):
                    problem, cause = changed, answer.cause
                    chosen.append(idea)
                    break
            else:
                return []
            if cause in met:
                return []
            met.add(cause)
        return []

    def _smallest(self, chosen: list[Idea]) -> list[Relaxation]:
        """Ideas that work together at their largest steps, each made as small as the others allow, as one change."""
        parts = [idea.steps[-1] for idea in chosen]
        for number, idea in enumerate(chosen):
            others = self.problem
            for other, part in enumerate(parts):
                if other != number:
                    others = apply_relaxation(others, part)
            parts[number] = replace(self, problem=others).least(idea) or parts[number]
        return [_joined(parts)]

    def least(self, idea: Idea) -> Relaxation | None:
        """The smallest step of an idea that works: its steps grow, so the first one is sought in halves."""
        steps = idea.steps
        if not steps or not self.works(steps[-1]):
            return None
        low, high = 0, len(steps) - 1
        while low < high:
            middle = (low + high) // 2
            if self.works(steps[middle]):
                high = middle
            else:
                low = middle + 1
        return steps[high]
