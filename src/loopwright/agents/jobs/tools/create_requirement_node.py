"""`create_requirement_node`: a requirement that this job holds, as a node of the graph."""

from typing import Any

from pydantic import BaseModel, Field

from loopwright.agents.jobs.answering import current_phase
from loopwright.agents.jobs.graph.numbering import assign_rid
from loopwright.agents.jobs.graph.writing import Author, merge_node, settle_status
from loopwright.agents.jobs.ports import JobServices
from loopwright.agents.jobs.ports.requirements import Requirement
from loopwright.agents.jobs.requirements.holding import require_held
from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.tools import BaseTool, ToolContext, ToolResult


class CreateRequirementNodeParameters(BaseModel):
    """Parameters of `create_requirement_node`."""

    requirement_id: str = Field(min_length=1, max_length=64, description="As next_requirements gave it")
    rid: str = Field("", max_length=20, description="As generate_requirement_id gave it; without it, it is given now")
    value_stream: str = Field("", max_length=200, description="The part of the business that it belongs to")
    status: str = Field("active", min_length=1, max_length=40)


class CreateRequirementNode(BaseTool[CreateRequirementNodeParameters, JobServices]):
    """Merges the node."""

    name = "create_requirement_node"
    parameters_model = CreateRequirementNodeParameters
    effect = "idempotent"

    async def execute(self, params: CreateRequirementNodeParameters, ctx: ToolContext[JobServices]) -> ToolResult:
        """Take the properties from the store, so that the graph says what the store says."""
        found = await require_held(ctx, params.requirement_id)
        rid = await assign_rid(ctx.db, found.requirement_id)
        if params.rid and params.rid != rid:
            raise InvalidInput(f"The rid of requirement {found.requirement_id} is {rid}, not {params.rid}.")
        author = Author(ctx.session_id, await current_phase(ctx))
        properties = {**_properties(found), "valueStream": params.value_stream or None, "status": params.status}
        await merge_node(ctx.db.graph, "Requirement", rid, properties, author)
        await settle_status(ctx.db.graph, rid)
        return ToolResult(success=True, output=f"ok: {rid} stands in the graph", artifacts={"rid": rid})


def _properties(requirement: Requirement) -> dict[str, Any]:
    return {
        "name": requirement.name,
        "text": requirement.text,
        "type": requirement.type,
        "priority": requirement.priority,
        "source": ", ".join(part for part in (requirement.source_document, requirement.source_location) if part),
        "goBDRelevant": requirement.gobd_relevant,
        "gdprRelevant": requirement.gdpr_relevant,
        "requirementId": requirement.requirement_id,
    }
