"""`add_requirement`: a requirement, or many at once, into the store, each borne by its citations."""

from typing import Any, Self

from pydantic import ConfigDict, Field, model_validator

from loopwright.agents.jobs.answering import current_phase
from loopwright.agents.jobs.contracts.requirements import RequirementDraft
from loopwright.agents.jobs.memory import config_of
from loopwright.agents.jobs.ports import JobServices
from loopwright.agents.jobs.requirements.bearing import require_citations
from loopwright.kernel.tools import BaseTool, ToolContext, ToolResult

MAX_BATCH = 50


class AddRequirementParameters(RequirementDraft):
    """One requirement by its fields, or many as `requirements`."""

    model_config = ConfigDict(extra="forbid")

    text: str = Field("", max_length=10_000, description="The requirement, so that it is understood alone")
    requirements: list[RequirementDraft] = Field(default_factory=list, max_length=MAX_BATCH)

    @model_validator(mode="after")
    def _one_or_many(self) -> Self:
        if bool(self.text.strip()) == bool(self.requirements):
            raise ValueError("give either text (and its other fields) or requirements")
        return self

    @property
    def drafts(self) -> list[RequirementDraft]:
        """All that is to be added."""
        if self.requirements:
            return self.requirements
        return [RequirementDraft.model_validate(self.model_dump(exclude={"requirements"}))]


class AddRequirement(BaseTool[AddRequirementParameters, JobServices]):
    """Adds requirements, all or none."""

    name = "add_requirement"
    parameters_model = AddRequirementParameters
    effect = "idempotent"

    async def execute(self, params: AddRequirementParameters, ctx: ToolContext[JobServices]) -> ToolResult:
        """Check what bears them, and store them under the call's key."""
        drafts = params.drafts
        await require_citations(ctx.db, ctx.session_id, config_of(ctx.settings), [draft.citations for draft in drafts])
        added = await ctx.db.requirements.add(
            ctx.session_id,
            [draft.fields() for draft in drafts],
            phase=await current_phase(ctx),
            key=ctx.idempotency_key,
        )
        ids = [row.requirement_id for row in added]
        artifacts: dict[str, Any] = {"requirement_ids": ids}
        return ToolResult(success=True, output="\n".join(f"ok: {each}" for each in ids), artifacts=artifacts)
