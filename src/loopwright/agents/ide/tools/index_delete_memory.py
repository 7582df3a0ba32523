"""`index_delete_memory`: something that is no longer true."""

import asyncio
from typing import Any

from pydantic import BaseModel, Field

from loopwright.agents.ide.tools.tool import IdeTool
from loopwright.kernel.tools import ToolContext, ToolResult


class IndexDeleteMemoryParameters(BaseModel):
    """Parameters of `index_delete_memory`."""

    memory_id: str = Field(min_length=3, max_length=80)
    reason: str = Field(min_length=3, max_length=300, description="Why it is not true any more")


class IndexDeleteMemory(IdeTool[IndexDeleteMemoryParameters]):
    """Deletes an entry that its protection lets go; project facts only the user may delete."""

    name = "index_delete_memory"
    parameters_model = IndexDeleteMemoryParameters
    effect = "idempotent"
    category = "write"

    async def execute(self, params: IndexDeleteMemoryParameters, ctx: ToolContext[Any]) -> ToolResult:
        """Delete it."""
        memory = self.project(ctx).memory
        gone = await asyncio.to_thread(memory.delete, params.memory_id, confirmed=True)
        return ToolResult(success=True, output=f"Forgotten: {gone.content}")
