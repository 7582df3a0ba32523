"""The nodes of an outline as a tree, tolerant of whatever is wrong with them."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cached_property
from uuid import UUID

from loopwright.agents.planner.contracts.nodes import PlanNode


class Tree:
    """Nodes by id, with children in their order. Of nodes with the same id the first one counts."""

    def __init__(self, root_id: UUID | None, nodes: Sequence[PlanNode]) -> None:
        """Index the nodes; nothing is checked."""
        self.root_id = root_id
        self.nodes: dict[UUID, PlanNode] = {}
        for node in nodes:
            self.nodes.setdefault(node.id, node)
        self.children: dict[UUID, list[PlanNode]] = defaultdict(list)
        for node in self.nodes.values():
            if node.parent_id is not None:
                self.children[node.parent_id].append(node)

    @property
    def root(self) -> PlanNode | None:
        """The root, where it is a node."""
        return self.nodes.get(self.root_id) if self.root_id is not None else None

    def parent(self, node: PlanNode) -> PlanNode | None:
        """The node above, where there is one."""
        return self.nodes.get(node.parent_id) if node.parent_id is not None else None

    def ancestors(self, node: PlanNode) -> list[PlanNode]:
        """The nodes above, the nearest first; a loop is walked once."""
        seen, found = {node.id}, []
        above = self.parent(node)
        while above is not None and above.id not in seen:
            seen.add(above.id)
            found.append(above)
            above = self.parent(above)
        return found

    def walk(self, node: PlanNode) -> Iterator[PlanNode]:
        """The node and all below it, parents first, siblings in order; a loop is walked once."""
        seen: set[UUID] = set()
        stack = [node]
        while stack:
            here = stack.pop()
            if here.id in seen:
                continue
            seen.add(here.id)
            yield here
            stack += reversed(self.children.get(here.id, []))

    def leaves(self, node: PlanNode) -> list[PlanNode]:
        """The leaves below the node, or the node itself where it has no children."""
        return [below for below in self.walk(node) if self.is_leaf(below)]

    def is_leaf(self, node: PlanNode) -> bool:
        """Whether nothing hangs below it."""
        return not self.children.get(node.id)

    @cached_property
    def depths(self) -> dict[UUID, int]:
        """The depth of each node that hangs on the root; the root's is 1."""
        depths: dict[UUID, int] = {}
        if self.root is not None:
            for node in self.walk(self.root):
                above = node.parent_id
                depths[node.id] = 1 if node is self.root or above is None else depths[above] + 1
        return depths

    @cached_property
    def with_task(self) -> set[UUID]:
        """The nodes that have a task below them."""
        found: set[UUID] = set()
        for node in self.nodes.values():
            if node.node_type == "task":
                above = self.parent(node)
                while above is not None and above.id not in found:
                    found.add(above.id)
                    above = self.parent(above)
        return found
