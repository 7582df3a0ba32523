"""The plan's nodes in the order in which people read them."""

from collections import defaultdict
from collections.abc import Iterator
from uuid import UUID

from loopwright.agents.planner.contracts import PlanNode
from loopwright.agents.planner.contracts.plan import Outline


def plan_title(outline: Outline) -> str:
    """The title of the plan's goal."""
    return next(node.title for node in outline.nodes if node.id == outline.root_id)


def walk_nodes(outline: Outline) -> Iterator[tuple[int, PlanNode]]:
    """Each node once with its depth, parents before children, brothers in the plan's order.

    Nodes that no path from the goal reaches come last, at depth 1: nothing is dropped in silence.
    """
    children: dict[UUID | None, list[PlanNode]] = defaultdict(list)
    for node in outline.nodes:
        children[node.parent_id].append(node)
    seen: set[UUID] = set()
    roots = [node for node in outline.nodes if node.id == outline.root_id]
    for depth, start in [(0, node) for node in roots] + [(1, node) for node in outline.nodes]:
        waiting = [(depth, start)]
        while waiting:
            level, node = waiting.pop()
            if node.id in seen:
                continue
            seen.add(node.id)
            yield level, node
            waiting += [(level + 1, child) for child in reversed(children[node.id])]


def phase_titles(outline: Outline) -> dict[UUID, str]:
    """For each node the title of the part of the plan, right below the goal, in which it lies."""
    titles: dict[UUID, str] = {}
    current = plan_title(outline)
    for depth, node in walk_nodes(outline):
        if depth <= 1:
            current = node.title
        titles[node.id] = current
    return titles
