"""`checkpoint_list`: what runs have changed, and can be undone."""

from typing import Any

from pydantic import BaseModel, Field

from loopwright.agents.ide.tools.edit_tool import MOST_DIFF
from loopwright.agents.ide.tools.tool import IdeTool
from loopwright.kernel.tools import ToolContext, ToolResult

SHOWN_PATHS = 8


class CheckpointListParameters(BaseModel):
    """Parameters of `checkpoint_list`."""

    checkpoint_id: str | None = Field(None, max_length=80, description="Show the diff of this one")
    limit: int = Field(10, ge=1, le=100)


class CheckpointList(IdeTool[CheckpointListParameters]):
    """Lists checkpoints, newest first, or shows the diff of one."""

    name = "checkpoint_list"
    parameters_model = CheckpointListParameters

    async def execute(self, params: CheckpointListParameters, ctx: ToolContext[Any]) -> ToolResult:
        """List or show."""
        checkpoints = self.project(ctx).checkpoints
        if params.checkpoint_id is not None:
            diff = await checkpoints.diff(params.checkpoint_id)
            return ToolResult(success=True, output=diff[:MOST_DIFF] or "It changed nothing.")
        lines = []
        for each in (await checkpoints.list())[: params.limit]:
            paths = ", ".join(each.paths[:SHOWN_PATHS]) + (" …" if len(each.paths) > SHOWN_PATHS else "")
            own = " (this run)" if each.id == ctx.run_id else ""
            undone = ", undone" if each.undone else ""
            lines.append(f"{each.id}{own}: {each.kind} at {each.at:%Y-%m-%d %H:%M:%S} UTC{undone}: {paths}")
        return ToolResult(success=True, output="\n".join(lines) or "Nothing has been changed yet.")
