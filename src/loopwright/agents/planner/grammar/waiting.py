"""Dependencies: on nodes that exist, not within one line of descent, and without loops."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, Literal
from uuid import UUID

from pydantic import Field

from loopwright.agents.planner.contracts.plan import Contract, Dependency, NodeType, PlanNode
from loopwright.agents.planner.grammar.event_graph import EventGraph, Moment, Tie

# The nodes of an outline as a tree, tolerant of whatever is wrong with them.


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


# What the grammar says about an outline.

Severity = Literal["fatal", "retryable", "advice"]
Fix = dict[str, Any]
"""A change of an outline as data: `op` names it, the other keys are its arguments (see `fixes.py`)."""

COSTS = {"leaf_without_estimate": 0.03, "sibling_titles_equal": 0.03, "level_too_low": 0.05}
"""What a violation takes from the score; small flaws that have one obvious repair take little."""
USUAL_COST = 0.15
ADVICE_COST = 0.01


class Violation(Contract):
    """One broken rule. `fatal` has no repair that code could choose; `advice` does not make the outline invalid."""

    rule: str
    node_id: str | None = None
    message: str
    severity: Severity = "retryable"
    fix: Fix | None = None


class GrammarReport(Contract):
    """The verdict: `score` is 1 for a flawless outline and 0 for one that cannot be repaired."""

    valid: bool
    violations: list[Violation] = Field(default_factory=list)
    score: float = Field(ge=0, le=1)
    suggested_fixes: list[Fix] = Field(default_factory=list)

    @property
    def fatal(self) -> bool:
        """Whether a human has to decide."""
        return any(violation.severity == "fatal" for violation in self.violations)

    @classmethod
    def of(cls, violations: list[Violation]) -> "GrammarReport":
        """The verdict on what was found."""
        grave = [violation for violation in violations if violation.severity != "advice"]
        fixes: list[Fix] = []
        for violation in grave:
            if violation.severity == "retryable" and violation.fix is not None and violation.fix not in fixes:
                fixes.append(violation.fix)
        return cls(valid=not grave, violations=violations, score=_score(violations), suggested_fixes=fixes)


def _score(violations: list[Violation]) -> float:
    if any(violation.severity == "fatal" for violation in violations):
        return 0.0
    lost = sum(
        ADVICE_COST if violation.severity == "advice" else COSTS.get(violation.rule, USUAL_COST)
        for violation in violations
    )
    return max(0.0, round(1.0 - lost, 4))


# Which node may stand under which, where work has to be, and what recurs.

CONTAINERS: frozenset[NodeType] = frozenset({"goal", "phase", "cycle", "sub_goal"})
MAY_STAND_UNDER: dict[NodeType, frozenset[NodeType]] = {
    "goal": frozenset({"phase", "cycle", "sub_goal", "task", "micro_goal"}),
    "phase": frozenset({"phase", "cycle", "sub_goal", "task", "micro_goal"}),
    "cycle": frozenset({"phase", "cycle", "sub_goal", "task", "micro_goal"}),
    "sub_goal": frozenset({"sub_goal", "task", "micro_goal"}),
    "task": frozenset({"sub_task", "micro_goal"}),
    "sub_task": frozenset({"sub_task", "micro_goal"}),
    "micro_goal": frozenset({"sub_task", "micro_goal"}),
}
USUAL_MINUTES: dict[NodeType, int] = {"task": 60, "sub_task": 30, "micro_goal": 15}
MOST_MINUTES = 60 * 24 * 60
"""More than sixty whole days is no single piece of work."""


def order_violations(tree: Tree) -> Iterator[Violation]:
    """Types that stand where the grammar has no place for them."""
    for node in tree.nodes.values():
        above = tree.parent(node)
        if above is None or node is tree.root or node.node_type in MAY_STAND_UNDER[above.node_type]:
            continue
        proposed = nearest_type(node.node_type, above.node_type)
        article = "An" if node.node_type[0] in "aeiou" else "A"
        yield Violation(
            rule="type_order",
            node_id=str(node.id),
            message=f"{article} {node.node_type} ({node.title!r}) cannot stand under a {above.node_type}; "
            f"a {proposed} can.",
            fix={"op": "set", "node_id": str(node.id), "field": "node_type", "value": proposed},
        )


def nearest_type(node_type: NodeType, above: NodeType) -> NodeType:
    """The type closest in meaning that may stand under `above`."""
    if above in {"task", "sub_task", "micro_goal"}:
        return "sub_task"
    return "sub_goal" if node_type in CONTAINERS else "task"


def work_violations(tree: Tree) -> Iterator[Violation]:
    """Every goal, phase, cycle and sub-goal has a task below it; every leaf says how long it takes."""
    for node in tree.nodes.values():
        if node.node_type in CONTAINERS and node.id not in tree.with_task:
            yield Violation(
                rule=f"{node.node_type}_without_task",
                node_id=str(node.id),
                message=f"{node.title!r} ({node.node_type}) has no task below it.",
                fix={"op": "add_task", "node_id": str(node.id), "title": f"Work on: {node.title}"[:160]},
            )
        elif node.node_type in USUAL_MINUTES and tree.is_leaf(node):
            problem = _estimate_problem(node.metadata.get("estimated_minutes"))
            if problem is not None:
                minutes = USUAL_MINUTES[node.node_type]
                yield Violation(
                    rule="leaf_without_estimate",
                    node_id=str(node.id),
                    message=f"{node.title!r} {problem}.",
                    fix=_metadata(node, "estimated_minutes", minutes),
                )


def _estimate_problem(minutes: Any) -> str | None:
    if minutes is None:
        return "does not say how long it takes (metadata.estimated_minutes)"
    if not isinstance(minutes, int) or isinstance(minutes, bool):
        return "has an estimate that is no whole number of minutes"
    return None if 1 <= minutes <= MOST_MINUTES else "has an estimate outside 1 minute to 60 days"


def recurrence_violations(tree: Tree) -> Iterator[Violation]:
    """Cycles recur; of the others only work may."""
    for node in tree.nodes.values():
        recurs = node.recurrence != "none" or bool(node.metadata.get("rrule"))
        if node.node_type == "cycle" and not recurs:
            yield Violation(
                rule="cycle_without_recurrence",
                node_id=str(node.id),
                message=f"The cycle {node.title!r} does not say how often it recurs.",
                fix={"op": "set", "node_id": str(node.id), "field": "recurrence", "value": "weekly"},
            )
        elif node.node_type in {"goal", "phase", "sub_goal"} and recurs:
            by_field = node.recurrence != "none"
            fix: Fix = {"op": "set", "node_id": str(node.id), "field": "recurrence", "value": "none"}
            yield Violation(
                rule="recurrence_misplaced",
                node_id=str(node.id),
                message=f"{node.title!r} is a {node.node_type} and cannot recur; make it a cycle, or let its tasks "
                "recur.",
                fix=fix if by_field else _metadata(node, "rrule", None),
            )


def title_violations(tree: Tree) -> Iterator[Violation]:
    """Siblings whose titles cannot be told apart."""
    for children in tree.children.values():
        taken: set[str] = set()
        for node in children:
            title = " ".join(node.title.casefold().split())
            if title in taken:
                new = _free_title(node.title, taken)
                yield Violation(
                    rule="sibling_titles_equal",
                    node_id=str(node.id),
                    message=f"Two nodes under the same parent are called {node.title!r}.",
                    fix={"op": "set", "node_id": str(node.id), "field": "title", "value": new},
                )
                title = " ".join(new.casefold().split())
            taken.add(title)


def _free_title(title: str, taken: set[str]) -> str:
    number = 2
    while " ".join((new := f"{title[:150].rstrip()} ({number})").casefold().split()) in taken:
        number += 1
    return new


def _metadata(node: PlanNode, key: str, value: object) -> Fix:
    return {"op": "set_metadata", "node_id": str(node.id), "field": key, "value": value}


MOST_NAMED = 12
"""So many titles of a loop are told; a longer one is shortened in the middle."""
MOST_LOOPS = 100
MOST_TRIED = 16


def dependency_violations(tree: Tree) -> Iterator[Violation]:
    """What is wrong with each dependency, and which of them together close loops."""
    ties: list[Tie] = []
    for node in tree.nodes.values():
        above = {ancestor.id for ancestor in tree.ancestors(node)} if node.dependencies else set()
        seen: set[tuple[UUID, str]] = set()
        for dependency in node.dependencies:
            key = (dependency.node_id, dependency.type)
            other = tree.nodes.get(dependency.node_id)
            problem = _problem(tree, node, other, above)
            if problem is not None:
                yield _violation(problem[0], problem[1], node, dependency)
            elif key in seen:
                text = f"{node.title!r} depends on {_title(other)} twice in the same way."
                yield _violation("dependency_doubled", text, node, dependency, keep_first=True)
            else:
                ties.append(Tie(node, dependency))
            seen.add(key)
    yield from _loops(tree, ties)


def _problem(tree: Tree, node: PlanNode, other: PlanNode | None, above: set[UUID]) -> tuple[str, str] | None:
    if other is None:
        return "dependency_not_found", f"{node.title!r} depends on a node that is not in the outline."
    if other is node:
        return "dependency_on_self", f"{node.title!r} depends on itself."
    if other.id in above:
        text = f"{node.title!r} depends on {other.title!r}, of which it is a part."
        return "dependency_on_ancestor", text
    if any(ancestor is node for ancestor in tree.ancestors(other)):
        text = f"{node.title!r} depends on {other.title!r}, which is a part of it."
        return "dependency_on_descendant", text
    return None


def _loops(tree: Tree, ties: list[Tie]) -> Iterator[Violation]:
    """Each loop is told with its shortest form, and opened at the dependency that was named last."""
    graph = EventGraph(tree.root_id, (node for node in tree.nodes.values() if node.id in tree.depths), ties)
    places = {(tie.source, tie.target): place for place, tie in enumerate(ties)}
    for found in range(MOST_LOOPS + 1):
        loop = graph.loop()
        if loop is None:
            return
        if found == MOST_LOOPS:
            text = f"There are more than {MOST_LOOPS} loops of dependencies."
            yield Violation(rule="dependency_cycle", message=text, severity="fatal")
            return
        path = _shortened(graph, [ties[places[arrow]] for arrow in _arrows(loop) if arrow in places])
        tie = ties[max(places.get(arrow, -1) for arrow in _arrows(path))]
        graph.remove(tie)
        yield _violation("dependency_cycle", _loop_text(tree, path), tie.node, tie.dependency)


def _arrows(loop: list[Moment]) -> list[tuple[Moment, Moment]]:
    return list(zip(loop, [*loop[1:], *loop[:1]], strict=True))


def _shortened(graph: EventGraph, ties: list[Tie]) -> list[Moment]:
    """The shortest loop through one of the last ties on a loop."""
    paths = [graph.shortest_path(tie.target, tie.source) or [] for tie in ties[-MOST_TRIED:]]
    return min(paths, key=len)


def _loop_text(tree: Tree, path: list[Moment]) -> str:
    ids = [moment[0] for index, moment in enumerate(path) if index == 0 or path[index - 1][0] != moment[0]]
    names = [_title(tree.nodes.get(node_id)) for node_id in [*ids, ids[0]]]
    if len(names) > MOST_NAMED:
        names = [*names[: MOST_NAMED // 2], "…", *names[-MOST_NAMED // 2 :]]
    return f"These nodes wait for each other: {' → '.join(names)}."


def _title(node: PlanNode | None) -> str:
    return repr(node.title) if node is not None else "a missing node"


def _violation(
    rule: str, message: str, node: PlanNode, dependency: Dependency, *, keep_first: bool = False
) -> Violation:
    fix = {
        "op": "remove_dependency",
        "node_id": str(node.id),
        "on": str(dependency.node_id),
        "type": dependency.type,
        "keep_first": keep_first,
    }
    return Violation(rule=rule, node_id=str(node.id), message=message, fix=fix)
