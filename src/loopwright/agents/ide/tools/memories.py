"""The tools of the memories of a project."""

import asyncio
from typing import Any, Literal

from pydantic import Field

from loopwright.agents.ide.tools.tool import Arguments, IdeTool
from loopwright.kernel.tools import ToolContext, ToolResult

# --------------------------------------------------------------------------------------------------------------------
# `index_add_memory`: something worth knowing beyond this run.
# --------------------------------------------------------------------------------------------------------------------


class IndexAddMemoryParameters(Arguments):
    """Parameters of `index_add_memory`."""

    content: str = Field(min_length=3, max_length=500, description="One fact or decision, in a sentence")
    tier: Literal["mid_term", "long_term"] = Field(description="A decision, or a fact of the project")
    category: str = Field(max_length=60, description="build, test, architecture, security, style …")


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


# --------------------------------------------------------------------------------------------------------------------
# `index_delete_memory`: something that is no longer true.
# --------------------------------------------------------------------------------------------------------------------


class IndexDeleteMemoryParameters(Arguments):
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


MOST = 30


class IndexListMemoriesParameters(Arguments):
    """Parameters of `index_list_memories`."""

    query: str = Field(max_length=300, description="Words to look for; empty for all")


class IndexListMemories(IdeTool[IndexListMemoriesParameters]):
    """Lists memories."""

    name = "index_list_memories"
    parameters_model = IndexListMemoriesParameters

    async def execute(self, params: IndexListMemoriesParameters, ctx: ToolContext[Any]) -> ToolResult:
        """List them."""
        memory = self.project(ctx).memory
        found = await asyncio.to_thread(memory.list, params.query, None, MOST)
        lines = [
            f"{each.memory_id} ({each.tier}, {each.category}, protection {each.protection}) {each.content}"
            for each in found
        ]
        return ToolResult(
            success=True,
            output="\n".join(lines) or "Nothing is remembered.",
            artifacts={"memories": [each.model_dump(mode="json") for each in found]},
        )
