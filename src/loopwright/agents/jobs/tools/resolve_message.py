"""`resolve_message`: which message of the graph a name means."""

from loopwright.agents.jobs.graph.resolving import NamesParameters, resolve_names
from loopwright.agents.jobs.ports import JobServices
from loopwright.kernel.tools import BaseTool, ToolContext, ToolResult


class ResolveMessage(BaseTool[NamesParameters, JobServices]):
    """Compares with the names and other names of all nodes."""

    name = "resolve_message"
    parameters_model = NamesParameters
    effect = "idempotent"

    async def execute(self, params: NamesParameters, ctx: ToolContext[JobServices]) -> ToolResult:
        """Resolve."""
        return await resolve_names(ctx, "Message", params.names)
