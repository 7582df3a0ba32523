"""The checker's rules for dependencies."""

from collections.abc import Iterator, Mapping

from loopwright.agents.planner.schedule.clock import MINUTE, Piece
from loopwright.agents.planner.schedule.problem import Link, Problem
from loopwright.agents.planner.schedule.violations import Violation


def link_violations(problem: Problem, by_task: Mapping[str, list[Piece]]) -> Iterator[Violation]:
    """Whether the named ends of linked tasks are as far apart as they should be, in elapsed time.

    Tasks that are not placed are told elsewhere.
    """
    for link in problem.links:
        before, after = by_task.get(link.before), by_task.get(link.after)
        if not before or not after:
            continue
        apart = (_second_end(link, after) - _first_end(link, before)) / MINUTE
        pair = (link.before, link.after)
        words = f"{after[0].title!r} depends on {before[0].title!r} ({link.type.replace('_', ' ')})"
        if apart < link.lag_minutes:
            text = f"{words}: {apart:g} minutes lie between, at least {link.lag_minutes} are needed."
            yield Violation(link.type, text, pair)
        if link.max_lag_minutes is not None and apart > link.max_lag_minutes:
            text = f"{words}: {apart:g} minutes lie between, at most {link.max_lag_minutes} are allowed."
            yield Violation("max_lag", text, pair)


def _first_end(link: Link, pieces: list[Piece]) -> float:
    """The instant of the task that comes first which the link names."""
    if link.type in {"finish_to_start", "finish_to_finish"}:
        return max(piece.end for piece in pieces)
    return min(piece.start for piece in pieces)


def _second_end(link: Link, pieces: list[Piece]) -> float:
    """The instant of the dependent task which the link names."""
    if link.type in {"finish_to_finish", "start_to_finish"}:
        return max(piece.end for piece in pieces)
    return min(piece.start for piece in pieces)
