"""`index_search_semantic`: passages by their meaning."""

import asyncio
from typing import Any

from pydantic import BaseModel, Field

from loopwright.agents.ide.tools.tool import IdeTool
from loopwright.kernel.tools import ToolContext, ToolResult


class IndexSearchSemanticParameters(BaseModel):
    """Parameters of `index_search_semantic`."""

    query: str = Field(min_length=1, max_length=500, description="What the code or text does or is about, in words")
    limit: int = Field(10, ge=1, le=50)


class IndexSearchSemantic(IdeTool[IndexSearchSemanticParameters]):
    """Searches the project's files by meaning."""

    name = "index_search_semantic"
    parameters_model = IndexSearchSemanticParameters

    async def execute(self, params: IndexSearchSemanticParameters, ctx: ToolContext[Any]) -> ToolResult:
        """Search."""
        index = self.project(ctx).index
        await asyncio.to_thread(index.refresh)
        hits = await asyncio.to_thread(index.search_semantic, params.query, params.limit)
        lines = [f"{hit.path}:{hit.line_start}-{hit.line_end} {hit.score:.2f}  {hit.title}" for hit in hits]
        return ToolResult(
            success=True,
            output="\n".join(lines) or f"Nothing is near to {params.query!r}.",
            artifacts={"hits": [{"path": hit.path, "line": hit.line_start} for hit in hits]},
        )
