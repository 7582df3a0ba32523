"""Dependencies: on nodes that exist, not within one line of descent, and without loops."""

from collections.abc import Iterator
from uuid import UUID

from loopwright.agents.planner.contracts.nodes import Dependency, PlanNode
from loopwright.agents.planner.grammar.event_graph import EventGraph, Moment, Tie
from loopwright.agents.planner.grammar.report import Violation
from loopwright.agents.planner.grammar.tree import Tree

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
