"""`find_similar_requirements`: what is like a requirement, down to the threshold of relatedness."""

from pydantic import Field

from loopwright.agents.jobs.memory import config_of
from loopwright.agents.jobs.ports import JobServices
from loopwright.agents.jobs.requirements.searching import ComparisonParameters, compare
from loopwright.kernel.tools import BaseTool, ToolContext, ToolResult


class FindSimilarRequirementsParameters(ComparisonParameters):
    """Parameters of `find_similar_requirements`."""

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
        return await compare(ctx, params, least, params.limit, f"Similar at {least:g} or above")
