"""The tools for checkpoints: listed, shown, restored."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import Field

from loopwright.agents.ide.tools.tool import Arguments, IdeTool, NoArguments
from loopwright.agents.ide.tools.writing import MOST_DIFF, check_shown, shown
from loopwright.kernel.tools import ToolContext, ToolResult

SHOWN_PATHS = 8
MOST = 10


class CheckpointList(IdeTool[NoArguments]):
    """Lists checkpoints, newest first."""

    name = "checkpoint_list"
    parameters_model = NoArguments

    async def execute(self, params: NoArguments, ctx: ToolContext[Any]) -> ToolResult:
        """List them."""
        lines = []
        for each in (await self.project(ctx).checkpoints.list())[:MOST]:
            paths = ", ".join(each.paths[:SHOWN_PATHS]) + (" …" if len(each.paths) > SHOWN_PATHS else "")
            own = " (this run)" if each.id == ctx.run_id else ""
            undone = ", undone" if each.undone else ""
            lines.append(f"{each.id}{own}: {each.kind} at {each.at:%Y-%m-%d %H:%M:%S} UTC{undone}: {paths}")
        return ToolResult(success=True, output="\n".join(lines) or "No run has changed anything yet.")


class CheckpointShowParameters(Arguments):
    """Parameters of `checkpoint_show`."""

    checkpoint_id: str = Field(min_length=1, max_length=80, description="From checkpoint_list")


class CheckpointShow(IdeTool[CheckpointShowParameters]):
    """Shows what a run has changed, as a difference."""

    name = "checkpoint_show"
    parameters_model = CheckpointShowParameters

    async def execute(self, params: CheckpointShowParameters, ctx: ToolContext[Any]) -> ToolResult:
        """Show it."""
        diff = await self.project(ctx).checkpoints.diff(params.checkpoint_id)
        return ToolResult(success=True, output=diff[:MOST_DIFF] or "It changed nothing.")


# --------------------------------------------------------------------------------------------------------------------
# `checkpoint_restore`: back to where the files were before a run began to change them.
# --------------------------------------------------------------------------------------------------------------------


class CheckpointRestoreParameters(Arguments):
    """Parameters of `checkpoint_restore`."""

    checkpoint_id: str = Field(min_length=1, max_length=80, description="From checkpoint_list")


class CheckpointRestore(IdeTool[CheckpointRestoreParameters]):
    """Undoes a run and all later ones; what others have changed since is never overwritten."""

    name = "checkpoint_restore"
    parameters_model = CheckpointRestoreParameters
    effect = "idempotent"
    category = "write"

    def preview(self, params: CheckpointRestoreParameters, folder: Path, services: Any) -> Mapping[str, Any]:
        """What would go back."""
        return shown(services.projects.at(folder).checkpoints.planned_restore(params.checkpoint_id))

    async def execute(self, params: CheckpointRestoreParameters, ctx: ToolContext[Any]) -> ToolResult:
        """Restore."""
        checkpoints = self.project(ctx).checkpoints
        if ctx.shown is not None:
            check_shown(ctx, await asyncio.to_thread(checkpoints.planned_restore, params.checkpoint_id))
        done = await checkpoints.restore(params.checkpoint_id)
        output = f"Restored: {', '.join(done.paths)}." if done.paths else "The files are like that already."
        return ToolResult(success=True, output=output, artifacts={"checkpoint": done.checkpoint, "paths": done.paths})
