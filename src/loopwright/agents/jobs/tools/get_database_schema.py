"""`get_database_schema`: what the graph may hold, and what it holds."""

from pydantic import BaseModel

from loopwright.agents.jobs.answering import records_answer
from loopwright.agents.jobs.graph.schema import LABELS, RELATIONSHIPS
from loopwright.agents.jobs.ports import JobServices
from loopwright.kernel.tools import BaseTool, ToolContext, ToolResult


class GetDatabaseSchemaParameters(BaseModel):
    """Parameters of `get_database_schema`: none."""


class GetDatabaseSchema(BaseTool[GetDatabaseSchemaParameters, JobServices]):
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
