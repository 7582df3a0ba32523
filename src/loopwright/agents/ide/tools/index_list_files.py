"""`index_list_files`: what lies in a folder."""

import asyncio
from typing import Any

from pydantic import BaseModel, Field

from loopwright.agents.ide.tools.tool import IdeTool
from loopwright.kernel.tools import ToolContext, ToolResult

MOST = 400


class IndexListFilesParameters(BaseModel):
    """Parameters of `index_list_files`."""

    folder: str = Field("", max_length=500, description="Relative to the root; empty for the root")
    depth: int = Field(2, ge=1, le=10, description="How many levels deep")


class IndexListFiles(IdeTool[IndexListFilesParameters]):
    """Lists a folder."""

    name = "index_list_files"
    parameters_model = IndexListFilesParameters

    async def execute(self, params: IndexListFilesParameters, ctx: ToolContext[Any]) -> ToolResult:
        """List it; deeper folders end with a slash."""
        found = await asyncio.to_thread(self.project(ctx).index.list_files, params.folder, params.depth)
        shown = found[:MOST]
        more = f"\n… and {len(found) - MOST} more; name a folder or a smaller depth" if len(found) > MOST else ""
        return ToolResult(success=True, output=("\n".join(shown) or "(empty)") + more, artifacts={"entries": shown})
