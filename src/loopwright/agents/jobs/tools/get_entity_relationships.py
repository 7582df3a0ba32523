"""`get_entity_relationships`: what a node is related to."""

from pydantic import BaseModel, Field

from loopwright.agents.jobs.answering import records_answer
from loopwright.agents.jobs.ports import JobServices
from loopwright.kernel.errors import NotFound
from loopwright.kernel.tools import BaseTool, ToolContext, ToolResult

_IS = "n.rid = $id OR n.boid = $id OR n.mid = $id"
_OTHER = "coalesce(m.rid, m.boid, m.mid) AS id, m.name AS name, labels(m) AS labels"
_NODE = f"MATCH (n) WHERE {_IS} RETURN n.name AS name, labels(n) AS labels"
_OUT = f"MATCH (n)-[x]->(m) WHERE {_IS} RETURN type(x) AS type, properties(x) AS properties, {_OTHER} ORDER BY type, id"
_IN = f"MATCH (n)<-[x]-(m) WHERE {_IS} RETURN type(x) AS type, properties(x) AS properties, {_OTHER} ORDER BY type, id"


class GetEntityRelationshipsParameters(BaseModel):
    """Parameters of `get_entity_relationships`."""

    entity_id: str = Field(min_length=1, max_length=120, description="Such as R-0001, BO-invoice or MSG-order")
    limit: int = Field(50, ge=1, le=200)


class GetEntityRelationships(BaseTool[GetEntityRelationshipsParameters, JobServices]):
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
