"""The checker's rules for one task and for one block."""

from collections.abc import Iterable, Iterator
from datetime import datetime, time

from loopwright.agents.planner.schedule.clock import MINUTE, Piece, seconds, wall_time
from loopwright.agents.planner.schedule.problem import GRID_MINUTES, Problem, Span, Task, WorkingCalendar
from loopwright.agents.planner.schedule.violations import Rule, Violation

QUARTER = GRID_MINUTES * MINUTE


def placing_violations(problem: Problem, task: Task, pieces: list[Piece]) -> Iterator[Violation]:
    """Whether a task lies where and as long as it should; `pieces` are its own, in order."""
    runs = _runs((piece.start, piece.end) for piece in pieces)
    if task.locked:
        if runs != _runs(sorted((seconds(span.start), seconds(span.end)) for span in task.locked)):
            yield Violation("locked", f"{task.title!r} does not lie where it is locked.", (task.id,))
        return
    if not pieces:
        if problem.mode != "manual":
            yield Violation("unscheduled", f"{task.title!r} has no block.", (task.id,))
        return
    wanted = -(-task.minutes // GRID_MINUTES) * GRID_MINUTES
    given = sum(piece.end - piece.start for piece in pieces) / MINUTE
    if given != wanted:
        yield Violation("minutes", f"{task.title!r} has {given:g} minutes instead of {wanted}.", (task.id,))
    if not task.splittable and len(runs) > 1:
        yield Violation("in_one_piece", f"{task.title!r} is cut into {len(runs)} blocks.", (task.id,))
    if task.splittable and any(end - start < task.min_block_minutes * MINUTE for start, end in runs[:-1]):
        text = f"A block of {task.title!r}, not the last one, is shorter than {task.min_block_minutes} minutes."
        yield Violation("min_block", text, (task.id,))
    if task.earliest is not None and pieces[0].start < seconds(task.earliest):
        text = f"{task.title!r} starts before {task.earliest.isoformat()}."
        yield Violation("earliest", text, (task.id,), pieces[0].span)
    if task.latest is not None and pieces[-1].end > seconds(task.latest):
        text = f"{task.title!r} ends after {task.latest.isoformat()}."
        yield Violation("latest", text, (task.id,), pieces[-1].span)


def block_violations(problem: Problem, pieces: list[Piece]) -> Iterator[Violation]:
    """Whether each block lies in time that may be used."""
    calendar = problem.calendar
    taken: list[tuple[Rule, Span]] = [("blackout", span) for span in calendar.blackouts]
    taken += [("busy", span) for span in calendar.busy]
    holes = sorted((seconds(span.start), seconds(span.end), rule) for rule, span in taken)
    exact = _on_quarters(calendar)
    for piece in pieces:
        if piece.start < seconds(problem.start) or piece.end > seconds(problem.end):
            yield _broken("horizon", piece, "lies outside the time that is planned")
        if piece.locked:
            continue
        if piece.start % QUARTER or piece.end % QUARTER:
            yield _broken("grid", piece, "does not lie on quarters of an hour")
        if not _in_working_hours(calendar, piece, exact):
            yield _broken("working_hours", piece, "lies outside the working hours")
        for start, end, rule in holes:
            if start >= piece.end:
                break
            if end > piece.start and end > start:
                yield _broken(rule, piece, f"lies in a {rule} time")


def _broken(rule: Rule, piece: Piece, what: str) -> Violation:
    return Violation(rule, f"A block of {piece.title!r} {what}.", (piece.task_id,), piece.span)


def _runs(spans: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
    """Spans in order, where those that touch count as one; those that overlap stay apart."""
    runs: list[tuple[float, float]] = []
    for start, end in spans:
        if runs and runs[-1][1] == start:
            runs[-1] = (runs[-1][0], end)
        else:
            runs.append((start, end))
    return runs


def _on_quarters(calendar: WorkingCalendar) -> bool:
    """Whether all hours begin and end on quarters: then a quarter of an hour is wholly within them or wholly not."""
    ends = [end for window in calendar.windows for end in (window.start, window.end)]
    ends += [end for hours in calendar.exceptions.values() for pair in hours for end in pair]
    return all(not (end.minute % GRID_MINUTES or end.second or end.microsecond) for end in ends)


def _in_working_hours(calendar: WorkingCalendar, piece: Piece, exact: bool) -> bool:
    """Look at the wall clock at each minute of the block, or at each quarter where that says the same."""
    quarters = exact and not piece.start % QUARTER
    step = QUARTER if quarters else MINUTE
    moment = piece.start
    while moment < piece.end:
        if not _open_at(calendar, wall_time(moment, calendar.zone)):
            return False
        moment += step
    return True


def _open_at(calendar: WorkingCalendar, wall: datetime) -> bool:
    shown = wall.time()
    hours: Iterable[tuple[time, time]]
    if wall.date() in calendar.exceptions:
        hours = calendar.exceptions[wall.date()]
    else:
        hours = [(window.start, window.end) for window in calendar.windows if window.weekday == wall.weekday()]
    return any(opens <= shown and (shown < closes or closes == time.min) for opens, closes in hours)
