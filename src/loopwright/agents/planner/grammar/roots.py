"""L1 and the tree: exactly one root, and every node hangs on it."""

from collections.abc import Iterator
from uuid import UUID, uuid5

from loopwright.agents.planner.contracts.nodes import PlanNode
from loopwright.agents.planner.grammar.reading import Draft
from loopwright.agents.planner.grammar.report import Fix, Violation
from loopwright.agents.planner.grammar.tree import Tree

MAX_DEPTH = 31
"""One less than the contract's deepest level, so that a missing task can still be added."""


def identity_violations(draft: Draft) -> Iterator[Violation]:
    """Two nodes with one id; the later one gets a new id, and what names the id means the first."""
    seen: set[UUID] = set()
    for place, node in zip(draft.places, draft.nodes, strict=True):
        if node.id in seen:
            new = uuid5(node.id, f"duplicate {place}")
            yield Violation(
                rule="duplicate_node_ids",
                node_id=str(node.id),
                message=f"{node.title!r} has the id of another node.",
                fix={"op": "set_at", "index": place, "field": "id", "value": str(new)},
            )
        seen.add(node.id)


def root_violations(tree: Tree) -> Iterator[Violation]:
    """The root is there, has no parent, has level 1, and is a goal."""
    root = tree.root
    if root is None:
        yield _no_root(tree)
        return
    if root.parent_id is not None:
        yield _on(root, "root_parent_must_be_null", "The root has a parent.", _set(root, "parent_id", None))
    if root.level != 1:
        fix = {"op": "set_levels"}
        yield _on(root, "root_level_must_be_1", f"The root has level {root.level}; it must be 1.", fix)
    if root.node_type != "goal":
        message = f"The root is a {root.node_type}; it must be a goal."
        yield _on(root, "root_type_must_be_goal", message, _set(root, "node_type", "goal"))


def _no_root(tree: Tree) -> Violation:
    """Propose the goal without parent, else any goal, else any node without parent, else the first node."""
    nodes = list(tree.nodes.values())
    if not nodes:
        return Violation(rule="root_id_not_found", message="No node can be the root.", severity="fatal")
    proposed = min(nodes, key=lambda node: (node.parent_id is not None, node.node_type != "goal", node.level))
    return Violation(
        rule="root_id_not_found",
        message=f"root_id is not the id of a node; {proposed.title!r} could be the root.",
        fix={"op": "set_root", "value": str(proposed.id)},
    )


def parent_violations(tree: Tree) -> Iterator[Violation]:
    """Every other node has a parent that exists, and no node is above itself."""
    root = tree.root
    if root is None:
        return
    for node in tree.nodes.values():
        if node is root:
            continue
        move = {"op": "move", "node_id": str(node.id), "value": str(root.id)}
        if node.parent_id is None and node.node_type == "goal":
            yield _on(node, "several_roots", f"{node.title!r} is a second root; a plan has one.", move)
        elif node.parent_id is None:
            yield _on(node, "node_missing_parent", f"{node.title!r} has no parent.", move)
        elif node.parent_id not in tree.nodes:
            yield _on(node, "parent_not_found", f"The parent of {node.title!r} is not in the outline.", move)
    yield from _loops(tree, root)


def _loops(tree: Tree, root: PlanNode) -> Iterator[Violation]:
    done: set[UUID] = set()
    for node in tree.nodes.values():
        path: dict[UUID, PlanNode] = {}
        here: PlanNode | None = node
        while here is not None and here.id not in done and here.id not in path:
            path[here.id] = here
            here = tree.parent(here)
        if here is not None and here.id in path:
            members = list(path.values())
            loop = members[members.index(here) :]
            if root not in loop:
                names = " → ".join(repr(member.title) for member in [*loop, here])
                move = {"op": "move", "node_id": str(here.id), "value": str(root.id)}
                yield _on(here, "parent_cycle", f"These nodes are above each other: {names}.", move)
        done |= path.keys()


def reach_violations(tree: Tree) -> Iterator[Violation]:
    """Tasks that do not hang on the root; mended where their branch is cut off."""
    root = tree.root
    if root is None:
        return
    for node in tree.nodes.values():
        if node.id in tree.depths or node.node_type not in {"task", "sub_task"}:
            continue
        above = [node, *tree.ancestors(node)]
        top = above[-1]
        if top is node:
            continue
        move = {"op": "move", "node_id": str(top.id), "value": str(root.id)}
        text = f"{node.title!r} cannot be reached from the root; its branch ends at {top.title!r}."
        yield _on(node, "unreachable_task", text, move)


def level_violations(tree: Tree) -> Iterator[Violation]:
    """A node lies deeper than its parent, and none too deep."""
    for node in tree.nodes.values():
        depth = tree.depths.get(node.id, 1)
        if depth > MAX_DEPTH:
            yield Violation(
                rule="too_deep",
                node_id=str(node.id),
                message=f"{node.title!r} lies {depth} levels deep; at most {MAX_DEPTH} can be planned.",
                severity="fatal",
            )
            return
        above = tree.parent(node)
        if above is not None and node is not tree.root and node.level <= above.level:
            text = f"{node.title!r} has level {node.level}, its parent {above.level}; it must lie deeper."
            yield _on(node, "level_too_low", text, {"op": "set_levels"})


def _set(node: PlanNode, field: str, value: object) -> Fix:
    return {"op": "set", "node_id": str(node.id), "field": field, "value": value}


def _on(node: PlanNode, rule: str, message: str, fix: Fix) -> Violation:
    return Violation(rule=rule, node_id=str(node.id), message=message, fix=fix)
