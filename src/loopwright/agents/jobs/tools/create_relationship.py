"""`create_relationship`: how requirements relate to each other and to entities, and messages to objects."""

from typing import Literal

from pydantic import BaseModel, Field

from loopwright.agents.jobs.answering import current_phase
from loopwright.agents.jobs.graph.writing import Author, merge_relationship
from loopwright.agents.jobs.ports import JobServices
from loopwright.kernel.tools import BaseTool, ToolContext, ToolResult

RelationshipType = Literal[
    "REFINES",
    "DEPENDS_ON",
    "TRACES_TO",
    "SUPERSEDES",
    "RELATES_TO_OBJECT",
    "RELATES_TO_MESSAGE",
    "IMPACTS_OBJECT",
    "IMPACTS_MESSAGE",
    "USES_OBJECT",
    "PRODUCES_OBJECT",
]


class CreateRelationshipParameters(BaseModel):
    """Parameters of `create_relationship`."""

    source_id: str = Field(min_length=1, max_length=120, description="Such as R-0001, or MSG-order for a message's")
    target_id: str = Field(min_length=1, max_length=120, description="Such as R-0002 or BO-invoice")
    type: RelationshipType
    reason: str = Field("", max_length=2_000)
    confidence: float | None = Field(None, ge=0, le=1)


class CreateRelationship(BaseTool[CreateRelationshipParameters, JobServices]):
    """Merges the relationship."""

    name = "create_relationship"
    parameters_model = CreateRelationshipParameters
    effect = "idempotent"

    async def execute(self, params: CreateRelationshipParameters, ctx: ToolContext[JobServices]) -> ToolResult:
        """Merge it between nodes that exist."""
        author = Author(ctx.session_id, await current_phase(ctx))
        properties = {"reason": params.reason or None, "confidence": params.confidence}
        await merge_relationship(ctx.db.graph, params.type, params.source_id, params.target_id, properties, author)
        return ToolResult(success=True, output=f"ok: {params.source_id} -{params.type}-> {params.target_id}")
