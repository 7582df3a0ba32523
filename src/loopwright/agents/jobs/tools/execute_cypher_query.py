"""`execute_cypher_query`: a question to the graph in Cypher, which only reads."""

from typing import Any

from pydantic import BaseModel, Field

from loopwright.agents.jobs.answering import records_answer
from loopwright.agents.jobs.ports import JobServices
from loopwright.kernel.tools import BaseTool, ToolContext, ToolResult


class ExecuteCypherQueryParameters(BaseModel):
    """Parameters of `execute_cypher_query`."""

    query: str = Field(min_length=1, max_length=20_000)
    parameters: dict[str, Any] = Field(default_factory=dict, description="Values for $names in the query")
    limit: int = Field(100, ge=1, le=500, description="Rows to show")


class ExecuteCypherQuery(BaseTool[ExecuteCypherQueryParameters, JobServices]):
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
