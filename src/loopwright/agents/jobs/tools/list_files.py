"""`list_files`: what lies in the workspace."""

import asyncio

from pydantic import BaseModel, Field

from loopwright.agents.jobs.ports import JobServices
from loopwright.agents.jobs.tools.file_guards import workspace_in
from loopwright.kernel.tools import BaseTool, ToolContext, ToolResult
from loopwright.kernel.workspace import Entry

MOST_ENTRIES = 500


class ListFilesParameters(BaseModel):
    """Parameters of `list_files`."""

    path: str = Field("", max_length=500, description="A folder; nothing for the whole workspace")
    depth: int = Field(3, ge=1, le=20, description="How many folders deep; 1 is the folder itself")


class ListFiles(BaseTool[ListFilesParameters, JobServices]):
    """Lists files and folders."""

    name = "list_files"
    parameters_model = ListFilesParameters
    effect = "pure"

    async def execute(self, params: ListFilesParameters, ctx: ToolContext[JobServices]) -> ToolResult:
        """List, up to a number that can be read."""
        workspace = workspace_in(ctx)
        found = await asyncio.to_thread(workspace.entries, params.path, depth=params.depth, most=MOST_ENTRIES)
        lines = [_line(entry) for entry in found.entries] or ["There is nothing."]
        if not found.complete:
            lines.append(f"There is more than these {MOST_ENTRIES}: list a folder, or fewer folders deep.")
        artifacts = {
            "entries": [{"path": e.path, "kind": e.kind, "size": e.size} for e in found.entries],
            "complete": found.complete,
        }
        return ToolResult(success=True, output="\n".join(lines), artifacts=artifacts)


def _line(entry: Entry) -> str:
    if entry.kind == "file":
        return f"{entry.path}  ({entry.size:,} bytes)"
    return f"{entry.path}/" if entry.kind == "folder" else f"{entry.path}  ({entry.kind}, not followed)"
