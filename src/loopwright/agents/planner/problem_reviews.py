"""A review comes after what it looks back on.

Outlines rarely say so: a review hangs in its phase like any other task. So it waits for all single work of its phase,
and of recurring work for what is due well before the phase ends: the last times leave it no time before the next phase.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from uuid import UUID

from loopwright.agents.planner.contracts.plan import PlanNode
from loopwright.agents.planner.grammar.waiting import Tree
from loopwright.agents.planner.problem_tasks import SLOT, LeafWork
from loopwright.agents.planner.schedule.problem import Link, Span

REVIEW_TAGS = frozenset({"reflection", "review", "retrospective"})
REVIEW_TITLE = re.compile(r"(review|retrospective|reflection)\s*(:|$)", re.IGNORECASE)
SPACE = 0.25
"""Of the time of its recurring work a phase keeps so much for its reviews, at the end."""
LEAST_SPACE = timedelta(days=7)


def is_review(leaf: PlanNode) -> bool:
    """Whether a leaf looks back on its phase: by its tag, or by the word before the colon of its title."""
    if leaf.metadata.get(SLOT):  # a session has its own day
        return False
    return bool(REVIEW_TAGS & {tag.lower() for tag in leaf.tags}) or REVIEW_TITLE.match(leaf.title) is not None


def review_links(tree: Tree, work: Mapping[UUID, LeafWork], links: Iterable[Link], horizon: Span) -> list[Link]:
    """The links with which each review waits for its phase; none that would close a circle with other links."""
    after: dict[str, list[str]] = defaultdict(list)
    for link in links:
        after[link.before].append(link.after)
    phases: dict[UUID, list[LeafWork]] = defaultdict(list)
    for each in work.values():
        phases[_phase(tree, each.leaf).id].append(each)
    found: list[Link] = []
    for each in work.values():
        if not is_review(each.leaf) or each.source is not None or each.tasks[0].locked:
            continue
        review = each.tasks[0]
        following = _reached(review.id, after)
        for name in _looked_back_on(phases[_phase(tree, each.leaf).id], horizon):
            if name not in following and review.id not in after[name]:
                found.append(Link(name, review.id))
                after[name].append(review.id)
    return found


def _phase(tree: Tree, leaf: PlanNode) -> PlanNode:
    """The nearest phase, cycle or goal above."""
    above = tree.ancestors(leaf)
    return next((node for node in above if node.node_type in ("phase", "cycle", "goal")), above[-1] if above else leaf)


def _looked_back_on(phase: list[LeafWork], horizon: Span) -> Iterator[str]:
    """The ids of the tasks that the reviews of a phase wait for."""
    for each in phase:
        if is_review(each.leaf) or not each.tasks:
            continue
        if each.source is None:
            yield each.tasks[0].id
            continue
        ends = [_utc(task.latest or horizon.end) for task in each.tasks]
        begin = min(_utc(task.earliest or horizon.start) for task in each.tasks)
        last = max(ends) - max(LEAST_SPACE, SPACE * (max(ends) - begin))
        early = [task.id for task, end in zip(each.tasks, ends, strict=True) if end <= last]
        if early:
            yield early[-1]


def _reached(name: str, after: Mapping[str, list[str]]) -> set[str]:
    """The tasks that come after one by links, itself too."""
    found, waiting = {name}, [name]
    while waiting:
        for other in after.get(waiting.pop(), ()):
            if other not in found:
                found.add(other)
                waiting.append(other)
    return found


def _utc(moment: datetime) -> datetime:
    return moment.astimezone(UTC)
