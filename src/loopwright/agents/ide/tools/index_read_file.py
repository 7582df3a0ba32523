"""`index_read_file`: lines of a file."""

import asyncio
from typing import Any

from pydantic import BaseModel, Field

from loopwright.agents.ide.tools.tool import IdeTool
from loopwright.kernel.tools import ToolContext, ToolResult

MOST_LINES = 600
LONGEST_LINE = 2_000


class IndexReadFileParameters(BaseModel):
    """Parameters of `index_read_file`."""

    path: str = Field(min_length=1, max_length=500)
    start_line: int = Field(1, ge=1)
    end_line: int | None = Field(None, ge=1, description=f"Included; at most {MOST_LINES} lines are given at once")


class IndexReadFile(IdeTool[IndexReadFileParameters]):
    """Reads a part of a file, with line numbers."""

    name = "index_read_file"
    parameters_model = IndexReadFileParameters

    async def execute(self, params: IndexReadFileParameters, ctx: ToolContext[Any]) -> ToolResult:
        """Read it."""
        last = min(params.end_line or params.start_line + MOST_LINES - 1, params.start_line + MOST_LINES - 1)
        if last < params.start_line:
            return ToolResult.failure("end_line lies before start_line.", "Give them in order.")
        lines, count = await asyncio.to_thread(self.project(ctx).index.read, params.path, params.start_line, last)
        shown = [f"{number}\t{line[:LONGEST_LINE]}" for number, line in enumerate(lines, params.start_line)]
        end = params.start_line + len(lines) - 1
        more = f"\n(lines {params.start_line}-{end} of {count}; go on with start_line={end + 1})" if end < count else ""
        return ToolResult(
            success=True,
            output=("\n".join(shown) or "(the file is empty)") + more,
            artifacts={"path": params.path, "lines": count},
        )
