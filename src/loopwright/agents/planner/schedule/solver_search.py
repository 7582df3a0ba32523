"""One search of CP-SAT over a whole case."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from time import monotonic
from typing import Any, Literal

from loopwright.agents.planner.schedule.bounds import Bounds, compute_bounds
from loopwright.agents.planner.schedule.case import Case, build_case
from loopwright.agents.planner.schedule.certificates.explaining import explain_case
from loopwright.agents.planner.schedule.greedy import Placer, place_all
from loopwright.agents.planner.schedule.problem import Cause, Problem, Slots
from loopwright.agents.planner.schedule.solver_model import Model, add_hint, add_objective, all_blocks, build_model
from loopwright.agents.planner.schedule.table import Places, cost

# Repairs a list schedule in which some tasks found no place.

STEPS = 6
"""Tries to place a task, for each task of the problem; and at least `LEAST_STEPS`."""
LEAST_STEPS = 300
RIVALS = 40
"""Tasks that one step may eject at most."""


def place_by_ejection(placer: Placer, missing: list[int], seed: int, left: Callable[[], float]) -> list[int]:
    """Place what is missing, if others can lie elsewhere.

    Args:
        placer: with a table on which the others lie.
        missing: the indices of the tasks without a place.
        seed: of the choice among equals.
        left: how many seconds are left.

    Returns:
        The tasks without a place in the end, those that found none most often first. Nothing is proved by them.
    """
    chance = Random(seed)
    penalty = dict.fromkeys(range(len(placer.case.works)), 1)
    waiting = deque(missing)
    for _ in range(max(LEAST_STEPS, STEPS * len(penalty))):
        if not waiting or left() <= 0:
            break
        index = waiting.popleft()
        if not placer.place(index):
            penalty[index] += 1
            waiting.extend(_force(placer, index, penalty, chance))
    return sorted(set(waiting), key=lambda index: -penalty[index])


def _force(placer: Placer, index: int, penalty: dict[int, int], chance: Random) -> list[int]:
    """Place a task where others lie; returns those that lost their place, or the task itself where it did not help."""
    table = placer.table
    within = _stretch(placer, index, chance)
    rivals = set(table.lying(*within)) | _neighbours(placer, index)
    ordered = sorted(rivals, key=lambda other: penalty[other] * (0.5 + chance.random()))
    moved: dict[int, list[Slots]] = {}
    for other in ordered[:RIVALS]:
        moved[other] = table.release(other)
        if placer.place(index, within):
            break
    # Most of them were not in the way: they stay where they were, the dear ones first.
    for other in sorted(moved, key=lambda other: -penalty[other]):
        if placer.allows(other, moved[other]):
            table.take(other, moved.pop(other))
    return list(moved) if index in table.places else [*moved, index]


def _stretch(placer: Placer, index: int, chance: Random) -> Slots:
    """Whole weeks within the task's bounds that would hold it twice, from a day by chance on."""
    bounds, axis, table = placer.bounds, placer.case.axis, placer.table
    low, high = bounds.start_from[index], bounds.end_until[index]
    week = chance.randint(axis.day_of(low), axis.day_of(max(low, bounds.start_until[index]))) // 7
    last, space, need = week, 0, 2 * placer.case.works[index].slots
    while last < len(table.week_space):
        first_day, end_day = axis.days[7 * last], axis.days[7 * last + 6]
        space += min(placer.week_spaces[last], axis.between(max(low, first_day.first), min(high, end_day.end)))
        if space >= need or end_day.end >= high:
            break
        last += 1
    last = min(last, len(table.week_space) - 1)
    return axis.days[7 * week].first, axis.days[7 * last + 6].end


def _neighbours(placer: Placer, index: int) -> set[int]:
    """The linked tasks that lie somewhere."""
    found = {arc.before for arc in placer.arriving[index]} | {arc.after for arc in placer.leaving[index]}
    return {other for other in found if other in placer.table.places}


# The first schedule: the best of a few lists, repaired where a list leaves tasks without a place.

REPAIRED = 2
"""Lists that are repaired: those that leave out least."""
MANY = 300
"""Tasks above which the first list that gives a schedule is enough: what follows improves it."""


def first_places(case: Case, bounds: Bounds, seed: int, left: Callable[[], float]) -> tuple[Places | None, list[int]]:
    """Place one task after the other, by several orders: what costs most per slot first, what is due first, and so on.

    Args:
        case: the problem.
        bounds: of its tasks.
        seed: of the repair.
        left: how many seconds are left.

    Returns:
        The cheapest schedule of all orders, or the first repaired one where every order leaves something out. Where
        there is none, None and the tasks that found no place, those that were hardest to place first.
    """
    works = case.works
    orders = [
        [-work.weight / work.slots for work in works],
        [float(bounds.end_until[work.index]) for work in works],
        [float(bounds.start_until[work.index]) for work in works],
        [float(bounds.start_from[work.index]) for work in works],
    ]
    best: tuple[int, Places] | None = None
    unfinished: list[tuple[Placer, list[int]]] = []
    for keys in orders:
        if best is not None and len(works) > MANY:
            break
        placer = Placer(case, bounds)
        missing = place_all(placer, keys)
        if missing:
            unfinished.append((placer, missing))
            continue
        price = cost(case, placer.table.places)
        if best is None or price < best[0]:
            best = price, placer.table.places
    if best is not None:
        return best[1], []
    fewest: list[int] = []
    until = monotonic() + left()
    for placer, missing in sorted(unfinished, key=lambda each: len(each[1]))[:REPAIRED]:
        left_out = place_by_ejection(placer, missing, seed, lambda: until - monotonic())
        if not left_out:
            return placer.table.places, []
        if not fewest or len(left_out) < len(fewest):
            fewest = left_out
    return None, fewest


WORKERS = 2
ASKED = 0.9
"""Of the time that is left, what CP-SAT is told to use."""
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
    """CP-SAT with our settings."""
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
    # It ends later than it is told: presolve is not interrupted at once.
    solver.parameters.max_time_in_seconds = max(0.05, ASKED * seconds)
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


# Is there any schedule? Asked of problems that are changed to see what would help.


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
