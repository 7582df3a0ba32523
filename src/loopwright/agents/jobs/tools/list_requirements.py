"""`list_requirements`: what is stored, by status, type, priority or words."""

from typing import Literal

from pydantic import BaseModel, Field

from loopwright.agents.jobs.answering import records_answer
from loopwright.agents.jobs.contracts.requirements import Priority, RequirementType
from loopwright.agents.jobs.ports import JobServices
from loopwright.agents.jobs.requirements.showing import SOURCE, summary
from loopwright.kernel.tools import BaseTool, ToolContext, ToolResult


class ListRequirementsParameters(BaseModel):
    """Parameters of `list_requirements`."""

    scope: Literal["added", "settled", "all"] | None = Field(
        None, description="Of this job (added or settled by it), or of all jobs; without it: added, if there are any"
    )
    status: Literal["pending", "validating", "integrated", "rejected", "failed"] | None = None
    req_type: RequirementType | None = None
    priority: Priority | None = None
    containing: str | None = Field(None, max_length=200, description="Words that stand in the text or the name")
    limit: int = Field(20, ge=1, le=100)
    offset: int = Field(0, ge=0)


class ListRequirements(BaseTool[ListRequirementsParameters, JobServices]):
    """Shows requirements in the order of adding."""

    name = "list_requirements"
    parameters_model = ListRequirementsParameters
    effect = "idempotent"

    async def execute(self, params: ListRequirementsParameters, ctx: ToolContext[JobServices]) -> ToolResult:
        """Find and count them."""
        store, job = ctx.db.requirements, ctx.session_id
        scope = params.scope or ("added" if any((await store.counts(job_id=job)).values()) else "all")
        added, settled = (job if scope == name else None for name in ("added", "settled"))
        counts = await store.counts(job_id=added, settled_by=settled)
        rows = await store.find(
            job_id=added,
            settled_by=settled,
            status=params.status,
            type=params.req_type,
            priority=params.priority,
            containing=params.containing,
            limit=params.limit,
            offset=params.offset,
        )
        told = ", ".join(f"{number} {status}" for status, number in counts.items() if number) or "none"
        head = f"Requirements ({scope}): {told}. Shown: {len(rows)} from number {params.offset + 1} on."
        return await records_answer(head, [summary(row) for row in rows], SOURCE, ctx, counts=counts)
