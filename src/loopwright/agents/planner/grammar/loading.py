"""The outline as a model writes it: ids are short words, and what is wrong is told so that a model can repair it."""

import json
from datetime import date, timedelta
from typing import Annotated, Any, Literal
from uuid import NAMESPACE_URL, UUID, uuid5

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError

from loopwright.agents.planner.contracts.plan import (
    Dependency,
    DependencyType,
    NodeType,
    Origin,
    PatternSpec,
    PlanContext,
    PlanNode,
    PlanOutline,
)
from loopwright.agents.planner.grammar.waiting import MOST_MINUTES
from loopwright.agents.planner.publishing import only
from loopwright.kernel.errors import InvalidInput

NAMESPACE = uuid5(NAMESPACE_URL, "loopwright/planner")
MOST_NODES = 120
DEEPEST = 8
MOST_TOLD = 8
HINT = (
    'Send {"nodes": [{"id": "g", "parent_id": null, "node_type": "goal", "title": "…", "dependencies": []}, '
    '{"id": "t1", "parent_id": "g", "node_type": "task", "title": "…", "estimated_minutes": 60, '
    '"dependencies": ["t0"]}]} with every problem corrected.'
)
INTO_METADATA = (
    "estimated_minutes",
    "priority",
    "splittable",
    "stream",
    "rrule",
    "occurrences",
    "earliest",
    "latest",
)
ShortId = Annotated[str, Field(min_length=1, max_length=64)]


class DraftDependency(BaseModel):
    """This node waits for `node_id`; a negative lag is a lead."""

    model_config = ConfigDict(extra="forbid")

    node_id: ShortId = Field(validation_alias=AliasChoices("node_id", "node"))
    type: DependencyType = "finish_to_start"
    lag_lead_minutes: int = Field(
        default=0, ge=-86_400, le=86_400, validation_alias=AliasChoices("lag_lead_minutes", "lag_minutes")
    )


class DraftWindow(BaseModel):
    """The first and the last day of a part of the plan."""

    model_config = ConfigDict(extra="forbid")

    start: date
    end: date


def _node_as_shown(schema: dict[str, Any]) -> None:
    """What a model is asked for of a node: `dependencies` as ids, and what recurs by a rule."""
    names = ("id", "parent_id", "node_type", "title", "estimated_minutes", "dependencies", "recurrence", "rrule")
    more = ("occurrences", "earliest", "latest", "stream")
    only(*names, *more, required=("id", "parent_id", "node_type", "title", "dependencies"))(schema)
    schema["properties"]["parent_id"] = {"type": ["string", "null"]}
    schema["properties"]["dependencies"] = {
        "type": "array",
        "items": {"type": "string"},
        "description": "ids of nodes that come before; may be empty",
    }


class DraftNode(BaseModel):
    """A node as a model writes it. Its level follows from its parents where it is left out."""

    model_config = ConfigDict(extra="forbid", json_schema_extra=_node_as_shown)

    id: ShortId = Field(description="a short word of your own, unique in the outline")
    parent_id: ShortId | None = Field(default=None, validation_alias=AliasChoices("parent_id", "parent"))
    node_type: NodeType = Field(validation_alias=AliasChoices("node_type", "type"))
    level: int | None = Field(default=None, ge=1, le=8)
    title: str = Field(min_length=2, max_length=160)
    description: str | None = None
    recurrence: Literal["none", "daily", "weekly", "monthly", "quarterly", "yearly"] = "none"
    dependencies: list[DraftDependency | ShortId] = Field(default_factory=list)
    estimated_minutes: int | None = Field(
        default=None, ge=1, le=MOST_MINUTES, description="for leaves: minutes of work"
    )
    priority: int | None = Field(default=None, ge=1, le=5, description="1 is the most important")
    splittable: bool | None = Field(default=None, description="whether the work may be done in pieces")
    stream: str | None = Field(default=None, max_length=80, description="the parallel stream it belongs to")
    rrule: str | None = Field(default=None, max_length=500, description="RFC 5545, where recurrence is not fine enough")
    occurrences: int | None = Field(default=None, ge=1, le=2_000, description="how often recurring work is done in all")
    earliest: str | None = Field(default=None, max_length=40, description="ISO date or time")
    latest: str | None = Field(default=None, max_length=40, description="ISO date or time")
    window: DraftWindow | None = None
    tags: list[str] = Field(default_factory=list)
    metadata: dict[str, Any] = Field(default_factory=dict)


class DraftOutline(BaseModel):
    """An outline as a model writes it; `root_id` may be left out where one node has no parent."""

    model_config = ConfigDict(extra="forbid", json_schema_extra=only("nodes"))

    root_id: ShortId | None = None
    nodes: list[DraftNode] = Field(min_length=1, max_length=MOST_NODES)
    pattern: PatternSpec | None = None
    plan_context: PlanContext = PlanContext()
    notes: list[str] = Field(default_factory=list, description="what was assumed")
    effort_minutes: int | None = None
    available_minutes: int | None = None


def load_outline(
    data: object,
    *,
    plan: str | UUID = "",
    pattern: PatternSpec | None = None,
    context: PlanContext | None = None,
    origin: Origin = "system",
) -> PlanOutline:
    """Read a model's outline. Dependencies are kept; the grammar is `validate_grammar`'s matter.

    Args:
        data: the object, or its JSON text.
        plan: the plan's name: the same short ids give the same node ids within a plan, and others in another one.
            Ids that are UUIDs already (an outline that was sent back) stay.
        pattern: the selected pattern, where the outline names none.
        context: what the plan is made for, where the outline does not say.
        origin: who wrote it.

    Raises:
        InvalidInput: with what to repair, field by field, and the form in the hint.
    """
    draft = _read(data)
    namespace = uuid5(NAMESPACE, str(plan))
    root = draft.root_id
    if root is None:
        parentless = [node.id for node in draft.nodes if node.parent_id is None]
        if len(parentless) != 1:
            problem = f"{len(parentless)} nodes have no parent, so root_id must say which one is the root."
            raise InvalidInput(f"The outline cannot be used: {problem}", hint=HINT)
        root = parentless[0]
    if all(node.id != root for node in draft.nodes):
        raise InvalidInput(f"The outline cannot be used: root_id {root!r} is not the id of a node.", hint=HINT)
    levels = _levels(draft.nodes)
    chosen = draft.pattern or draft.plan_context.pattern or pattern
    given = draft.plan_context if "plan_context" in draft.model_fields_set else context or draft.plan_context
    return PlanOutline(
        root_id=_node_id(namespace, root),
        nodes=[_node(namespace, node, origin, levels[node.id]) for node in draft.nodes],
        pattern=chosen,
        plan_context=given.model_copy(
            update={"pattern": chosen, "assumptions": list(dict.fromkeys([*given.assumptions, *draft.notes]))}
        ),
    )


def _read(data: object) -> DraftOutline:
    if isinstance(data, (str, bytes)):
        try:
            data = json.loads(data)
        except (ValueError, RecursionError) as error:
            raise InvalidInput(f"The outline is not JSON: {error}.", hint=HINT) from error
    try:
        return DraftOutline.model_validate(data)
    except ValidationError as error:
        problems = error.errors()
        told = "; ".join(_told(problem, data) for problem in problems[:MOST_TOLD])
        more = f"; and {len(problems) - MOST_TOLD} more" if len(problems) > MOST_TOLD else ""
        raise InvalidInput(f"The outline cannot be used: {told}{more}.", hint=HINT) from error


def _told(problem: Any, data: object) -> str:
    """`nodes[3] ("b2") level: …`, so that a model finds the place by its own id."""
    place = list(problem["loc"])
    if len(place) >= 2 and place[0] == "nodes" and isinstance(data, dict):
        node = data["nodes"][place[1]]
        name = f" ({str(node.get('id'))[:64]!r})" if isinstance(node, dict) else ""
        rest = ".".join(str(part) for part in place[2:])
        return f"nodes[{place[1]}]{name} {rest}: {problem['msg']}".replace("  ", " ")
    return f"{'.'.join(str(part) for part in place) or 'outline'}: {problem['msg']}"


def _node(namespace: UUID, draft: DraftNode, origin: Origin, level: int) -> PlanNode:
    own = draft.model_dump(mode="json", include=set(INTO_METADATA), exclude_none=True)
    metadata = dict(draft.metadata) | own
    if draft.window is not None:
        after = draft.window.end + timedelta(days=1)
        metadata["window"] = {"first": draft.window.start.isoformat(), "after": after.isoformat()}
    if _as_uuid(draft.id) is None:
        # The model's own word finds the node again when it speaks of it.
        metadata.setdefault("short_id", draft.id)
    waits = [DraftDependency(node_id=item) if isinstance(item, str) else item for item in draft.dependencies]
    return PlanNode(
        id=_node_id(namespace, draft.id),
        parent_id=None if draft.parent_id is None else _node_id(namespace, draft.parent_id),
        node_type=draft.node_type,
        level=level,
        title=draft.title,
        description=draft.description[:4_000] if draft.description else None,
        recurrence=draft.recurrence,
        dependencies=[
            Dependency(
                node_id=_node_id(namespace, item.node_id), type=item.type, lag_lead_minutes=item.lag_lead_minutes
            )
            for item in waits
        ],
        origin=origin,
        tags=draft.tags,
        metadata=metadata,
    )


def _levels(nodes: list[DraftNode]) -> dict[str, int]:
    """The levels as they were sent, else as deep as the parents are; a circle of parents is the grammar's matter."""
    parents = {node.id: node.parent_id for node in nodes}
    levels: dict[str, int] = {}
    for node in nodes:
        depth, above = 1, node.parent_id
        while above in parents and depth < DEEPEST:
            depth, above = depth + 1, parents[above]
        levels[node.id] = node.level or depth
    return levels


def _node_id(namespace: UUID, text: str) -> UUID:
    return _as_uuid(text) or uuid5(namespace, text)


def _as_uuid(text: str) -> UUID | None:
    try:
        return UUID(text) if len(text) == 36 else None
    except ValueError:
        return None
