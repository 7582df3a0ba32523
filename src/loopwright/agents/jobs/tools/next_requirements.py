"""`next_requirements`: requirements to work on, for this job alone, until it settles them or its time runs out."""

from typing import Any

from pydantic import BaseModel, Field

from loopwright.agents.jobs.answering import current_phase, records_answer
from loopwright.agents.jobs.contracts.requirements import Names
from loopwright.agents.jobs.memory import config_of
from loopwright.agents.jobs.ports import JobServices
from loopwright.agents.jobs.ports.requirements import Requirement
from loopwright.agents.jobs.requirements.showing import SOURCE, cited, summary
from loopwright.kernel.tools import BaseTool, ToolContext, ToolResult


class NextRequirementsParameters(BaseModel):
    """Parameters of `next_requirements`."""

    limit: int | None = Field(None, ge=1, le=100, description="At most so many; without it the config's batch size")
    job_ids: Names | None = Field(None, description="Only what these jobs have added")


class NextRequirements(BaseTool[NextRequirementsParameters, JobServices]):
    """Claims requirements."""

    name = "next_requirements"
    parameters_model = NextRequirementsParameters
    effect = "idempotent"

    async def execute(self, params: NextRequirementsParameters, ctx: ToolContext[JobServices]) -> ToolResult:
        """Hold them, those that are held already first."""
        validation = config_of(ctx.settings).validation
        rows = await ctx.db.requirements.claim(
            ctx.session_id,
            min(params.limit or validation.batch_size, 100),
            validation.lease_seconds,
            phase=await current_phase(ctx),
            key=ctx.idempotency_key,
            jobs=params.job_ids,
        )
        counts = await ctx.db.requirements.counts()
        if rows:
            head = (
                f"{len(rows)} requirements are held by this job for {validation.lease_seconds:g} s; "
                f"{counts['pending']} more are pending."
            )
        else:
            head = f"Nothing is left to take: 0 pending, {counts['validating']} held by others."
        artifacts = {"requirement_ids": [row.requirement_id for row in rows], "pending": counts["pending"]}
        records = [await _with_proof(row, ctx.db) for row in rows]
        return await records_answer(head, records, SOURCE, ctx, **artifacts)


async def _with_proof(row: Requirement, services: JobServices) -> dict[str, Any]:
    """The requirement, and whether its citations have been verified; `get_requirement` shows them."""
    proofs = [each["verification_status"] for each in await cited(row, services)]
    verified = bool(proofs) and all(proof == "verified" for proof in proofs)
    return {**summary(row, whole_text=True), "citations_verified": verified}
