"""Two tasks that exclude each other: neither can come first."""

from collections.abc import Iterator, Sequence
from itertools import combinations

from loopwright.agents.planner.schedule.bounds import Bounds
from loopwright.agents.planner.schedule.case import Case, Work
from loopwright.agents.planner.schedule.problem import GRID_MINUTES, Cause

# Words for causes.

MOST_NAMED = 6


def quoted(title: str) -> str:
    """A title as it stands in a sentence."""
    return f"“{title}”"


def listed(titles: Sequence[str]) -> str:
    """Titles as a list in a sentence; of many, the first ones."""
    shown = [quoted(title) for title in titles[:MOST_NAMED]]
    if len(titles) > MOST_NAMED:
        return f"{', '.join(shown)} and {len(titles) - MOST_NAMED} more"
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def lasting(minutes: int) -> str:
    """A duration: 50 minutes, 3 h, 2 h 30 min."""
    hours, rest = divmod(minutes, 60)
    if hours == 0:
        return f"{rest} minutes"
    return f"{hours} h {rest} min" if rest else f"{hours} h"


MOST_PAIRS = 10_000
"""Of more, only those of the tasks with the least freedom are compared."""


def find_pair(case: Case, bounds: Bounds) -> Cause | None:
    """Two tasks in one piece of which each would come too late after the other, or None."""
    apart = _greatest_distances(case)
    for a, b in _candidates(case, bounds):
        if _impossible(case, bounds, a, b, apart) and _impossible(case, bounds, b, a, apart):
            return _cause(case, bounds, a, b)
    return None


def _candidates(case: Case, bounds: Bounds) -> Iterator[tuple[Work, Work]]:
    works = [work for work in case.moving if work.whole]
    works.sort(key=lambda work: bounds.end_until[work.index] - bounds.start_from[work.index] - work.slots)
    most = int((2 * MOST_PAIRS) ** 0.5)
    return combinations(works[:most], 2)


def _greatest_distances(case: Case) -> dict[tuple[int, int], int]:
    """How many slots after the start of one task another may start at most, by links of the two."""
    found: dict[tuple[int, int], int] = {}
    for arc in case.arcs:
        first, second = case.works[arc.before], case.works[arc.after]
        if not (first.whole and second.whole) or first.lock or second.lock:
            continue
        # first's start may lie at most so many slots after second's start.
        shift = (second.slots if arc.after_end else 0) - (first.slots if arc.before_end else 0)
        most = shift - -(-arc.minutes // GRID_MINUTES)
        key = (second.index, first.index)
        found[key] = min(found.get(key, most), most)
    return found


def _impossible(case: Case, bounds: Bounds, a: Work, b: Work, apart: dict[tuple[int, int], int]) -> bool:
    """Whether b cannot come after a."""
    if apart.get((a.index, b.index), 1 << 40) < a.slots + case.rest:
        return True
    least = bounds.start_from[a.index] + a.slots + case.rest
    last = min(bounds.end_until[b.index], bounds.start_until[b.index] + b.slots)
    if least + b.slots > last:
        return True
    start = case.axis.earliest_start(b.slots, max(least, bounds.start_from[b.index]))
    return start is None or start + b.slots > last


def _cause(case: Case, bounds: Bounds, a: Work, b: Work) -> Cause:
    first = min(bounds.start_from[a.index], bounds.start_from[b.index])
    end = max(bounds.end_until[a.index], bounds.end_until[b.index])
    needed = (a.slots + b.slots + case.rest) * GRID_MINUTES
    text = (
        f"{quoted(a.task.title)} (from {case.when(bounds.start_from[a.index])} to "
        f"{case.when(bounds.end_until[a.index])}) and {quoted(b.task.title)} (from "
        f"{case.when(bounds.start_from[b.index])} to {case.when(bounds.end_until[b.index])}) exclude each other: "
        f"whichever comes first, the other one is too late."
    )
    free = case.axis.between(first, end) * GRID_MINUTES
    return Cause("pair", text, (a.task.id, b.task.id), case.span(first, end), needed, free)
