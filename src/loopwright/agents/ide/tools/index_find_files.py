"""`index_find_files`: files by their names."""

import asyncio
from typing import Any

from pydantic import BaseModel, Field

from loopwright.agents.ide.tools.tool import IdeTool
from loopwright.kernel.tools import ToolContext, ToolResult


class IndexFindFilesParameters(BaseModel):
    """Parameters of `index_find_files`."""

    pattern: str = Field(min_length=1, max_length=300, description="A glob such as **/*.py, or a part of the path")
    limit: int = Field(100, ge=1, le=500)


class IndexFindFiles(IdeTool[IndexFindFilesParameters]):
    """Finds files whose path matches."""

    name = "index_find_files"
    parameters_model = IndexFindFilesParameters

    async def execute(self, params: IndexFindFilesParameters, ctx: ToolContext[Any]) -> ToolResult:
        """Find them."""
        found = await asyncio.to_thread(self.project(ctx).index.find_files, params.pattern, params.limit)
        if not found:
            return ToolResult(success=True, output=f"No file matches {params.pattern!r}.", artifacts={"files": []})
        more = f"\n(the first {params.limit})" if len(found) >= params.limit else ""
        return ToolResult(success=True, output="\n".join(found) + more, artifacts={"files": found})
