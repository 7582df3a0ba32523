"""Locked tasks that contradict each other: they are never moved, so nothing else can help."""

from datetime import UTC
from itertools import pairwise

from loopwright.agents.planner.schedule.bounds import fixed_arcs, locked_end
from loopwright.agents.planner.schedule.case import Case, in_words
from loopwright.agents.planner.schedule.certificates.words import quoted
from loopwright.agents.planner.schedule.problem import Cause, Span


def find_locked_conflict(case: Case) -> Cause | None:
    """Two locked tasks at once, a locked task outside the planned time, or a link between two that does not hold."""
    return _overlap(case) or _outside(case) or _link(case)


def _overlap(case: Case) -> Cause | None:
    spans = sorted(
        (
            (span.start.astimezone(UTC), span.end.astimezone(UTC), work)
            for work in case.locked
            for span in work.task.locked
        ),
        key=lambda entry: entry[:2],
    )
    for (start, end, work), (later, until, other) in pairwise(spans):
        if later < end:
            text = (
                f"{quoted(work.task.title)} and {quoted(other.task.title)} are locked to the same time: "
                f"{in_words(later, case.problem)} lies within both."
            )
            return Cause("locked", text, (work.task.id, other.task.id), Span(max(start, later), min(end, until)))
    return None


def _outside(case: Case) -> Cause | None:
    start, end = case.problem.start.astimezone(UTC), case.problem.end.astimezone(UTC)
    for work in case.locked:
        for span in work.task.locked:
            if span.start.astimezone(UTC) < start or span.end.astimezone(UTC) > end:
                text = (
                    f"{quoted(work.task.title)} is locked at {in_words(span.start, case.problem)}, outside the planned "
                    f"time from {in_words(start, case.problem)} to {in_words(end, case.problem)}."
                )
                return Cause("locked", text, (work.task.id,), span)
    return None


def _link(case: Case) -> Cause | None:
    for arc in fixed_arcs(case):
        first, second = case.works[arc.before], case.works[arc.after]
        apart = locked_end(second, arc.after_end) - locked_end(first, arc.before_end)
        if apart < arc.minutes:
            a, b = (second, first) if arc.is_maximum else (first, second)
            limit = f"at most {-arc.minutes}" if arc.is_maximum else f"at least {arc.minutes}"
            text = (
                f"{quoted(a.task.title)} and {quoted(b.task.title)} are both locked, but not as their link wants it: "
                f"{abs(apart)} minutes lie between, {limit} are needed."
            )
            return Cause("locked", text, (a.task.id, b.task.id), None, abs(arc.minutes), apart)
    return None
