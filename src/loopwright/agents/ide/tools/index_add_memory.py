"""`index_add_memory`: something worth knowing beyond this run."""

import asyncio
from typing import Any, Literal

from pydantic import BaseModel, Field

from loopwright.agents.ide.tools.tool import IdeTool
from loopwright.kernel.tools import ToolContext, ToolResult


class IndexAddMemoryParameters(BaseModel):
    """Parameters of `index_add_memory`."""

    content: str = Field(min_length=3, max_length=500, description="One fact or decision, in a sentence")
    tier: Literal["mid_term", "long_term"] = Field("long_term", description="A decision, or a fact of the project")
    category: str = Field("general", max_length=60, description="build, test, architecture, security, style …")


class IndexAddMemory(IdeTool[IndexAddMemoryParameters]):
    """Buffers an entry; it is written when the run has delivered."""

    name = "index_add_memory"
    parameters_model = IndexAddMemoryParameters
    effect = "idempotent"
    category = "write"

    async def execute(self, params: IndexAddMemoryParameters, ctx: ToolContext[Any]) -> ToolResult:
        """Buffer it."""
        memory = self.project(ctx).memory
        await asyncio.to_thread(
            memory.add_buffered, ctx.run_id, params.content, tier=params.tier, category=params.category
        )
        return ToolResult(success=True, output="It will be remembered when this run has delivered.")
