"""`generate_requirement_id`: the `rid` under which a requirement stands in the graph."""

from pydantic import BaseModel, Field

from loopwright.agents.jobs.graph.numbering import assign_rid
from loopwright.agents.jobs.ports import JobServices
from loopwright.agents.jobs.requirements.holding import require_held
from loopwright.kernel.tools import BaseTool, ToolContext, ToolResult


class GenerateRequirementIdParameters(BaseModel):
    """Parameters of `generate_requirement_id`."""

    requirement_id: str = Field(min_length=1, max_length=64, description="As next_requirements gave it")


class GenerateRequirementId(BaseTool[GenerateRequirementIdParameters, JobServices]):
    """Gives the next number, once for each requirement."""

    name = "generate_requirement_id"
    parameters_model = GenerateRequirementIdParameters
    effect = "idempotent"

    async def execute(self, params: GenerateRequirementIdParameters, ctx: ToolContext[JobServices]) -> ToolResult:
        """Assign it."""
        found = await require_held(ctx, params.requirement_id)
        rid = await assign_rid(ctx.db, found.requirement_id)
        return ToolResult(success=True, output=rid, artifacts={"rid": rid})
