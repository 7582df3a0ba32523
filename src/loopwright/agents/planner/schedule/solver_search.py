"""One search of CP-SAT over a whole case."""

from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import Any

from loopwright.agents.planner.schedule.bounds import Bounds
from loopwright.agents.planner.schedule.case import Case
from loopwright.agents.planner.schedule.objective import cost
from loopwright.agents.planner.schedule.solver_model import (
    Model,
    add_hint,
    add_objective,
    all_blocks,
    build_model,
)
from loopwright.agents.planner.schedule.table import Places

WORKERS = 2
SMALL = 60
"""Blocks of all tasks together up to which every split is allowed from the start."""
BLOCKS = 10
"""Blocks of one split task above that, where no schedule is known; else so many as it has there."""
SPARE = 2
"""Blocks more than that."""
ALL_BLOCKS = 400
"""Blocks of all tasks together up to which a model that allows every schedule is tried."""

OnPlaces = Callable[[Places, int], None]


@dataclass(frozen=True)
class Found:
    """What a search found; `bound` and `infeasible` are proved for every schedule, not only for those of the model."""

    places: Places | None = None
    bound: int = 0
    optimal: bool = False
    infeasible: bool = False


def search(
    case: Case,
    bounds: Bounds,
    places: Places | None,
    seconds: float,
    seed: int,
    on_places: OnPlaces | None = None,
    satisfy: bool = False,
) -> Found:
    """Look for the cheapest schedule, from `places` if there are any; with `satisfy`, for any."""
    until = monotonic() + seconds
    total = sum(all_blocks(work) for work in case.moving)
    few = {work.index: SPARE + (BLOCKS if places is None else len(places[work.index])) for work in case.moving}
    most = None if total <= SMALL else few
    found = _once(case, bounds, places, until, seed, on_places, most, satisfy)
    if found is not None:
        return found
    # The restricted model has no schedule: that says nothing yet.
    if total > ALL_BLOCKS or monotonic() > until:
        return Found()
    return _once(case, bounds, places, until, seed, on_places, None, satisfy) or Found()


def _once(
    case: Case,
    bounds: Bounds,
    places: Places | None,
    until: float,
    seed: int,
    on_places: OnPlaces | None,
    most_blocks: dict[int, int] | None,
    satisfy: bool,
) -> Found | None:
    from ortools.sat.python import cp_model

    model = build_model(case, bounds, most_blocks)
    if not satisfy:
        add_objective(model)
    if places is not None:
        add_hint(model, places)
    solver = new_solver(max(0.05, until - monotonic()), seed)
    status = solver.solve(model.cp, _reporter(model, on_places, places) if on_places else None)
    if status == cp_model.INFEASIBLE:
        return Found(places, infeasible=places is None) if model.complete else None if places is None else Found(places)
    if status not in {cp_model.OPTIMAL, cp_model.FEASIBLE}:
        return Found(places)
    best = model.places(solver.value)
    if places is not None and cost(case, places) < cost(case, best):
        best = places
    if satisfy:
        return Found(best)
    bound = int(solver.best_objective_bound - 1e-6) + 1 if solver.best_objective_bound > 0 else 0
    if not model.complete:
        return Found(best)
    return Found(best, bound, status == cp_model.OPTIMAL)


def new_solver(seconds: float, seed: int, workers: int = WORKERS) -> Any:
    """CP-SAT with the house's settings."""
    from ortools.sat.python import cp_model

    class SturdySolver(cp_model.CpSolver):
        """OR-Tools 9.15 breaks off the presolve of some small models ("btree_map::at"); those are solved without it."""

        def solve(self, model: Any, solution_callback: Any = None) -> Any:
            """Solve, a second time where the presolve broke off."""
            try:
                return super().solve(model, solution_callback)
            except IndexError:
                self.parameters.cp_model_presolve = False
                return super().solve(model, solution_callback)

    solver = SturdySolver()
    solver.parameters.max_time_in_seconds = seconds
    solver.parameters.num_workers = workers
    solver.parameters.random_seed = seed
    return solver


def _reporter(model: Model, on_places: OnPlaces, places: Places | None) -> Any:
    from ortools.sat.python import cp_model

    class Reporter(cp_model.CpSolverSolutionCallback):
        """Tells each better schedule."""

        best = None if places is None else cost(model.case, places)

        def on_solution_callback(self) -> None:
            better = model.places(self.value)
            value = cost(model.case, better)
            if self.best is None or value < self.best:
                self.best = value
                on_places(better, int(self.best_objective_bound) if model.complete else 0)

    return Reporter()
