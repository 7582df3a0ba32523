"""Schedules a problem: a first answer in milliseconds, better ones until the time ends, and how good they are."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from random import Random
from time import monotonic, thread_time
from typing import Literal

from loopwright.agents.planner.schedule.bounds import Bounds, compute_bounds, model_size
from loopwright.agents.planner.schedule.case import Case, build_case, refuse
from loopwright.agents.planner.schedule.certificates.explaining import explain_case, find_cycle, find_locked_conflict
from loopwright.agents.planner.schedule.certificates.pairs import MOST_NAMED, listed
from loopwright.agents.planner.schedule.evenness import evened, first_list, terms_of
from loopwright.agents.planner.schedule.greedy import Placer
from loopwright.agents.planner.schedule.limited import solve_limited
from loopwright.agents.planner.schedule.problem import Answer, Cause, Problem, Span
from loopwright.agents.planner.schedule.relaxed_axis import RelaxedAxis, capacity_heads, least_cost
from loopwright.agents.planner.schedule.solver_search import first_places, search
from loopwright.agents.planner.schedule.table import Places, cost, task_cost

# Large problems: improve a schedule in windows of time, one after the other, everything else fixed.

WINDOW = 25
"""Tasks that move together."""
SECONDS = 1.5
"""For one window."""


def improve(
    case: Case, places: Places, left: Callable[[], float], on_places: Callable[[Places], None], seed: int
) -> Places:
    """Go through the schedule window by window until the time ends.

    Args:
        case: the whole case.
        places: a schedule of it.
        left: how many seconds are left.
        on_places: told about each better schedule.
        seed: of the searches.

    Returns:
        A schedule that costs no more.
    """
    best, turn = dict(places), 0
    while left() > 0.2:
        order = sorted(best, key=lambda index: best[index][0])
        step, shift = WINDOW // 2, turn % 2 * (WINDOW // 4)
        changed = False
        for at in range(shift, max(1, len(order) - step), step):
            if left() <= 0.2:
                return best
            better = _window(case, best, order[at : at + WINDOW], min(SECONDS, left()), seed)
            if better is not None:
                best, changed = better, True
                on_places(best)
        turn += 1
        if not changed and turn > 1:
            break
    return best


def _window(case: Case, places: Places, chosen: list[int], seconds: float, seed: int) -> Places | None:
    part = _part(case, places, set(chosen))
    small = build_case(part)
    bounds = compute_bounds(small)
    if bounds.broken is not None:
        return None
    number = {task.id: index for index, task in enumerate(part.tasks)}
    shift = small.axis.floor(case.axis.moment(0))
    here = {number[case.works[index].task.id]: [(a + shift, b + shift) for a, b in places[index]] for index in chosen}
    found = search(small, bounds, here, seconds, seed)
    if found.places is None or cost(small, found.places) >= cost(small, here):
        return None
    moved = {
        index: [(a - shift, b - shift) for a, b in found.places[number[case.works[index].task.id]]] for index in chosen
    }
    return {**places, **moved}


def _part(case: Case, places: Places, chosen: set[int]) -> Problem:
    """The chosen tasks, between the first start and the last end among them; what lies around is locked."""
    axis, problem = case.axis, case.problem
    first = min(places[index][0][0] for index in chosen)
    end = max(places[index][-1][1] for index in chosen)
    days = axis.days
    # Whole days, as they know how much of them may be used; whole weeks around, as they have limits too.
    begin = max(axis.moment(days[axis.day_of(first)].first), problem.start, key=_utc)
    until = min(axis.moment(days[axis.day_of(end - 1)].end), problem.end, key=_utc)
    low = days[axis.day_of(first) // 7 * 7].first
    high = days[axis.day_of(end - 1) // 7 * 7 + 6].end
    around = {i for i, pieces in places.items() if i not in chosen and pieces[-1][1] > low and pieces[0][0] < high}
    linked = set()
    for arc in case.arcs:
        if (arc.before in chosen) != (arc.after in chosen):
            linked.add(arc.after if arc.before in chosen else arc.before)
    tasks = []
    for work in case.works:
        index = work.index
        if index in chosen:
            tasks.append(work.task)
        elif index in places and (index in around or index in linked):
            spans = tuple(Span(axis.moment(a), axis.moment(b)) for a, b in places[index])
            tasks.append(replace(work.task, locked=spans))
        elif work.lock is not None:
            tasks.append(work.task)
    known = {task.id for task in tasks}
    links = tuple(link for link in problem.links if {link.before, link.after} <= known)
    return replace(problem, tasks=tuple(tasks), links=links, start=begin, end=until)


def _utc(moment: datetime) -> datetime:
    return moment.astimezone(UTC)


# Improves a schedule by taking some tasks away and placing them again in another order, many times a second.

LEAST, MOST = 2, 12
"""Tasks that are taken away at once."""
DAYS = (1, 3, 7, 21)
"""How far around a task others are taken from."""
PATIENCE = 40
"""Tries without a better schedule, for each task, after which it ends."""


def recreate(
    case: Case,
    bounds: Bounds,
    places: Places,
    left: Callable[[], float],
    on_places: Callable[[Places], None],
    seed: int,
) -> Places:
    """Improve a schedule until the time ends, or nothing has helped for long.

    Args:
        case: the problem.
        bounds: of its tasks.
        places: a schedule of it.
        left: how many seconds are left.
        on_places: told about each better schedule.
        seed: of what is chosen by chance.

    Returns:
        A schedule that costs no more.
    """
    placer = Placer(case, bounds)
    # What breaks of no length allow may be closer together than lists place it: then there is nothing to take away.
    if not _lay_down(placer, places):
        return places
    chance = Random(seed)
    movable = sorted(places)
    quiet = 0
    while left() > 0 and quiet < PATIENCE * len(movable):
        gain = _once(placer, movable, chance)
        quiet = 0 if gain > 0 else quiet + 1
        if gain > 0:
            on_places(dict(placer.table.places))
    return dict(placer.table.places)


def _lay_down(placer: Placer, places: Places) -> bool:
    for index, pieces in sorted(places.items(), key=lambda each: each[1]):
        if not placer.table.fits(index, pieces):
            return False
        placer.table.take(index, pieces)
    return True


def _once(placer: Placer, movable: list[int], chance: Random) -> int:
    """One try; returns what it saves, 0 where all lies as before."""
    table, case = placer.table, placer.case
    middle = table.places[chance.choice(movable)][0][0]
    around = chance.choice(DAYS) * 96
    near = table.lying(middle - around, middle + around)
    chosen = chance.sample(near, min(len(near), chance.randint(LEAST, MOST)))
    before = {index: table.release(index) for index in chosen}
    if _place_again(placer, chosen, chance):
        works = case.works
        gain = sum(task_cost(case, works[i], before[i]) - task_cost(case, works[i], table.places[i]) for i in chosen)
        if gain >= 0:
            return gain
    for index in chosen:
        if index in table.places:
            table.release(index)
    for index, pieces in before.items():
        table.take(index, pieces)
    return 0


def _place_again(placer: Placer, chosen: list[int], chance: Random) -> bool:
    """Place tasks in an order by chance in which dear and short ones tend to come first; links count."""
    works = placer.case.works
    keys = {i: works[i].weight / works[i].slots * (0.3 + chance.random()) for i in chosen}
    waiting = sorted(chosen, key=lambda i: -keys[i])
    while waiting:
        missing = set(waiting)
        ready = next((i for i in waiting if not any(arc.before in missing for arc in placer.arriving[i])), waiting[0])
        waiting.remove(ready)
        if not placer.place(ready):
            return False
    return True


EVEN_SHARE = 0.8
"""Of the time, at most, for finding the limits of an even spread."""
EVEN_WORK = 0.4
"""The same of this process's own work: what else the machine does makes no plan less even, only later."""
MOST_AT_ONCE = 150
"""Tasks that one model holds; more are improved in windows."""

MOST_LITERALS = 1_500
"""Pairs of a block and a day that a model may have before windows are tried first."""
MOST_PAIRS = 200_000
"""Such pairs above which no model is built at all: that alone would take longer than the search."""
FEW = 12
"""Tasks up to which one model is all that is needed."""
QUICK_SHARE = 0.25
"""Of the time for quick changes, before all tasks are put in one model."""
SMALL_GAP = 0.001
"""Proved to be so near the best possible, a schedule is not improved any more."""
LEAST_LEFT = 1.0
"""Seconds for which a search of the whole is worth its model."""

ALONE = 1_000
"""Tasks above which a problem is solved in a process of its own, so that the limit holds whatever happens."""

OnAnswer = Callable[[Answer], None]


def solve(problem: Problem, *, seconds: float = 5.0, on_answer: OnAnswer | None = None, seed: int = 0) -> Answer:
    """Schedule a problem.

    Args:
        problem: what is to be scheduled. In mode `manual` only the locked tasks are placed.
        seconds: the time for everything; the first answer comes long before it.
        on_answer: told about each better answer while the search goes on, from the solver's thread.
        seed: two runs with one seed that end before the time does give the same answer.

    Returns:
        The best answer. `gap` is (objective − bound) / objective, 0 for a proved optimum; both speak about schedules as
        even as the aims before early work make them, and `terms` tells what came of each aim. An infeasible problem has
        its cause; one that was not settled is `unknown`.

    Raises:
        InvalidInput: the problem itself is malformed (unknown ids, durations that are not positive).
    """
    tell = on_answer or (lambda answer: None)
    if len(problem.tasks) > ALONE:
        refuse(problem)
        return solve_limited(problem, seconds, tell, seed)
    return solve_here(problem, seconds, tell, seed)


def solve_here(problem: Problem, seconds: float, on_answer: OnAnswer, seed: int) -> Answer:
    """The same in this process, whatever its size; the time is kept as far as CP-SAT keeps it."""
    started = monotonic()
    case = build_case(problem)
    bounds = compute_bounds(case)
    run = _Run(started, seconds, on_answer, seed)
    known = run.listed(case, bounds) if len(case.moving) > ALONE else None
    cause = None if known is not None else explain_case(case, bounds)
    if cause is not None:
        return Answer("infeasible", seconds=monotonic() - started, cause=cause)
    if problem.mode == "manual" or not case.moving:
        blocks = case.blocks({})
        return Answer("optimal", blocks, 0.0, 0.0, 0.0, monotonic() - started)
    worked = thread_time() + EVEN_WORK * seconds
    narrow = evened(problem, lambda: min(started + EVEN_SHARE * seconds - monotonic(), worked - thread_time()))
    answer = None
    if narrow is not problem:
        narrow_case = build_case(narrow)
        answer = run.schedule(narrow_case, compute_bounds(narrow_case), last=False)
    if answer is None or not answer.blocks:
        answer = run.schedule(case, bounds, last=True, known=known)
    if answer.status != "infeasible":
        return answer
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
        spent = monotonic() - self.started
        return Answer(status, case.blocks(places), value, bound, gap, spent, terms=terms_of(case, places))

    def is_enough(self, case: Case, answer: Answer) -> bool:
        """Whether what might still be better is too little to look for; small problems are solved to the end."""
        return len(case.moving) > FEW and answer.gap is not None and answer.gap <= SMALL_GAP

    def listed(self, case: Case, bounds: Bounds) -> Places | None:
        """A schedule of a large problem by the first list that gives one, told at once: then no proof is sought."""
        if bounds.broken is not None or find_cycle(case) is not None or find_locked_conflict(case) is not None:
            return None
        places = first_list(case, bounds)
        if places is not None:
            self.on_answer(self.answer(case, places, 0))
        return places

    def schedule(self, case: Case, bounds: Bounds, last: bool, known: Places | None = None) -> Answer:
        """The best answer with days as full as the case says; with `last` nothing else is tried after it."""
        places, left_out = known, list[int]()
        if places is None:
            places, left_out = first_places(case, bounds, self.seed, lambda: self.left)
        large = len(case.moving) > MOST_AT_ONCE
        if places is not None and large and known is None:
            self.on_answer(self.answer(case, places, 0))
        bounds = capacity_heads(case, bounds, RelaxedAxis(case))
        bound = least_cost(case, bounds, None if places is None else cost(case, places))
        if places is None:
            return self._found_late(case, bounds, left_out, bound, last) if last or not large else self._none()
        first = self.answer(case, places, bound)
        if not large:
            self.on_answer(first)
        if first.status == "optimal" or self.is_enough(case, first):
            return first
        if len(case.moving) > FEW:
            places = self._improved(case, bounds, places, bound, large)
            improved = self.answer(case, places, bound)
            if large or self.left < LEAST_LEFT or self.is_enough(case, improved):
                return improved
        return self._searched(case, bounds, places, bound, self.left)

    def _found_late(self, case: Case, bounds: Bounds, left_out: list[int], bound: int, last: bool) -> Answer:
        """Where no list gives a schedule: any that the solver finds, then better ones; or a proof of none."""
        seconds = self.left if last else self.left / 3
        large = len(case.moving) > MOST_AT_ONCE
        if model_size(case, bounds) > MOST_PAIRS:
            return Answer("unknown", seconds=monotonic() - self.started, cause=unproved(case, left_out, self.seconds))
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
