"""`get_requirement`: one requirement whole, with the quotes that bear it."""

from pydantic import BaseModel, Field

from loopwright.agents.jobs.answering import records_answer
from loopwright.agents.jobs.ports import JobServices
from loopwright.agents.jobs.requirements.showing import SOURCE, cited
from loopwright.kernel.tools import BaseTool, ToolContext, ToolResult

INTERNAL = {"position", "claimed_until"}


class GetRequirementParameters(BaseModel):
    """Parameters of `get_requirement`."""

    requirement_id: str = Field(min_length=1, max_length=64)


class GetRequirement(BaseTool[GetRequirementParameters, JobServices]):
    """Shows a requirement."""

    name = "get_requirement"
    parameters_model = GetRequirementParameters
    effect = "idempotent"

    async def execute(self, params: GetRequirementParameters, ctx: ToolContext[JobServices]) -> ToolResult:
        """Read it, and the citations of the job that added it."""
        found = await ctx.db.requirements.get(params.requirement_id)
        fields = {name: value for name, value in found.model_dump(mode="json").items() if name not in INTERNAL}
        fields["citations"] = await cited(found, ctx.db)
        held = " It is held by this job." if found.claimed_by == ctx.session_id else ""
        head = f"Requirement {found.requirement_id} is {found.status}.{held}"
        return await records_answer(head, [fields], SOURCE, ctx, status=found.status)
