"""`update_requirement`: the verdict on a requirement that this job holds, or a change of its fields."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from loopwright.agents.jobs.answering import current_phase
from loopwright.agents.jobs.contracts.requirements import Names, Priority, RequirementType
from loopwright.agents.jobs.graph.writing import has_node, remove_requirement
from loopwright.agents.jobs.memory import config_of
from loopwright.agents.jobs.ports import JobServices
from loopwright.agents.jobs.ports.requirements import Requirement
from loopwright.agents.jobs.requirements.bearing import require_citations
from loopwright.kernel.errors import Conflict, InvalidInput
from loopwright.kernel.tools import BaseTool, ToolContext, ToolResult

VERDICT_FIELDS = {"requirement_id", "status", "reason", "validation_result"}


class UpdateRequirementParameters(BaseModel):
    """Parameters of `update_requirement`: fields that are not given stay as they are."""

    model_config = ConfigDict(extra="forbid")

    requirement_id: str = Field(min_length=1, max_length=64)
    status: Literal["integrated", "rejected", "failed", "pending"] | None = Field(
        None, description="The verdict; pending: try a failed one again"
    )
    reason: str = Field("", max_length=10_000, description="Why it is rejected or has failed")
    validation_result: dict[str, Any] | None = Field(None, description="What the validation found")
    text: str | None = Field(None, min_length=1, max_length=10_000)
    name: str | None = Field(None, max_length=200)
    req_type: RequirementType | None = None
    priority: Priority | None = None
    gobd_relevant: bool | None = None
    gdpr_relevant: bool | None = None
    citations: Names | None = None
    mentioned_objects: Names | None = None
    mentioned_messages: Names | None = None
    research_notes: str | None = Field(None, max_length=10_000)
    confidence: float | None = Field(None, ge=0, le=1)
    tags: Names | None = None

    @property
    def changes(self) -> dict[str, Any]:
        """The fields that are to change, as the store names them."""
        given = self.model_dump(exclude=VERDICT_FIELDS, exclude_none=True)
        if "req_type" in given:
            given["type"] = given.pop("req_type")
        return given


class UpdateRequirement(BaseTool[UpdateRequirementParameters, JobServices]):
    """Changes a requirement and settles it."""

    name = "update_requirement"
    parameters_model = UpdateRequirementParameters
    effect = "idempotent"

    async def execute(self, params: UpdateRequirementParameters, ctx: ToolContext[JobServices]) -> ToolResult:
        """Change the fields first, then pass the verdict."""
        if not params.changes and params.status is None:
            raise InvalidInput("Nothing is to be changed.", hint="Give fields, or a status.")
        found = await ctx.db.requirements.get(params.requirement_id)
        if params.citations is not None:
            await require_citations(ctx.db, found.job_id, config_of(ctx.settings), [params.citations])
        if params.changes:
            found = await ctx.db.requirements.update(
                found.requirement_id,
                params.changes,
                job_id=ctx.session_id,
                phase=await current_phase(ctx),
                key=ctx.idempotency_key,
            )
        if params.status == "pending" and found.status != "pending":
            found = await ctx.db.requirements.retry(found.requirement_id)
        elif params.status not in (None, "pending"):
            found = await _settle(params, found, ctx)
        return ToolResult(
            success=True,
            output=f"ok: {found.requirement_id} is {found.status}",
            artifacts={"requirement_id": found.requirement_id, "status": found.status},
        )


async def _settle(
    params: UpdateRequirementParameters, found: Requirement, ctx: ToolContext[JobServices]
) -> Requirement:
    """Pass the verdict; what is integrated stands in the graph, and what is not leaves nothing there."""
    graph = ctx.db.graph
    placed = found.graph_id is not None and await has_node(graph, "Requirement", found.graph_id)
    if params.status == "integrated" and not placed:
        raise Conflict(
            f"Requirement {found.requirement_id} is not in the graph yet.",
            hint="Call create_requirement_node for it first.",
        )
    settled = await ctx.db.requirements.settle(
        found.requirement_id,
        ctx.session_id,
        str(params.status),
        reason=params.reason,
        validation_result=params.validation_result,
        phase=await current_phase(ctx),
        key=ctx.idempotency_key,
    )
    if settled.status != "integrated" and settled.graph_id is not None:
        await remove_requirement(graph, settled.graph_id)
    return settled
