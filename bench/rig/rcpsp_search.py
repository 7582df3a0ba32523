"""CP-SAT on project instances, in turns of two ways of asking.

With the makespan as objective, one worker improves the schedule while the other one searches: good for finding. As a
yes-or-no question (is there a schedule that ends by then?) both search: good for proving, from above that the best
schedule known cannot be shortened, and from below step by step that no short one exists, which gives the bound.
"""

from dataclasses import dataclass
from time import monotonic
from typing import Any

from rig.patterson import Instance
from rig.rcpsp_causes import NONE, Closure

from loopwright.agents.planner.schedule.solver_search import new_solver

TURNS = (0.8, 0.9, 0.97, 1.0)
"""At which parts of the time the turns end: find, refute shorter ones, raise the bound, find."""
ONE_REFUTATION = 0.05
"""The part of the time for one step of the bound."""


@dataclass
class Search:
    """What is known of an instance while it is searched; `until` as `monotonic` says."""

    instance: Instance
    closure: Closure
    until: float
    seed: int
    workers: int
    best: list[int] | None = None
    bound: int = 0
    refuted: bool = False
    """Whether it is proved that there is no schedule at all."""

    @property
    def left(self) -> float:
        """Seconds that are left."""
        return self.until - monotonic()

    @property
    def end(self) -> int | None:
        """When the best schedule ends."""
        return None if self.best is None else ends(self.instance, self.best)

    def run(self) -> None:
        """Search until the best schedule is proved, or the time is over."""
        begun, span = monotonic(), self.left
        if self.best is None:
            # Turns would begin anew each time: one search for all the time finds a first schedule sooner.
            self._find(self.until)
            return
        find, refute, raise_bound, last = (begun + part * span for part in TURNS)
        self._find(find)
        self._refute(refute)
        self._raise_bound(raise_bound, ONE_REFUTATION * span)
        self._find(last)

    def _raise_bound(self, until: float, seconds: float) -> None:
        while not self._closed and monotonic() < until:
            found = self._ask(self.bound, seconds)
            if found is None:
                return
            if found:
                self.best = found
            else:
                self.bound += 1

    @property
    def _closed(self) -> bool:
        return self.refuted or (self.end is not None and self.end <= self.bound)

    def _refute(self, until: float) -> None:
        while not self._closed and monotonic() < until:
            end = self.end
            found = self._ask(self.instance.horizon if end is None else end - 1, until - monotonic())
            if found is None:
                return
            if found:
                self.best = found
            elif end is None:
                self.refuted = True
            else:
                self.bound = end

    def _find(self, until: float) -> None:
        """Look for better schedules; the search's own bound counts as well."""
        from ortools.sat.python import cp_model

        if self._closed or monotonic() >= until:
            return
        horizon = self.instance.horizon if self.end is None else self.end - 1
        model, starts = self._model(horizon)
        model.minimize(self._makespan(model, starts, horizon))
        solver = new_solver(max(0.05, until - monotonic()), self.seed, self.workers)
        status = solver.solve(model)
        if status == cp_model.INFEASIBLE:
            self.refuted, self.bound = self.end is None, horizon + 1
            return
        least = int(solver.best_objective_bound - 1e-6) + 1 if solver.best_objective_bound > 0 else 0
        self.bound = max(self.bound, min(least, horizon + 1))
        if status in {cp_model.OPTIMAL, cp_model.FEASIBLE}:
            self.best = [int(solver.value(starts[index])) for index in range(self.instance.size)]

    def _makespan(self, model: Any, starts: dict[int, Any], horizon: int) -> Any:
        """The objective: the start of the activity that ends the project, where there is one."""
        instance = self.instance
        for index, duration in enumerate(instance.durations):
            distances = zip(self.closure.distance[:, index], instance.durations, strict=True)
            if duration == 0 and all(distance >= length for distance, length in distances):
                # It is in the middle of the precedences then, where the search's bounds come from.
                model.add(starts[index] >= self.bound)
                return starts[index]
        makespan = model.new_int_var(self.bound, max(self.bound, horizon), "")
        for index, duration in enumerate(instance.durations):
            model.add(makespan >= starts[index] + duration)
        return makespan

    def _model(self, horizon: int) -> tuple[Any, dict[int, Any]]:
        heads, tails = self.closure.heads, self.closure.tails
        windows = [(head, horizon - tail) for head, tail in zip(heads, tails, strict=True)]
        return question(self.instance, self.closure, dict(enumerate(windows)))

    def _ask(self, horizon: int, seconds: float) -> list[int] | None:
        """Starts that end by the horizon; an empty list if there are none; None if the time was too short."""
        from ortools.sat.python import cp_model

        if horizon < self.closure.makespan:
            return []
        model, starts = self._model(horizon)
        solver = new_solver(max(0.05, min(seconds, self.left)), self.seed, self.workers)
        status = solver.solve(model)
        if status == cp_model.INFEASIBLE:
            return []
        if status in {cp_model.OPTIMAL, cp_model.FEASIBLE}:
            return [int(solver.value(starts[index])) for index in range(self.instance.size)]
        return None


def ends(instance: Instance, starts: list[int]) -> int:
    """The makespan."""
    return max(start + duration for start, duration in zip(starts, instance.durations, strict=True))


def question(instance: Instance, closure: Closure, windows: dict[int, tuple[int, int]]) -> tuple[Any, dict[int, Any]]:
    """The model of some activities, each with its first and last start, and the variables of the starts."""
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    starts: dict[int, Any] = {}
    for index, (low, high) in windows.items():
        starts[index] = model.new_int_var(min(low, high), max(low, high), "")
        if low > high:
            model.add_bool_or([])
    for before, after, lag in closure.lags:
        if before in starts and after in starts:
            model.add(starts[after] >= starts[before] + lag)
    intervals = {
        index: model.new_fixed_size_interval_var(start, instance.durations[index], "")
        for index, start in starts.items()
        if instance.durations[index]
    }
    for number, capacity in enumerate(instance.capacities):
        users = [index for index in intervals if instance.needs[index][number]]
        demands = [instance.needs[index][number] for index in users]
        if sum(demands) > capacity:
            model.add_cumulative([intervals[index] for index in users], demands, capacity)
    # Without maximal lags the groups only repeat what the resources say, and cost time.
    groups = closure.disjoint_groups() if min((lag for _, _, lag in closure.lags), default=0) < 0 else []
    for group in groups:
        if len(inside := [intervals[index] for index in group if index in intervals]) > 1:
            model.add_no_overlap(inside)
    return model, starts


def refuted_group(instance: Instance, closure: Closure, seconds: float, seed: int) -> list[int] | None:
    """Activities that lags tie to each other and that have no schedule even alone, or None.

    Such a group floats freely in the project's horizon, where the solver would have to refute it at each place; with
    one of its activities fixed there is only one place.
    """
    from ortools.sat.python import cp_model

    until = monotonic() + seconds
    for group in _tied(closure):
        anchor = group[0]
        windows = {
            index: (int(closure.distance[anchor, index]), -int(closure.distance[index, anchor])) for index in group
        }
        model, _ = question(instance, closure, windows)
        left = until - monotonic()
        if left <= 0:
            return None
        if new_solver(left, seed).solve(model) == cp_model.INFEASIBLE:
            return group
    return None


def _tied(closure: Closure) -> list[list[int]]:
    """Groups of activities whose distances are limited both ways, small ones first."""
    import numpy as np

    both = (closure.distance > NONE) & (closure.distance.T > NONE)
    groups = {tuple(int(index) for index in np.flatnonzero(row)) for row in both}
    return sorted((list(group) for group in groups if len(group) > 2), key=lambda group: (len(group), group))
