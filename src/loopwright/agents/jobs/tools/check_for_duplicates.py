"""`check_for_duplicates`: whether a requirement says what another one says already."""

from pydantic import BaseModel, Field

from loopwright.agents.jobs.contracts.requirements import Names
from loopwright.agents.jobs.memory import config_of
from loopwright.agents.jobs.ports import JobServices
from loopwright.agents.jobs.requirements.searching import compare
from loopwright.kernel.tools import BaseTool, ToolContext, ToolResult

LIMIT = 5


class CheckForDuplicatesParameters(BaseModel):
    """Parameters of `check_for_duplicates`."""

    requirement_text: str = Field("", max_length=10_000)
    requirement_id: str = Field("", max_length=64)
    requirement_ids: Names = Field(default_factory=list, description="Many stored requirements at once")


class CheckForDuplicates(BaseTool[CheckForDuplicatesParameters, JobServices]):
    """Compares at the duplicate threshold."""

    name = "check_for_duplicates"
    parameters_model = CheckForDuplicatesParameters
    effect = "idempotent"

    async def execute(self, params: CheckForDuplicatesParameters, ctx: ToolContext[JobServices]) -> ToolResult:
        """Compare."""
        least = config_of(ctx.settings).validation.duplicate_threshold
        asked = (params.requirement_text, params.requirement_id, params.requirement_ids)
        return await compare(ctx, asked, least, LIMIT, f"Duplicates at {least:g} or above")
