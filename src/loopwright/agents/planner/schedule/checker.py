"""Is this a right schedule? Every schedule passes here before anyone sees it.

Written against the words of `problem.py` alone: it shares no code with the solver, its axis or the calendar's spans,
and asks the clock on the wall about every minute of work, so that an error there is found here.

What is locked lies where it is locked, whatever else: locked blocks are not asked about hours, busy times, capacity or
breaks, but they take time that others cannot have, count against the day for others, and links hold for them too.
In mode `manual` only locked tasks have to be placed.
"""

from collections import defaultdict
from collections.abc import Iterable

from loopwright.agents.planner.schedule.check_blocks import block_violations, placing_violations
from loopwright.agents.planner.schedule.check_days import day_violations, rest_violations
from loopwright.agents.planner.schedule.check_links import link_violations
from loopwright.agents.planner.schedule.clock import Piece, clock_time
from loopwright.agents.planner.schedule.problem import Block, Problem, Span
from loopwright.agents.planner.schedule.violations import Violation


def check_schedule(problem: Problem, blocks: Iterable[Block]) -> list[Violation]:
    """Hold blocks against every rule of the problem.

    Args:
        problem: what was to be scheduled; its own times are aware.
        blocks: where the tasks lie, in any order.

    Returns:
        Every violation found, in the order of the rules; none for a right schedule.
    """
    found: list[Violation] = []
    pieces = _pieces(problem, blocks, found)
    by_task: dict[str, list[Piece]] = defaultdict(list)
    for piece in pieces:
        by_task[piece.task_id].append(piece)
    for task in problem.tasks:
        found += placing_violations(problem, task, by_task.get(task.id, []))
    found += block_violations(problem, pieces)
    found += _overlaps(pieces)
    found += day_violations(problem, pieces)
    found += rest_violations(problem, pieces)
    found += link_violations(problem, by_task)
    return found


def _pieces(problem: Problem, blocks: Iterable[Block], found: list[Violation]) -> list[Piece]:
    """The blocks that can be reasoned about, in order; the others are told at once."""
    tasks = {task.id: task for task in problem.tasks}
    pieces = []
    for block in blocks:
        task = tasks.get(block.task_id)
        if task is None:
            found.append(Violation("unknown_task", f"There is no task {block.task_id!r}.", (block.task_id,)))
        elif block.start.utcoffset() is None or block.end.utcoffset() is None:
            text = f"A block of {task.title!r} has a time without a zone."
            found.append(Violation("naive_time", text, (task.id,)))
        else:
            piece = Piece.of(block, task)
            if piece.end > piece.start:
                pieces.append(piece)
            else:
                text = f"A block of {task.title!r} does not end after it starts."
                found.append(Violation("empty_block", text, (task.id,)))
    return sorted(pieces, key=lambda piece: (piece.start, piece.end, piece.task_id))


def _overlaps(pieces: list[Piece]) -> list[Violation]:
    """Two things at once; `pieces` are in order of their start."""
    found = []
    latest: Piece | None = None
    for piece in pieces:
        if latest is not None and piece.start < latest.end:
            shared = Span(clock_time(piece.start), clock_time(min(piece.end, latest.end)))
            text = f"{latest.title!r} and {piece.title!r} lie at the same time."
            found.append(Violation("overlap", text, (latest.task_id, piece.task_id), shared))
        if latest is None or piece.end > latest.end:
            latest = piece
    return found
