"""An outline's nodes while the user's facts are written into it."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date
from typing import Any
from uuid import UUID, uuid5

from loopwright.agents.planner.account.calendar_file import has_word
from loopwright.agents.planner.contracts.plan import PlanNode, PlanOutline, Roadmap
from loopwright.agents.planner.grammar.waiting import Tree
from loopwright.agents.planner.patterns import language_of

USUAL_MINUTES = 60


@dataclass
class Draft:
    """The nodes of an outline while the facts are written into it."""

    root_id: UUID
    nodes: dict[UUID, PlanNode]
    notes: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, outline: PlanOutline | Roadmap) -> "Draft":
        """A copy of the outline's nodes."""
        return cls(outline.root_id, {node.id: node.model_copy(deep=True) for node in outline.nodes})

    @property
    def tree(self) -> Tree:
        """The nodes as a tree."""
        return Tree(self.root_id, list(self.nodes.values()))

    def leaves(self) -> list[PlanNode]:
        """The nodes with work, in the order of the tree."""
        tree = self.tree
        return [leaf for leaf in tree.leaves(tree.nodes[self.root_id]) if leaf.id != self.root_id]

    def named(self, words: Iterable[str]) -> list[PlanNode]:
        """The leaves whose titles have all the words."""
        wanted = list(words)
        return [leaf for leaf in self.leaves() if all(has_word(leaf.title, word) for word in wanted)]

    def drop(self, gone: PlanNode) -> None:
        """Take a leaf out; who waited for it waits for what it waited for, and a part that is left empty goes too."""
        del self.nodes[gone.id]
        for node in self.nodes.values():
            if any(each.node_id == gone.id for each in node.dependencies):
                kept = [each for each in node.dependencies if each.node_id != gone.id]
                known = {each.node_id for each in kept}
                node.dependencies = kept + [each for each in gone.dependencies if each.node_id not in known]
        parent = self.nodes.get(gone.parent_id) if gone.parent_id is not None else None
        if parent is not None and parent.id != self.root_id and not self.children(parent.id):
            self.drop(parent)

    def children(self, key: UUID) -> list[PlanNode]:
        """The nodes right below one."""
        return [node for node in self.nodes.values() if node.parent_id == key]

    def add(self, title: str, parent: UUID, **metadata: Any) -> PlanNode:
        """A new task, with an id that is the same whenever this is done again."""
        if self.nodes[parent].metadata.get("own"):
            metadata["parallel"] = True  # what was named has no order but the one that was said
        node = PlanNode(
            id=uuid5(self.root_id, f"fact:{title}:{parent}"),
            parent_id=parent,
            node_type="task",
            level=self.nodes[parent].level + 1,
            title=title[:160] if len(title) > 1 else f"{title} –",
            metadata={"estimated_minutes": USUAL_MINUTES, "occurrences": 1, **metadata},
        )
        self.nodes[node.id] = node
        return node

    def part_of(self, leaf: PlanNode) -> PlanNode:
        """The child of the root in which a leaf lies."""
        above = [leaf, *self.tree.ancestors(leaf)]
        return next((node for node in above if node.parent_id == self.root_id), leaf)

    def parts(self) -> list[PlanNode]:
        """The children of the root."""
        return self.children(self.root_id)

    def waits_for(self, node: PlanNode, other: UUID) -> bool:
        """Whether a node comes after another one, by dependencies of its own or of what it lies in."""
        seen: set[UUID] = set()
        todo, tree = [node.id], self.tree
        while todo:
            current = self.nodes[todo.pop()]
            if current.id in seen:
                continue
            seen.add(current.id)
            above = [current, *tree.ancestors(current)]
            todo += [each.node_id for one in above for each in one.dependencies if each.node_id in self.nodes]
        return other in seen and other != node.id


def window_of(part: PlanNode) -> tuple[date, date] | None:
    """The first day of a part and the one after its last, where it has days."""
    window = part.metadata.get("window")
    if not isinstance(window, dict) or not window.get("first") or not window.get("after"):
        return None
    return date.fromisoformat(str(window["first"])[:10]), date.fromisoformat(str(window["after"])[:10])


OWN_PART = {"en": "What you have named", "de": "Was du genannt hast", "zh": "你提到的事"}


def home_of(draft: Draft) -> UUID:
    """Where a new task of the user's own words belongs: in a part of its own, which keeps nothing waiting."""
    known = next((part for part in draft.parts() if part.metadata.get("own")), None)
    if known is not None:
        return known.id
    root = draft.nodes[draft.root_id]
    kinds = {part.node_type for part in draft.parts()}
    cycles = "cycle" in kinds and "phase" not in kinds  # a plan of cycles alone may have no phase
    node = PlanNode(
        id=uuid5(draft.root_id, "fact:own part"),
        parent_id=root.id,
        node_type="cycle" if cycles else "phase",
        recurrence="weekly" if cycles else "none",
        level=root.level + 1,
        title=OWN_PART[language_of(root.title)],
        metadata={"own": True, "parallel": True},
    )
    windows = [window_of(part) for part in draft.parts()]
    known_windows = [window for window in windows if window is not None]
    if known_windows and len(known_windows) == len(windows):
        first, after = min(each[0] for each in known_windows), max(each[1] for each in known_windows)
        node.metadata["window"] = {"first": first.isoformat(), "after": after.isoformat()}
    draft.nodes[node.id] = node
    return node.id
