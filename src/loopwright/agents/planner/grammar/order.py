"""Which node may stand under which, where work has to be, and what recurs.

Goal → (Phase | Cycle)* → Sub-Goal* → Task+ → Sub-Task* / Micro-Goal*; micro-goals anywhere, tasks directly under a
phase too.
"""

from collections.abc import Iterator
from typing import Any

from loopwright.agents.planner.contracts.nodes import NodeType, PlanNode
from loopwright.agents.planner.grammar.report import Fix, Violation
from loopwright.agents.planner.grammar.tree import Tree

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
