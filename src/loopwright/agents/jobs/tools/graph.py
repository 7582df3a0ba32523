"""The tools for the graph of requirements and business objects."""

from collections import Counter
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from loopwright.agents.jobs.contracts import Names
from loopwright.agents.jobs.graph import (
    LABELS,
    RELATIONSHIPS,
    SUFFIXES,
    Author,
    assign_rid,
    entity_id,
    has_node,
    merge_node,
    merge_relationship,
    remove_relationship,
    settle_status,
)
from loopwright.agents.jobs.graph.compliance import Group, NamesParameters, check_compliance, resolve_names
from loopwright.agents.jobs.memory import config_of
from loopwright.agents.jobs.ports import JobServices, Requirement
from loopwright.agents.jobs.requirements import require_held
from loopwright.agents.jobs.taint import current_phase, records_answer
from loopwright.agents.jobs.tools.job_tool import Arguments, JobTool
from loopwright.kernel.errors import InvalidInput, NotFound
from loopwright.kernel.tools import ToolContext, ToolResult

# `create_entity_node`: a business object or a message as a node of the graph.


class CreateEntityNodeParameters(Arguments):
    """Parameters of `create_entity_node`."""

    kind: Literal["BusinessObject", "Message"]
    name: str = Field(min_length=1, max_length=120)
    aliases: Names = Field(default_factory=list, description="Other names, such as those of another language")
    description: str = Field("", max_length=2_000)
    source: str = Field("", max_length=300, description="Where the material says that it exists")


class CreateEntityNode(JobTool[CreateEntityNodeParameters, JobServices]):
    """Merges the node under an id made of its name."""

    name = "create_entity_node"
    parameters_model = CreateEntityNodeParameters
    told = ("aliases",)
    effect = "idempotent"

    async def execute(self, params: CreateEntityNodeParameters, ctx: ToolContext[JobServices]) -> ToolResult:
        """Merge it."""
        name = " ".join(params.name.split())
        node_id = entity_id(params.kind, name)
        properties = {
            "name": name,
            "aliases": params.aliases,
            "description": params.description or None,
            "source": params.source or None,
        }
        author = Author(ctx.session_id, await current_phase(ctx))
        await merge_node(ctx.db.graph, params.kind, node_id, properties, author)
        return ToolResult(success=True, output=f"ok: {node_id}", artifacts={"id": node_id, "kind": params.kind})


# `create_relationship`: how requirements relate to each other and to entities, and messages to objects.

RelationshipType = Literal[
    "REFINES",
    "DEPENDS_ON",
    "TRACES_TO",
    "SUPERSEDES",
    "RELATES_TO_OBJECT",
    "RELATES_TO_MESSAGE",
    "IMPACTS_OBJECT",
    "IMPACTS_MESSAGE",
    "USES_OBJECT",
    "PRODUCES_OBJECT",
]


class CreateRelationshipParameters(Arguments):
    """Parameters of `create_relationship`."""

    source_id: str = Field(min_length=1, max_length=120, description="Such as R-0001, or MSG-order for a message's")
    target_id: str = Field(min_length=1, max_length=120, description="Such as R-0002 or BO-invoice")
    type: RelationshipType
    reason: str = Field("", max_length=2_000)
    confidence: float | None = Field(None, ge=0, le=1)


class CreateRelationship(JobTool[CreateRelationshipParameters, JobServices]):
    """Merges the relationship."""

    name = "create_relationship"
    parameters_model = CreateRelationshipParameters
    effect = "idempotent"

    async def execute(self, params: CreateRelationshipParameters, ctx: ToolContext[JobServices]) -> ToolResult:
        """Merge it between nodes that exist."""
        author = Author(ctx.session_id, await current_phase(ctx))
        properties = {"reason": params.reason or None, "confidence": params.confidence}
        await merge_relationship(ctx.db.graph, params.type, params.source_id, params.target_id, properties, author)
        return ToolResult(success=True, output=f"ok: {params.source_id} -{params.type}-> {params.target_id}")


class CreateFulfillmentRelationshipParameters(Arguments):
    """Parameters of `create_fulfillment_relationship`."""

    rid: str = Field(min_length=1, max_length=20, description="The requirement, such as R-0001")
    entity_id: str = Field(min_length=1, max_length=120, description="The business object or message")
    fulfilled: bool
    confidence: float = Field(ge=0, le=1)
    evidence: str = Field("", max_length=4_000, description="What shows that it is fulfilled")
    citation_id: str = Field("", max_length=40, description="The citation that the evidence rests on")
    gap_description: str = Field("", max_length=4_000, description="What is missing")
    severity: Literal["critical", "major", "minor"] | None = Field(None, description="Of the gap")
    remediation: str = Field("", max_length=4_000, description="What would close the gap")

    @model_validator(mode="after")
    def _says_why(self) -> Self:
        if self.fulfilled and not self.evidence.strip():
            raise ValueError("a fulfilment needs evidence")
        if not self.fulfilled and not (self.gap_description.strip() and self.severity):
            raise ValueError("what is not fulfilled needs gap_description and severity")
        return self

    @property
    def properties(self) -> dict[str, Any]:
        """What stands on the relationship."""
        said: dict[str, Any] = {"confidence": self.confidence, "citationId": self.citation_id or None}
        if self.fulfilled:
            return said | {"evidence": self.evidence}
        return said | {
            "gapDescription": self.gap_description,
            "severity": self.severity,
            "remediation": self.remediation or None,
        }


class CreateFulfillmentRelationship(JobTool[CreateFulfillmentRelationshipParameters, JobServices]):
    """Merges the relationship in the place of its opposite, and settles the requirement's compliance status."""

    name = "create_fulfillment_relationship"
    parameters_model = CreateFulfillmentRelationshipParameters
    told = ("evidence", "gap_description", "severity")
    effect = "idempotent"

    async def execute(
        self, params: CreateFulfillmentRelationshipParameters, ctx: ToolContext[JobServices]
    ) -> ToolResult:
        """Merge it between nodes that exist."""
        least = config_of(ctx.settings).validation.fulfillment_confidence_threshold
        if params.fulfilled and params.confidence < least:
            raise InvalidInput(
                f"A fulfilment of confidence {params.confidence:g} is none; {least:g} is needed.",
                hint="Leave it open, or describe the gap with fulfilled false.",
            )
        graph = ctx.db.graph
        suffix = await _suffix(ctx, params.entity_id)
        names = (f"FULFILLED_BY_{suffix}", f"NOT_FULFILLED_BY_{suffix}")
        kind, opposite = names if params.fulfilled else names[::-1]
        author = Author(ctx.session_id, await current_phase(ctx))
        await merge_relationship(graph, kind, params.rid, params.entity_id, params.properties, author)
        await remove_relationship(graph, opposite, params.rid, params.entity_id)
        return ToolResult(success=True, output=f"ok: {params.rid} -{kind}-> {params.entity_id}")


async def _suffix(ctx: ToolContext[JobServices], entity_id: str) -> str:
    for label, suffix in SUFFIXES.items():
        if await has_node(ctx.db.graph, label, entity_id):
            return suffix
    raise NotFound(
        f"The graph has no business object or message {entity_id}.",
        hint="resolve_business_object and resolve_message find ids; create_entity_node makes a node.",
    )


# `create_requirement_node`: a requirement that this job holds, as a node of the graph.


class CreateRequirementNodeParameters(Arguments):
    """Parameters of `create_requirement_node`."""

    requirement_id: str = Field(min_length=1, max_length=64, description="As next_requirements gave it")
    rid: str = Field("", max_length=20, description="As generate_requirement_id gave it; without it, it is given now")
    value_stream: str = Field("", max_length=200, description="The part of the business that it belongs to")
    status: str = Field("active", min_length=1, max_length=40)


class CreateRequirementNode(JobTool[CreateRequirementNodeParameters, JobServices]):
    """Merges the node."""

    name = "create_requirement_node"
    parameters_model = CreateRequirementNodeParameters
    effect = "idempotent"

    async def execute(self, params: CreateRequirementNodeParameters, ctx: ToolContext[JobServices]) -> ToolResult:
        """Take the properties from the store, so that the graph says what the store says."""
        found = await require_held(ctx, params.requirement_id)
        rid = await assign_rid(ctx.db, found.requirement_id)
        if params.rid and params.rid != rid:
            raise InvalidInput(f"The rid of requirement {found.requirement_id} is {rid}, not {params.rid}.")
        author = Author(ctx.session_id, await current_phase(ctx))
        properties = {**_properties(found), "valueStream": params.value_stream or None, "status": params.status}
        await merge_node(ctx.db.graph, "Requirement", rid, properties, author)
        await settle_status(ctx.db.graph, rid)
        return ToolResult(success=True, output=f"ok: {rid} stands in the graph", artifacts={"rid": rid})


def _properties(requirement: Requirement) -> dict[str, Any]:
    return {
        "name": requirement.name,
        "text": requirement.text,
        "type": requirement.type,
        "priority": requirement.priority,
        "source": ", ".join(part for part in (requirement.source_document, requirement.source_location) if part),
        "goBDRelevant": requirement.gobd_relevant,
        "gdprRelevant": requirement.gdpr_relevant,
        "requirementId": requirement.requirement_id,
    }


# `count_graph_statistics`: how much of everything the graph holds.

_STATUS = "MATCH (n:Requirement) RETURN n.complianceStatus AS status, count(*) AS number ORDER BY status"


class CountGraphStatisticsParameters(Arguments):
    """Parameters of `count_graph_statistics`: none."""


class CountGraphStatistics(JobTool[CountGraphStatisticsParameters, JobServices]):
    """Counts nodes, relationships and compliance."""

    name = "count_graph_statistics"
    parameters_model = CountGraphStatisticsParameters
    effect = "idempotent"

    async def execute(self, params: CountGraphStatisticsParameters, ctx: ToolContext[JobServices]) -> ToolResult:
        """Count."""
        schema = await ctx.db.graph.schema()
        rows = (await ctx.db.graph.query(_STATUS)).rows
        counts = {
            "nodes": dict(schema.nodes),
            "relationships": dict(schema.relationships),
            "compliance": {str(row["status"]): row["number"] for row in rows},
        }
        total = f"{sum(schema.nodes.values())} nodes, {sum(schema.relationships.values())} relationships"
        return await records_answer(f"The graph has {total}.", [counts], "graph", ctx, **counts)


# `execute_cypher_query`: a question to the graph in Cypher, which only reads.


class ExecuteCypherQueryParameters(Arguments):
    """Parameters of `execute_cypher_query`."""

    query: str = Field(min_length=1, max_length=20_000)
    parameters: dict[str, Any] = Field(default_factory=dict, description="Values for $names in the query")
    limit: int = Field(100, ge=1, le=500, description="Rows to show")


class ExecuteCypherQuery(JobTool[ExecuteCypherQueryParameters, JobServices]):
    """Asks the graph."""

    name = "execute_cypher_query"
    parameters_model = ExecuteCypherQueryParameters
    effect = "idempotent"

    async def execute(self, params: ExecuteCypherQueryParameters, ctx: ToolContext[JobServices]) -> ToolResult:
        """Run it, reading only."""
        answer = await ctx.db.graph.query(params.query, params.parameters)
        shown = answer.rows[: params.limit]
        more = " and more" if answer.truncated else ""
        head = f"{len(answer.rows)}{more} rows; shown: {len(shown)}."
        return await records_answer(head, shown, "graph", ctx, rows=len(answer.rows), truncated=answer.truncated)


# `get_database_schema`: what the graph may hold, and what it holds.


class GetDatabaseSchemaParameters(Arguments):
    """Parameters of `get_database_schema`: none."""


class GetDatabaseSchema(JobTool[GetDatabaseSchemaParameters, JobServices]):
    """Shows the schema, then what there is."""

    name = "get_database_schema"
    parameters_model = GetDatabaseSchemaParameters
    effect = "idempotent"

    async def execute(self, params: GetDatabaseSchemaParameters, ctx: ToolContext[JobServices]) -> ToolResult:
        """Tell the schema, and count."""
        labels = [
            f"- {name}: id `{label.key}`, has {', '.join(label.required)}"
            + "".join(f"; {key}: {' | '.join(values)}" for key, values in label.allowed.items())
            for name, label in LABELS.items()
        ]
        types = [f"- (:{ends.source})-[:{name}]->(:{ends.target})" for name, ends in RELATIONSHIPS.items()]
        schema = await ctx.db.graph.schema()
        holds = [
            {"label": name, "number": number, "properties": list(schema.properties.get(name, ()))}
            for name, number in schema.nodes.items()
        ] + [
            {"relationship": name, "number": number, "properties": list(schema.properties.get(name, ()))}
            for name, number in schema.relationships.items()
        ]
        head = "\n".join(
            ["Labels:", *labels, "Relationships:", *types, f"The graph holds {len(holds)} kinds of things:"]
        )
        return await records_answer(head, holds, "graph", ctx)


# `get_entity_relationships`: what a node is related to.

_IS = "n.rid = $id OR n.boid = $id OR n.mid = $id"
_OTHER = "coalesce(m.rid, m.boid, m.mid) AS id, m.name AS name, labels(m) AS labels"
_NODE = f"MATCH (n) WHERE {_IS} RETURN n.name AS name, labels(n) AS labels"
_OUT = f"MATCH (n)-[x]->(m) WHERE {_IS} RETURN type(x) AS type, properties(x) AS properties, {_OTHER} ORDER BY type, id"
_IN = f"MATCH (n)<-[x]-(m) WHERE {_IS} RETURN type(x) AS type, properties(x) AS properties, {_OTHER} ORDER BY type, id"


class GetEntityRelationshipsParameters(Arguments):
    """Parameters of `get_entity_relationships`."""

    entity_id: str = Field(min_length=1, max_length=120, description="Such as R-0001, BO-invoice or MSG-order")
    limit: int = Field(50, ge=1, le=200)


class GetEntityRelationships(JobTool[GetEntityRelationshipsParameters, JobServices]):
    """Shows relationships in both directions."""

    name = "get_entity_relationships"
    parameters_model = GetEntityRelationshipsParameters
    effect = "idempotent"

    async def execute(self, params: GetEntityRelationshipsParameters, ctx: ToolContext[JobServices]) -> ToolResult:
        """Read them."""
        graph, wanted = ctx.db.graph, {"id": params.entity_id}
        nodes = (await graph.query(_NODE, wanted)).rows
        if not nodes:
            raise NotFound(
                f"The graph has no node {params.entity_id}.",
                hint="resolve_business_object and resolve_message find ids by name.",
            )
        found = [
            {"direction": direction, **row}
            for direction, cypher in (("out", _OUT), ("in", _IN))
            for row in (await graph.query(cypher, wanted)).rows
        ]
        labels = ", ".join(nodes[0]["labels"])
        head = f"{params.entity_id} ({labels}) has {len(found)} relationships; shown: {min(len(found), params.limit)}."
        return await records_answer(head, found[: params.limit], "graph", ctx, number=len(found))


# `resolve_business_object`: which business object of the graph a name means.


class ResolveBusinessObject(JobTool[NamesParameters, JobServices]):
    """Compares with the names and other names of all nodes."""

    name = "resolve_business_object"
    parameters_model = NamesParameters
    told = ("entity_names",)
    effect = "idempotent"

    async def execute(self, params: NamesParameters, ctx: ToolContext[JobServices]) -> ToolResult:
        """Resolve."""
        return await resolve_names(ctx, "BusinessObject", params.names)


# `validate_schema_compliance`: whether the graph keeps its schema.

SHOWN = 100
GROUPS: dict[str, tuple[Group, ...]] = {"all": ("A", "B", "C"), "A": ("A",), "B": ("B",), "C": ("C",)}


class ValidateSchemaComplianceParameters(Arguments):
    """Parameters of `validate_schema_compliance`."""

    checks: Literal["all", "A", "B", "C"] = Field(
        "all", description="A: nodes; B: relationships; C: completeness and status"
    )


class ValidateSchemaCompliance(JobTool[ValidateSchemaComplianceParameters, JobServices]):
    """Runs the checks."""

    name = "validate_schema_compliance"
    parameters_model = ValidateSchemaComplianceParameters
    effect = "idempotent"

    async def execute(self, params: ValidateSchemaComplianceParameters, ctx: ToolContext[JobServices]) -> ToolResult:
        """Check, and tell each violation with its rule."""
        report = await check_compliance(ctx.db.graph, GROUPS[params.checks])
        counts = Counter(violation.severity for violation in report.violations)
        verdict = "The graph keeps its schema" if report.compliant else "The graph breaks its schema"
        head = (
            f"{verdict}: {counts['error']} errors, {counts['warning']} warnings "
            f"(checks {', '.join(report.checked)}).{' There is more than was looked at.' if report.truncated else ''}"
        )
        records = [
            {
                "check": violation.check_id,
                "severity": violation.severity,
                "rule": violation.rule,
                "what": violation.what,
                **({"detail": violation.detail} if violation.detail else {}),
            }
            for violation in sorted(report.violations, key=lambda each: each.severity)[:SHOWN]
        ]
        artifacts = {"compliant": report.compliant, "errors": counts["error"], "warnings": counts["warning"]}
        return await records_answer(head, records, "graph", ctx, **artifacts)
