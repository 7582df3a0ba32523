"""`check_for_duplicates`: whether a requirement says what another one says already."""

from loopwright.agents.jobs.memory import config_of
from loopwright.agents.jobs.ports import JobServices
from loopwright.agents.jobs.requirements.searching import ComparisonParameters, compare
from loopwright.kernel.tools import BaseTool, ToolContext, ToolResult

LIMIT = 5


class CheckForDuplicatesParameters(ComparisonParameters):
    """Parameters of `check_for_duplicates`."""


class CheckForDuplicates(BaseTool[CheckForDuplicatesParameters, JobServices]):
    """Compares at the duplicate threshold."""

    name = "check_for_duplicates"
    parameters_model = CheckForDuplicatesParameters
    effect = "idempotent"

    async def execute(self, params: CheckForDuplicatesParameters, ctx: ToolContext[JobServices]) -> ToolResult:
        """Compare."""
        least = config_of(ctx.settings).validation.duplicate_threshold
        return await compare(ctx, params, least, LIMIT, f"Duplicates at {least:g} or above")
