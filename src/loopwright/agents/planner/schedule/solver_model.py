"""The problem as a model of OR-Tools CP-SAT.

Each task is one interval, or a row of optional blocks where it may be split; no two overlap, with the breaks between
them; nights, busy times and the surroundings of locked blocks are fixed intervals or holes of domains. Limits of days
and weeks need to know on which day a block lies and are stated only where they can bind.
"""

from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from loopwright.agents.planner.schedule.bounds import Bounds, add_day_limits, locked_end
from loopwright.agents.planner.schedule.case import Arc, Case, Work, joined, slots_up
from loopwright.agents.planner.schedule.problem import GRID_MINUTES, Slots
from loopwright.agents.planner.schedule.table import DISTANCE, MOVED, Places, earlier_place

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel


# Pauses where breaks have no length: any idle slot ends a stretch of work.


@dataclass
class _Stretch:
    """Slots in a row that may all be worked in; in those of `free` one may also pause."""

    first: int
    end: int
    free: list[Slots]
    is_open: bool = True
    """Whether slots that follow go on with it."""


def add_pauses(case: Case, cp: "CpModel") -> list[Any]:
    """State that no stretch of work is longer than allowed, where breaks have no length.

    Returns:
        Idle slots, to be kept apart from the work.
    """
    most = case.pause_after
    if most is None:
        return []
    found: list[Any] = []
    for stretch in _stretches(case):
        if stretch.end - stretch.first > most and stretch.free:
            found += _pauses(stretch, most, cp)
    return found


def _pauses(stretch: _Stretch, most: int, cp: "CpModel") -> list[Any]:
    """Idle slots at most so far apart; those that are not needed lie, without length, at the end."""
    from ortools.sat.python.cp_model import Domain

    first, end = stretch.first, stretch.end
    domain = Domain.from_intervals([*([a, b - 1] for a, b in stretch.free), [end, end]])
    found: list[Any] = []
    before: Any = first - 1
    for number in range(2 * (end - first) // (most + 1) + 1):
        at = cp.new_int_var_from_domain(domain, "")
        cp.add(at <= before + 1 + most)
        cp.add(at >= before)
        inside = cp.new_bool_var("")
        cp.add(at <= end - 1).only_enforce_if(inside)
        cp.add(at == end).only_enforce_if(~inside)
        found.append(cp.new_optional_fixed_size_interval_var(at, 1, inside, ""))
        if number:
            cp.add(at >= before + 1).only_enforce_if(inside)
        before = at
    cp.add(before >= end - 1 - most)
    return found


def _stretches(case: Case) -> list[_Stretch]:
    """Free stretches, with the locked work that they touch."""
    parts = [_Stretch(a, b, [(a, b)]) for a, b in case.axis.free]
    joins = {(run.first, run.end): run for run in case.locked_runs}
    parts += [_Stretch(run.first, run.end, [], run.joins_after) for run in case.locked_runs]
    found: list[_Stretch] = []
    for part in sorted(parts, key=lambda part: part.first):
        run = None if part.free else joins[part.first, part.end]
        last = found[-1] if found else None
        if last is not None and last.is_open and last.end == part.first and (run is None or run.joins_before):
            found[-1] = _Stretch(last.first, part.end, last.free + part.free, part.is_open)
        else:
            found.append(part)
    return found


FAR = 1 << 30


@dataclass
class Piece:
    """One block of a task in the model; `used` is None for one that is always there."""

    start: Any
    size: Any
    end: Any
    used: Any = None
    joins: Any = None
    """Whether it goes on with the block before it, without a break."""


@dataclass
class Model:
    """The model with its variables by the task's index. `complete` tells whether it allows every schedule."""

    case: Case
    bounds: Bounds
    cp: "CpModel"
    pieces: dict[int, list[Piece]] = field(default_factory=dict)
    complete: bool = True
    present: dict[int, Any] = field(default_factory=dict)
    """In a model with options: whether a task is there, by its index."""
    linked: dict[int, Any] = field(default_factory=dict)
    """In a model with options: whether a link holds, by its place in the problem."""

    def start(self, index: int) -> Any:
        """When a task starts."""
        return self.pieces[index][0].start

    def end(self, index: int) -> Any:
        """When a task ends; unused blocks lie at the end of the last one."""
        return self.pieces[index][-1].end

    def places(self, value: Any) -> Places:
        """The schedule that `value`, a function of variables, tells."""
        found: Places = {}
        for index, row in self.pieces.items():
            spans = [(value(piece.start), value(piece.end)) for piece in row if piece.used is None or value(piece.used)]
            found[index] = joined(spans)
        return found


def build_model(case: Case, bounds: Bounds, most_blocks: dict[int, int] | None = None, options: bool = False) -> Model:
    """State the case, without an objective.

    Args:
        case: the problem.
        bounds: of the tasks; with options only their own ones hold, as the links may be left out.
        most_blocks: of split tasks, by their index; of the others as many as they may have.
        options: whether each task that is not locked, and each link, may be left out.
    """
    from ortools.sat.python import cp_model

    model = Model(case, bounds, cp_model.CpModel())
    if options:
        model.present = {work.index: model.cp.new_bool_var(f"task {work.index}") for work in case.moving}
        model.linked = {n: model.cp.new_bool_var(f"link {n}") for n in range(len(case.problem.links))}
    for work in case.moving:
        count = all_blocks(work)
        if most_blocks is not None and not work.whole:
            count = max(2, min(count, most_blocks.get(work.index, count)))
        model.pieces[work.index] = [_whole(model, work)] if count == 1 else _row(model, work, count)
        if count < all_blocks(work):
            model.complete = False
    _keep_apart(model)
    numbers = {id(link): number for number, link in enumerate(case.problem.links)}
    for arc in case.arcs:
        add_arc(model, arc, numbers[id(arc.link)])
    rows = {index: [(p.start, p.size, p.end, p.used) for p in row] for index, row in model.pieces.items()}
    add_day_limits(case, bounds, model.cp, rows)
    return model


def add_objective(model: Model) -> None:
    """Minimise the cost of `objective.cost`."""
    case, cp = model.case, model.cp
    origin = case.axis.ceil(case.problem.start)
    terms: list[Any] = []
    for work in case.moving:
        earlier = earlier_place(case, work)
        if not earlier:
            terms.append(work.weight * (model.end(work.index) - origin))
            continue
        row = model.pieces[work.index]
        for number, then in enumerate(earlier):
            moved = cp.new_bool_var("")
            place = row[number] if number < len(row) else Piece(row[-1].end, 0, row[-1].end)
            for value, was in ((place.start, then[0]), (place.end, then[1])):
                distance = cp.new_int_var(0, FAR, "")
                cp.add_abs_equality(distance, value - was)
                cp.add(distance == 0).only_enforce_if(~moved)
                terms.append(DISTANCE * distance)
            terms.append(MOVED * moved)
        terms += [MOVED * piece.used for piece in row[len(earlier) :]]
    cp.minimize(sum(terms))


def add_hint(model: Model, places: Places) -> None:
    """Start the search from a schedule."""
    for index, row in model.pieces.items():
        spans = _cut(model.case.works[index], places[index])
        for number, piece in enumerate(row):
            first, end = spans[number] if number < len(spans) else (spans[-1][1], spans[-1][1])
            model.cp.add_hint(piece.start, first)
            if piece.used is not None:
                model.cp.add_hint(piece.used, number < len(spans))
                model.cp.add_hint(piece.size, end - first)


def _cut(work: Work, spans: list[Slots]) -> list[Slots]:
    """Stretches as blocks that are no longer than a block may be."""
    found: list[Slots] = []
    for first, end in spans:
        while end - first > work.longest:
            found.append((first, first + work.longest))
            first += work.longest
        found.append((first, end))
    return found


def all_blocks(work: Work) -> int:
    """How many blocks a task may have at most."""
    return 1 if work.whole else -(-work.slots // work.shortest)


def _whole(model: Model, work: Work) -> Piece:
    from ortools.sat.python.cp_model import Domain

    low, high = model.bounds.start_from[work.index], model.bounds.end_until[work.index]
    starts = model.case.axis.starts(work.slots, low, high) if work.slots <= work.longest else []
    last = model.bounds.start_until[work.index]
    domain = Domain.from_intervals([[a, min(b, last)] for a, b in starts if a <= last])
    start = model.cp.new_int_var_from_domain(domain, f"start {work.index}")
    return Piece(start, work.slots, start + work.slots, model.present.get(work.index))


def _row(model: Model, work: Work, count: int) -> list[Piece]:
    """Blocks in order; those that are not used come last and lie, without length, at the end of the last used one."""
    cp, index = model.cp, work.index
    low, high = model.bounds.start_from[index], max(model.bounds.start_from[index], model.bounds.end_until[index])
    row: list[Piece] = []
    for number in range(count):
        start = cp.new_int_var(low, high, f"start {index}.{number}")
        end = cp.new_int_var(low, high, f"end {index}.{number}")
        size = cp.new_int_var(0, min(work.longest, work.slots), f"size {index}.{number}")
        used = cp.new_bool_var(f"used {index}.{number}")
        cp.add(start + size == end)
        cp.add(size >= work.last).only_enforce_if(used)
        cp.add(size == 0).only_enforce_if(~used)
        if row:
            cp.add_implication(used, row[-1].used)
            cp.add(row[-1].size >= work.shortest).only_enforce_if(used)
            cp.add(start >= row[-1].end)
            cp.add(start == row[-1].end).only_enforce_if(~used)
        else:
            cp.add(used == model.present.get(index, 1))
        row.append(Piece(start, size, end, used))
    cp.add(sum(piece.size for piece in row) == work.slots * row[0].used)
    return row


def _keep_apart(model: Model) -> None:
    """No two at once, nothing outside the free time, breaks between tasks and after long work."""
    case, cp = model.case, model.cp
    raw, resting = [], []
    split = any(len(row) > 1 for row in model.pieces.values())
    for row in model.pieces.values():
        for number, piece in enumerate(row):
            following = row[number + 1] if number + 1 < len(row) else None
            if piece.used is None:
                raw.append(cp.new_fixed_size_interval_var(piece.start, piece.size, ""))
                resting.append(cp.new_fixed_size_interval_var(piece.start, piece.size + case.rest, ""))
            elif isinstance(piece.size, int):
                raw.append(cp.new_optional_fixed_size_interval_var(piece.start, piece.size, piece.used, ""))
                size = piece.size + case.rest
                resting.append(cp.new_optional_fixed_size_interval_var(piece.start, size, piece.used, ""))
            else:
                raw.append(cp.new_optional_interval_var(piece.start, piece.size, piece.end, piece.used, ""))
                resting.append(_with_rest(model, piece, following))
    gaps = _gaps(case)
    for first, end in gaps:
        if split:
            raw.append(cp.new_fixed_size_interval_var(first, end - first, ""))
        if end - first > case.rest:
            resting.append(cp.new_fixed_size_interval_var(first + case.rest, end - first - case.rest, ""))
    if split or not case.rest:
        cp.add_no_overlap(raw + add_pauses(case, cp))
    if case.rest:
        cp.add_no_overlap(resting)
        _limit_rows(model)


def _with_rest(model: Model, piece: Piece, following: Piece | None) -> Any:
    """A block with the break after it; the next block of the same task may follow earlier, as the same stretch."""
    case, cp = model.case, model.cp
    if following is None or case.rest < 2:
        # A pause shorter than a break of one slot does not exist.
        return cp.new_optional_interval_var(piece.start, piece.size + case.rest, piece.end + case.rest, piece.used, "")
    end, size = cp.new_int_var(-FAR, FAR, ""), cp.new_int_var(0, FAR, "")
    following.joins = cp.new_bool_var("")
    cp.add_implication(following.joins, following.used)
    cp.add(end == following.start).only_enforce_if(following.joins)
    cp.add(end == piece.end + case.rest).only_enforce_if(~following.joins)
    return cp.new_optional_interval_var(piece.start, size, end, piece.used, "")


def _limit_rows(model: Model) -> None:
    """Blocks of one task that follow each other without a break are one stretch of work."""
    most = model.case.problem.calendar.max_consecutive_minutes
    if most is None:
        return
    for row in model.pieces.values():
        worked: Any = row[0].size
        for piece in row[1:]:
            if piece.joins is None:
                break
            stretch = model.cp.new_int_var(0, most // GRID_MINUTES, "")
            model.cp.add(stretch >= piece.size)
            model.cp.add(stretch >= worked + piece.size).only_enforce_if(piece.joins)
            worked = stretch


def _gaps(case: Case) -> list[Slots]:
    """What lies between the free stretches, and well before and after them."""
    free = case.axis.free
    if not free:
        return []
    edges = [(free[0][0] - 4 * case.rest - 96, free[0][0])]
    edges += [(a[1], b[0]) for a, b in pairwise(free)]
    return [*edges, (free[-1][1], free[-1][1] + 4 * case.rest + 96)]


def add_arc(model: Model, arc: Arc, number: int) -> None:
    """State one arc of the link with a number; with options, only where link and tasks are there."""
    works, cp = model.case.works, model.cp
    left, right = works[arc.before], works[arc.after]
    if left.lock is not None and right.lock is not None:
        return
    if left.lock is not None:
        least: Any = slots_up(locked_end(left, arc.before_end) + arc.minutes)
        stated = cp.add(_end_of(model, arc.after, arc.after_end) >= least)
    elif right.lock is not None:
        most = (locked_end(right, arc.after_end) - arc.minutes) // GRID_MINUTES
        stated = cp.add(_end_of(model, arc.before, arc.before_end) <= most)
    else:
        least = _end_of(model, arc.before, arc.before_end) + slots_up(arc.minutes)
        stated = cp.add(_end_of(model, arc.after, arc.after_end) >= least)
    if model.linked:
        there = [model.present[index] for index in {arc.before, arc.after} if index in model.present]
        stated.only_enforce_if([model.linked[number], *there])


def _end_of(model: Model, index: int, end: bool) -> Any:
    return model.end(index) if end else model.start(index)
