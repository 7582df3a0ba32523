"""`find_similar_requirements`: what is like a requirement, down to the threshold of relatedness."""

from pydantic import BaseModel, Field

from loopwright.agents.jobs.contracts.requirements import Names
from loopwright.agents.jobs.memory import config_of
from loopwright.agents.jobs.ports import JobServices
from loopwright.agents.jobs.requirements.searching import compare
from loopwright.kernel.tools import BaseTool, ToolContext, ToolResult


class FindSimilarRequirementsParameters(BaseModel):
    """Parameters of `find_similar_requirements`."""

    requirement_text: str = Field("", max_length=10_000)
    requirement_id: str = Field("", max_length=64)
    requirement_ids: Names = Field(default_factory=list, description="Many stored requirements at once")
    threshold: float | None = Field(None, ge=0.3, le=1, description="Without it, the config's (0.70)")
    limit: int = Field(10, ge=1, le=50)


class FindSimilarRequirements(BaseTool[FindSimilarRequirementsParameters, JobServices]):
    """Compares with the graph and the store."""

    name = "find_similar_requirements"
    parameters_model = FindSimilarRequirementsParameters
    effect = "idempotent"

    async def execute(self, params: FindSimilarRequirementsParameters, ctx: ToolContext[JobServices]) -> ToolResult:
        """Compare."""
        validation = config_of(ctx.settings).validation
        least = params.threshold if params.threshold is not None else validation.related_threshold
        asked = (params.requirement_text, params.requirement_id, params.requirement_ids)
        return await compare(ctx, asked, least, params.limit, f"Similar at {least:g} or above")
