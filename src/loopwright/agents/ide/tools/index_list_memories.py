"""`index_list_memories`: what is remembered of the project."""

import asyncio
from typing import Any

from pydantic import BaseModel, Field

from loopwright.agents.ide.contracts.memory import Tier
from loopwright.agents.ide.tools.tool import IdeTool
from loopwright.kernel.tools import ToolContext, ToolResult


class IndexListMemoriesParameters(BaseModel):
    """Parameters of `index_list_memories`."""

    query: str = Field("", max_length=300, description="Words to look for; empty for all")
    tier: Tier | None = None
    limit: int = Field(30, ge=1, le=200)


class IndexListMemories(IdeTool[IndexListMemoriesParameters]):
    """Lists memories."""

    name = "index_list_memories"
    parameters_model = IndexListMemoriesParameters

    async def execute(self, params: IndexListMemoriesParameters, ctx: ToolContext[Any]) -> ToolResult:
        """List them."""
        memory = self.project(ctx).memory
        found = await asyncio.to_thread(memory.list, params.query, params.tier, params.limit)
        lines = [
            f"{each.memory_id} ({each.tier}, {each.category}, protection {each.protection}) {each.content}"
            for each in found
        ]
        return ToolResult(
            success=True,
            output="\n".join(lines) or "Nothing is remembered.",
            artifacts={"memories": [each.model_dump(mode="json") for each in found]},
        )
