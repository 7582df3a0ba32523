"""`index_search_text`: lines that hold a text."""

import asyncio
from typing import Any

from pydantic import BaseModel, Field

from loopwright.agents.ide.tools.tool import IdeTool
from loopwright.kernel.tools import ToolContext, ToolResult


class IndexSearchTextParameters(BaseModel):
    """Parameters of `index_search_text`."""

    query: str = Field(min_length=1, max_length=500, description="The text, or a regular expression")
    regex: bool = Field(False, description="Whether the query is a regular expression (Rust syntax)")
    glob: str = Field("", max_length=200, description="Only files that match, such as *.py")
    case: bool = Field(False, description="Whether small and capital letters differ even in a small-letter query")
    limit: int = Field(60, ge=1, le=300)


class IndexSearchText(IdeTool[IndexSearchTextParameters]):
    """Searches the project's files."""

    name = "index_search_text"
    parameters_model = IndexSearchTextParameters

    async def execute(self, params: IndexSearchTextParameters, ctx: ToolContext[Any]) -> ToolResult:
        """Search."""
        hits = await asyncio.to_thread(
            self.project(ctx).index.search_text,
            params.query,
            regex=params.regex,
            glob=params.glob,
            limit=params.limit,
            case=params.case,
        )
        if not hits:
            return ToolResult(success=True, output=f"Nothing holds {params.query!r}.", artifacts={"hits": []})
        more = f"\n(the first {params.limit}; narrow the query or give a glob)" if len(hits) >= params.limit else ""
        return ToolResult(
            success=True,
            output="\n".join(f"{hit.path}:{hit.line}: {hit.text}" for hit in hits) + more,
            artifacts={"hits": [{"path": hit.path, "line": hit.line} for hit in hits]},
        )
