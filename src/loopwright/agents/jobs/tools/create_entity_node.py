"""`create_entity_node`: a business object or a message as a node of the graph."""

from typing import Literal

from pydantic import BaseModel, Field

from loopwright.agents.jobs.answering import current_phase
from loopwright.agents.jobs.contracts.requirements import Names
from loopwright.agents.jobs.graph.entities import entity_id
from loopwright.agents.jobs.graph.writing import Author, merge_node
from loopwright.agents.jobs.ports import JobServices
from loopwright.kernel.tools import BaseTool, ToolContext, ToolResult


class CreateEntityNodeParameters(BaseModel):
    """Parameters of `create_entity_node`."""

    kind: Literal["BusinessObject", "Message"]
    name: str = Field(min_length=1, max_length=120)
    aliases: Names = Field(default_factory=list, description="Other names, such as those of another language")
    description: str = Field("", max_length=2_000)
    source: str = Field("", max_length=300, description="Where the material says that it exists")


class CreateEntityNode(BaseTool[CreateEntityNodeParameters, JobServices]):
    """Merges the node under an id made of its name."""

    name = "create_entity_node"
    parameters_model = CreateEntityNodeParameters
    effect = "idempotent"

    async def execute(self, params: CreateEntityNodeParameters, ctx: ToolContext[JobServices]) -> ToolResult:
        """Merge it."""
        name = " ".join(params.name.split())
        node_id = entity_id(params.kind, name)
        properties = {
            "name": name,
            "aliases": params.aliases,
            "description": params.description or None,
            "source": params.source or None,
        }
        author = Author(ctx.session_id, await current_phase(ctx))
        await merge_node(ctx.db.graph, params.kind, node_id, properties, author)
        return ToolResult(success=True, output=f"ok: {node_id}", artifacts={"id": node_id, "kind": params.kind})
