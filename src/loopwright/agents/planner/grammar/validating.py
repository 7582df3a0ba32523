"""All rules of the grammar over one outline."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid5

from pydantic import TypeAdapter, ValidationError

from loopwright.agents.planner.contracts.plan import (
    NodeType,
    Outline,
    PatternSpec,
    PlanContext,
    PlanNode,
    RoadmapContext,
)
from loopwright.agents.planner.grammar.waiting import (
    Fix,
    GrammarReport,
    Tree,
    Violation,
    dependency_violations,
    order_violations,
    recurrence_violations,
    title_violations,
    work_violations,
)
from loopwright.agents.planner.patterns import SHAPES, PatternShape

# Reading an outline that may be anything: what is usable of it, and what is not.

MAX_NODES = 5_000
MOST_TOLD = 20
"""More schema errors than these help nobody."""
REQUIRED = frozenset({"id", "node_type", "title"})
PARTS: dict[str, TypeAdapter[Any]] = {
    "pattern": TypeAdapter(PatternSpec | None),
    "plan_context": TypeAdapter(PlanContext),
    "roadmap_context": TypeAdapter(RoadmapContext),
}
_ID: TypeAdapter[UUID] = TypeAdapter(UUID)


@dataclass
class Draft:
    """What could be read; `places` are the indices of the nodes in the outline's own list."""

    root_id: UUID | None = None
    nodes: list[PlanNode] = field(default_factory=list)
    places: list[int] = field(default_factory=list)
    pattern: PatternSpec | None = None
    violations: list[Violation] = field(default_factory=list)


def read_outline(outline: object) -> Draft:
    """The usable part of an outline, a roadmap, or any JSON, with a violation for everything else."""
    if isinstance(outline, Outline):
        pattern = outline.pattern or getattr(getattr(outline, "plan_context", None), "pattern", None)
        return Draft(outline.root_id, list(outline.nodes), list(range(len(outline.nodes))), pattern)
    draft = Draft()
    if not isinstance(outline, Mapping):
        draft.violations.append(_fatal("An outline is a JSON object with root_id and nodes."))
        return draft
    nodes = outline.get("nodes")
    if not isinstance(nodes, list) or not nodes:
        draft.violations.append(_fatal("nodes is a list of at least one node."))
        return draft
    if len(nodes) > MAX_NODES:
        draft.violations.append(_fatal(f"There are {len(nodes):,} nodes; at most {MAX_NODES:,} can be planned."))
        return draft
    _read_parts(outline, draft)
    for index, node in enumerate(nodes):
        _read_node(index, node, draft)
    return draft


def _read_parts(outline: Mapping[Any, Any], draft: Draft) -> None:
    try:
        draft.root_id = _ID.validate_python(outline.get("root_id"))
    except ValidationError:
        draft.root_id = None
    for name in outline:
        if name in {"root_id", "nodes"}:
            continue
        if name not in PARTS:
            fix: Fix = {"op": "drop_field", "index": None, "field": name}
            draft.violations.append(_broken(f"{str(name)[:80]!r} is no field of an outline.", None, fix))
            continue
        try:
            part = PARTS[name].validate_python(outline[name])
        except ValidationError as error:
            fix = {"op": "drop_field", "index": None, "field": name}
            draft.violations.append(_broken(f"{name}: {_first(error)}", None, fix))
            continue
        if name == "pattern":
            draft.pattern = part
        elif name == "plan_context" and draft.pattern is None:
            draft.pattern = part.pattern


def _read_node(index: int, node: object, draft: Draft) -> None:
    try:
        draft.nodes.append(PlanNode.model_validate(node))
        draft.places.append(index)
    except ValidationError as error:
        if len(draft.violations) >= MOST_TOLD:
            if len(draft.violations) == MOST_TOLD:
                draft.violations.append(_fatal("There are more nodes that cannot be read; these are the first."))
            return
        draft.violations += _node_violations(index, node, error)


def _node_violations(index: int, node: object, error: ValidationError) -> list[Violation]:
    """One violation for each field that is wrong, with the repair where there is only one sensible one."""
    if not isinstance(node, Mapping):
        return [_fatal(f"nodes[{index}] is not an object.")]
    node_id = str(node.get("id"))[:80]
    fields = list(dict.fromkeys(str(problem["loc"][0]) if problem["loc"] else "" for problem in error.errors()))
    messages = {str(p["loc"][0]) if p["loc"] else "": str(p["msg"]) for p in reversed(error.errors())}
    found = []
    for name in fields:
        message = f"nodes[{index}].{name[:80]}: {messages[name]}."
        fix = _field_fix(index, name, node)
        found.append(_fatal(message, node_id) if fix is None else _broken(message, node_id, fix))
    return found


def _field_fix(index: int, name: str, node: Mapping[Any, Any]) -> Fix | None:
    if name == "level":
        return {"op": "set_at", "index": index, "field": "level", "value": 1}
    if name == "title" and isinstance(node.get("title"), str) and len(node["title"].strip()) > 1:
        return {"op": "set_at", "index": index, "field": "title", "value": node["title"].strip()[:160].strip()}
    if name in REQUIRED or not name:
        return None
    return {"op": "drop_field", "index": index, "field": name}


def _first(error: ValidationError) -> str:
    problem = error.errors()[0]
    where = ".".join(str(part) for part in problem["loc"])
    return f"{where}: {problem['msg']}" if where else str(problem["msg"])


def _broken(message: str, node_id: str | None, fix: Fix) -> Violation:
    return Violation(rule="schema_invalid", node_id=node_id, message=message, fix=fix)


def _fatal(message: str, node_id: str | None = None) -> Violation:
    return Violation(rule="schema_invalid", node_id=node_id, message=message, severity="fatal")


# L1 and the tree: exactly one root, and every node hangs on it.

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
    """Tasks that do not hang on the root; repaired where their branch is cut off."""
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


# Whether an outline is of the pattern that it says it is.


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


def validate_grammar(outline: Outline | object, pattern: object = None) -> GrammarReport:
    """Hold an outline or a roadmap against the grammar.

    Args:
        outline: an outline, a roadmap, or any JSON; nothing makes this function raise.
        pattern: a PatternSpec, its JSON, or a pattern's name; without it the outline's own counts, if it has one.

    Returns:
        The verdict with every violation, those of the tree first. Applying the suggested fixes (and those of the
        report after that) leads to a valid outline, or to violations that only a human can repair.
    """
    draft = read_outline(outline)
    found: list[Violation] = list(draft.violations)
    spec, problem = _pattern(pattern, draft.pattern)
    found += problem
    if draft.nodes:
        tree = Tree(draft.root_id, draft.nodes)
        found += identity_violations(draft)
        found += root_violations(tree)
        found += parent_violations(tree)
        found += reach_violations(tree)
        found += level_violations(tree)
        found += order_violations(tree)
        found += work_violations(tree)
        found += recurrence_violations(tree)
        found += dependency_violations(tree)
        if spec is not None:
            found += pattern_violations(tree, spec)
        found += title_violations(tree)
    return GrammarReport.of(found)


def _pattern(pattern: object, own: PatternSpec | None) -> tuple[PatternSpec | None, list[Violation]]:
    if pattern is None:
        return own, []
    if isinstance(pattern, PatternSpec):
        return pattern, []
    try:
        return PatternSpec.model_validate({"pattern_type": pattern} if isinstance(pattern, str) else pattern), []
    except ValidationError:
        text = f"{str(pattern)[:80]!r} is no pattern."
        return None, [Violation(rule="schema_invalid", message=text, severity="fatal")]
