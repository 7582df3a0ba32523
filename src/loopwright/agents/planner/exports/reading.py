"""The plan's nodes in the order in which people read them."""

import re
from collections import defaultdict
from collections.abc import Iterator
from html import escape
from uuid import UUID

from loopwright.agents.planner.contracts import PlanNode
from loopwright.agents.planner.contracts.plan import Outline

FORBIDDEN = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffe\uffff]")
"""What no XML text may hold."""


def markup(text: str) -> str:
    """Text that shows as it is within XML and HTML, also in quoted attributes."""
    return escape(xml_text(text))


def xml_text(text: str) -> str:
    """Text in one line, without what XML forbids; not escaped."""
    return " ".join(FORBIDDEN.sub(" ", text).split())


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
