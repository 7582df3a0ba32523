"""`delete_file`: takes a file away that nobody needs any more."""

import asyncio

from pydantic import BaseModel, Field

from loopwright.agents.jobs.ports import JobServices
from loopwright.agents.jobs.tools.file_guards import guard_delete, workspace_in
from loopwright.agents.jobs.workspace.last_change import note_change, was_begun
from loopwright.kernel.tools import BaseTool, ToolContext, ToolResult
from loopwright.kernel.workspace import Workspace


class DeleteFileParameters(BaseModel):
    """Parameters of `delete_file`."""

    path: str = Field(min_length=1, max_length=500, description="Such as output/draft.md")


class DeleteFile(BaseTool[DeleteFileParameters, JobServices]):
    """Deletes a file. It runs alone, since the record of its change has room for one."""

    name = "delete_file"
    parameters_model = DeleteFileParameters
    effect = "idempotent"

    async def execute(self, params: DeleteFileParameters, ctx: ToolContext[JobServices]) -> ToolResult:
        """Check and delete."""
        await guard_delete(ctx, params.path)
        await asyncio.to_thread(_delete, workspace_in(ctx), params.path, ctx.idempotency_key)
        return ToolResult(success=True, output=f"Deleted {params.path}.", artifacts={"path": params.path})


def _delete(workspace: Workspace, path: str, key: str) -> None:
    """Delete it, unless this very call has deleted it before it was interrupted."""
    if was_begun(workspace, key) and not workspace.exists(path):
        return
    note_change(workspace, key, 0)
    workspace.delete(path)
