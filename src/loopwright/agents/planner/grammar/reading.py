"""Reading an outline that may be anything: what is usable of it, and what is not."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from pydantic import TypeAdapter, ValidationError

from loopwright.agents.planner.contracts.nodes import PlanNode
from loopwright.agents.planner.contracts.pattern import PatternSpec
from loopwright.agents.planner.contracts.plan import Outline, PlanContext, RoadmapContext
from loopwright.agents.planner.grammar.report import Fix, Violation

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
    """One violation for each field that is wrong, with the mend where there is only one sensible one."""
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
