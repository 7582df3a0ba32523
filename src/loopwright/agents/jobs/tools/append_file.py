"""`append_file`: text at the end of a file, once, whatever crashes."""

import asyncio

from pydantic import BaseModel, Field

from loopwright.agents.jobs.ports import JobServices
from loopwright.agents.jobs.tools.file_guards import guard_text, guard_write, workspace_in
from loopwright.agents.jobs.workspace.last_change import note_change
from loopwright.kernel.errors import NotFound
from loopwright.kernel.tools import BaseTool, ToolContext, ToolResult
from loopwright.kernel.workspace import Workspace


class AppendFileParameters(BaseModel):
    """Parameters of `append_file`."""

    path: str = Field(min_length=1, max_length=500, description="Such as output/notes.md")
    content: str = Field(min_length=1, max_length=5_000_000, description="What is added")


class AppendFile(BaseTool[AppendFileParameters, JobServices]):
    """Adds to a file. It runs alone, since the record of its change has room for one."""

    name = "append_file"
    parameters_model = AppendFileParameters
    effect = "idempotent"

    async def execute(self, params: AppendFileParameters, ctx: ToolContext[JobServices]) -> ToolResult:
        """Check and add."""
        workspace = workspace_in(ctx)
        await guard_write(ctx, params.path)
        before = await asyncio.to_thread(_text, workspace, params.path)
        await guard_text(ctx, workspace, params.path, before + params.content)
        size = await asyncio.to_thread(_append, workspace, params.path, params.content, ctx.idempotency_key)
        return ToolResult(
            success=True,
            output=f"Added {len(params.content.encode()):,} bytes to {params.path}, which has {size:,} now.",
            artifacts={"path": params.path, "bytes": size},
        )


def _text(workspace: Workspace, path: str) -> str:
    """The text so far, as far as there is any; a binary file is refused here."""
    try:
        return workspace.read_text(path)
    except NotFound:
        return ""


def _append(workspace: Workspace, path: str, content: str, key: str) -> int:
    """Add the text unless this very call has added it before it was interrupted; gives the file's size."""
    before = _text(workspace, path).encode()
    begun_at = note_change(workspace, key, len(before))
    if begun_at != len(before) and before[begun_at:] == content.encode():
        return len(before)
    workspace.append_text(path, content)
    return len(before) + len(content.encode())
