"""`create_fulfillment_relationship`: an entity fulfils a requirement, by evidence, or does not, with the gap."""

from typing import Any, Literal, Self

from pydantic import BaseModel, Field, model_validator

from loopwright.agents.jobs.answering import current_phase
from loopwright.agents.jobs.graph.schema import SUFFIXES
from loopwright.agents.jobs.graph.writing import Author, has_node, merge_relationship, remove_relationship
from loopwright.agents.jobs.memory import config_of
from loopwright.agents.jobs.ports import JobServices
from loopwright.kernel.errors import InvalidInput, NotFound
from loopwright.kernel.tools import BaseTool, ToolContext, ToolResult


class CreateFulfillmentRelationshipParameters(BaseModel):
    """Parameters of `create_fulfillment_relationship`."""

    rid: str = Field(min_length=1, max_length=20, description="The requirement, such as R-0001")
    entity_id: str = Field(min_length=1, max_length=120, description="The business object or message")
    fulfilled: bool
    confidence: float = Field(ge=0, le=1)
    evidence: str = Field("", max_length=4_000, description="What shows that it is fulfilled")
    citation_id: str = Field("", max_length=40, description="The citation that the evidence rests on")
    gap_description: str = Field("", max_length=4_000, description="What is missing")
    severity: Literal["critical", "major", "minor"] | None = Field(None, description="Of the gap")
    remediation: str = Field("", max_length=4_000, description="What would close the gap")

    @model_validator(mode="after")
    def _says_why(self) -> Self:
        if self.fulfilled and not self.evidence.strip():
            raise ValueError("a fulfilment needs evidence")
        if not self.fulfilled and not (self.gap_description.strip() and self.severity):
            raise ValueError("what is not fulfilled needs gap_description and severity")
        return self

    @property
    def properties(self) -> dict[str, Any]:
        """What stands on the relationship."""
        said: dict[str, Any] = {"confidence": self.confidence, "citationId": self.citation_id or None}
        if self.fulfilled:
            return said | {"evidence": self.evidence}
        return said | {
            "gapDescription": self.gap_description,
            "severity": self.severity,
            "remediation": self.remediation or None,
        }


class CreateFulfillmentRelationship(BaseTool[CreateFulfillmentRelationshipParameters, JobServices]):
    """Merges the relationship in the place of its opposite, and settles the requirement's compliance status."""

    name = "create_fulfillment_relationship"
    parameters_model = CreateFulfillmentRelationshipParameters
    effect = "idempotent"

    async def execute(
        self, params: CreateFulfillmentRelationshipParameters, ctx: ToolContext[JobServices]
    ) -> ToolResult:
        """Merge it between nodes that exist."""
        least = config_of(ctx.settings).validation.fulfillment_confidence_threshold
        if params.fulfilled and params.confidence < least:
            raise InvalidInput(
                f"A fulfilment of confidence {params.confidence:g} is none; {least:g} is needed.",
                hint="Leave it open, or describe the gap with fulfilled false.",
            )
        graph = ctx.db.graph
        suffix = await _suffix(ctx, params.entity_id)
        names = (f"FULFILLED_BY_{suffix}", f"NOT_FULFILLED_BY_{suffix}")
        kind, opposite = names if params.fulfilled else names[::-1]
        author = Author(ctx.session_id, await current_phase(ctx))
        await merge_relationship(graph, kind, params.rid, params.entity_id, params.properties, author)
        await remove_relationship(graph, opposite, params.rid, params.entity_id)
        return ToolResult(success=True, output=f"ok: {params.rid} -{kind}-> {params.entity_id}")


async def _suffix(ctx: ToolContext[JobServices], entity_id: str) -> str:
    for label, suffix in SUFFIXES.items():
        if await has_node(ctx.db.graph, label, entity_id):
            return suffix
    raise NotFound(
        f"The graph has no business object or message {entity_id}.",
        hint="resolve_business_object and resolve_message find ids; create_entity_node makes a node.",
    )
