"""Whether an outline is of the pattern that it says it is."""

from collections.abc import Iterator

from loopwright.agents.planner.contracts.nodes import NodeType, PlanNode
from loopwright.agents.planner.contracts.pattern import PatternSpec
from loopwright.agents.planner.grammar.report import Fix, Violation
from loopwright.agents.planner.grammar.tree import Tree
from loopwright.agents.planner.patterns import SHAPES, PatternShape


def pattern_violations(tree: Tree, pattern: PatternSpec) -> Iterator[Violation]:
    """Types and axes that the pattern does not have, and cycles that it needs."""
    shape = SHAPES[pattern.pattern_type]
    for node in tree.nodes.values():
        if node.node_type in shape.types or node is tree.root:
            continue
        proposed = _allowed_type(node.node_type, shape)
        yield Violation(
            rule="pattern_type_mismatch",
            node_id=str(node.id),
            message=f"{node.title!r} is a {node.node_type}; a {pattern.pattern_type} has none. Make it a {proposed}.",
            fix={"op": "set", "node_id": str(node.id), "field": "node_type", "value": proposed},
        )
    yield from _streams(tree, pattern, shape)
    yield from _needed_cycle(tree, pattern, shape)


def _allowed_type(node_type: NodeType, shape: PatternShape) -> NodeType:
    """The pattern's own way to hold tasks together."""
    for proposed in ("phase", "cycle", "sub_goal"):
        if proposed != node_type and proposed in shape.types:
            return proposed
    return "task"


def _streams(tree: Tree, pattern: PatternSpec, shape: PatternShape) -> Iterator[Violation]:
    in_streams = [node for node in tree.nodes.values() if node.metadata.get("stream")]
    names = {str(node.metadata["stream"]) for node in in_streams}
    if "horizontal" not in shape.axes and len(names) > 1:
        for node in in_streams:
            fix: Fix = {"op": "set_metadata", "node_id": str(node.id), "field": "stream", "value": None}
            text = f"{node.title!r} belongs to a parallel stream; a {pattern.pattern_type} has one line of work."
            yield Violation(rule="pattern_axis_mismatch", node_id=str(node.id), message=text, fix=fix)
    if pattern.pattern_type == "strategic_transformation" and len(names) < 2 and len(tree.nodes) > 12:
        yield Violation(
            rule="pattern_without_streams",
            message="A strategic_transformation usually runs in parallel streams (metadata.stream); this one has none.",
            severity="advice",
        )


def _needed_cycle(tree: Tree, pattern: PatternSpec, shape: PatternShape) -> Iterator[Violation]:
    root: PlanNode | None = tree.root
    types = {node.node_type for node in tree.nodes.values()}
    # A phase that has no place here becomes a cycle anyway.
    if not shape.needs_cycle or root is None or "cycle" in types or (types - shape.types):
        return
    yield Violation(
        rule="pattern_without_cycle",
        node_id=str(root.id),
        message=f"A {pattern.pattern_type} recurs, but this outline has no cycle.",
        fix={"op": "add_cycle", "node_id": str(root.id), "title": f"Cycle: {root.title}"[:160]},
    )
