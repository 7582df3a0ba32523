"""`file_exists`: whether something of a name is there."""

import asyncio

from pydantic import BaseModel, Field

from loopwright.agents.jobs.ports import JobServices
from loopwright.agents.jobs.tools.file_guards import workspace_in
from loopwright.kernel.tools import BaseTool, ToolContext, ToolResult
from loopwright.kernel.workspace import Workspace


class FileExistsParameters(BaseModel):
    """Parameters of `file_exists`."""

    path: str = Field(min_length=1, max_length=500, description="Such as output/report.md")


class FileExists(BaseTool[FileExistsParameters, JobServices]):
    """Looks a name up."""

    name = "file_exists"
    parameters_model = FileExistsParameters
    effect = "pure"

    async def execute(self, params: FileExistsParameters, ctx: ToolContext[JobServices]) -> ToolResult:
        """Say what is there."""
        kind = await asyncio.to_thread(_kind, workspace_in(ctx), params.path)
        said = f"{params.path} is a {kind}." if kind else f"There is no {params.path}."
        return ToolResult(success=True, output=said, artifacts={"path": params.path, "exists": kind is not None})


def _kind(workspace: Workspace, path: str) -> str | None:
    if not workspace.exists(path):
        return None
    return "folder" if workspace.is_folder(path) else "file"
