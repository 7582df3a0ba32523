"""`write_file`: a file of the workspace, whole."""

import asyncio

from pydantic import BaseModel, Field

from loopwright.agents.jobs.ports import JobServices
from loopwright.agents.jobs.tools.file_guards import guard_text, guard_write, touched, workspace_in
from loopwright.kernel.tools import BaseTool, ToolContext, ToolResult


class WriteFileParameters(BaseModel):
    """Parameters of `write_file`."""

    path: str = Field(min_length=1, max_length=500, description="Such as output/report.md")
    content: str = Field(max_length=5_000_000, description="The whole text of the file")


class WriteFile(BaseTool[WriteFileParameters, JobServices]):
    """Replaces a file, or makes it."""

    name = "write_file"
    parameters_model = WriteFileParameters
    effect = "idempotent"

    def touches(self, params: WriteFileParameters) -> frozenset[str] | None:
        """The file alone."""
        return touched(params.path)

    async def execute(self, params: WriteFileParameters, ctx: ToolContext[JobServices]) -> ToolResult:
        """Check and write."""
        workspace = workspace_in(ctx)
        await guard_write(ctx, params.path)
        await guard_text(ctx, workspace, params.path, params.content)
        await asyncio.to_thread(workspace.write_text, params.path, params.content)
        size = len(params.content.encode())
        lines = params.content.count("\n") + bool(params.content and not params.content.endswith("\n"))
        return ToolResult(
            success=True,
            output=f"Wrote {params.path}: {lines:,} lines, {size:,} bytes.",
            artifacts={"path": params.path, "bytes": size},
        )
