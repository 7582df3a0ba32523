"""Dependencies between nodes as links between their work.

A node ends when the last of its work ends, and begins when the first of it begins. So what waits for a whole phase
waits for every leaf in it after which nothing else of the phase comes, and all work with which the waiting node can
begin waits. Work of one cycle waits within each of its occurrences.
"""

from collections.abc import Iterator, Mapping
from uuid import UUID

from loopwright.agents.planner.contracts.plan import Dependency, PlanNode
from loopwright.agents.planner.grammar.waiting import Tree
from loopwright.agents.planner.problem_tasks import LeafWork
from loopwright.agents.planner.schedule.problem import Link, Task


def links_between(tree: Tree, work: Mapping[UUID, LeafWork]) -> list[Link]:
    """All links, none twice. Dependencies on nodes without work that is left say nothing any more."""
    ends = _Ends(tree, work)
    found: dict[tuple[str, str, str], Link] = {}
    for node in tree.nodes.values():
        for dependency in node.dependencies:
            other = tree.nodes.get(dependency.node_id)
            if other is None or node.id not in tree.depths:
                continue
            for link in _links(ends, node, other, dependency):
                key = (link.before, link.after, link.type)
                if link.before != link.after and (key not in found or found[key].lag_minutes < link.lag_minutes):
                    found[key] = link
    return list(found.values())


class _Ends:
    """The first and the last work of nodes."""

    def __init__(self, tree: Tree, work: Mapping[UUID, LeafWork]) -> None:
        self._tree, self._work = tree, work
        self._leaves: dict[UUID, list[UUID]] = {}
        self._known: dict[tuple[UUID, bool], list[LeafWork]] = {}

    def firsts(self, node: PlanNode) -> list[LeafWork]:
        """Work with which the node can begin."""
        return self._ends(node, last=False)

    def lasts(self, node: PlanNode) -> list[LeafWork]:
        """Work after which nothing of the node comes."""
        return self._ends(node, last=True)

    def _ends(self, node: PlanNode, *, last: bool) -> list[LeafWork]:
        key = (node.id, last)
        if key not in self._known:
            inner: set[UUID] = set()
            for below in self._tree.walk(node):
                for item in below.dependencies:
                    # Only an order from end to beginning puts one behind the other for certain.
                    if below is not node and item.type == "finish_to_start" and self._within(item.node_id, node):
                        moved = self._leaves_of(item.node_id) if last else self._leaves_of(below.id)
                        inner |= set(moved)
            leaves = self._leaves_of(node.id)
            self._known[key] = [self._work[leaf] for leaf in leaves if leaf not in inner] or [
                self._work[leaf] for leaf in leaves
            ]
        return self._known[key]

    def _within(self, node_id: UUID, node: PlanNode) -> bool:
        other = self._tree.nodes.get(node_id)
        return other is not None and any(above is node for above in self._tree.ancestors(other))

    def _leaves_of(self, node_id: UUID) -> list[UUID]:
        if node_id not in self._leaves:
            leaves = self._tree.leaves(self._tree.nodes[node_id])
            self._leaves[node_id] = [leaf.id for leaf in leaves if leaf.id in self._work and self._work[leaf.id].tasks]
        return self._leaves[node_id]


def _links(ends: _Ends, node: PlanNode, other: PlanNode, dependency: Dependency) -> Iterator[Link]:
    """The links of one dependency.

    Where all pieces at an end would ask for more than was said, the first one written stands for the beginning of a
    node, the last one for its end.
    """
    match dependency.type:
        case "finish_to_start":
            befores, afters = ends.lasts(other), ends.firsts(node)
        case "start_to_start":
            befores, afters = ends.firsts(other)[:1], ends.firsts(node)
        case "finish_to_finish":
            befores, afters = ends.lasts(other), ends.lasts(node)[-1:]
        case _:
            befores, afters = ends.firsts(other)[:1], ends.lasts(node)[-1:]
    for before in befores:
        for after in afters:
            for first, second in _pairs(before, after, dependency):
                yield Link(first.id, second.id, dependency.type, dependency.lag_lead_minutes)


def _pairs(before: LeafWork, after: LeafWork, dependency: Dependency) -> list[tuple[Task, Task]]:
    """Which occurrence waits for which: within one cycle the same ones, else the outermost."""
    if before.source is not None and before.source is after.source:
        return list(zip(before.tasks, after.tasks, strict=False))
    from_end = dependency.type in ("finish_to_start", "finish_to_finish")
    to_end = dependency.type in ("finish_to_finish", "start_to_finish")
    return [(before.tasks[-1 if from_end else 0], after.tasks[-1 if to_end else 0])]
