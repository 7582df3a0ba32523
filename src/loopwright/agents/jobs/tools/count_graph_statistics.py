"""`count_graph_statistics`: how much of everything the graph holds."""

from pydantic import BaseModel

from loopwright.agents.jobs.answering import records_answer
from loopwright.agents.jobs.ports import JobServices
from loopwright.kernel.tools import BaseTool, ToolContext, ToolResult

_STATUS = "MATCH (n:Requirement) RETURN n.complianceStatus AS status, count(*) AS number ORDER BY status"


class CountGraphStatisticsParameters(BaseModel):
    """Parameters of `count_graph_statistics`: none."""


class CountGraphStatistics(BaseTool[CountGraphStatisticsParameters, JobServices]):
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
