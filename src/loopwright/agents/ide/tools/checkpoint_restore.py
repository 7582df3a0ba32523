"""`checkpoint_restore`: back to where the files were before a run began to change them."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field

from loopwright.agents.ide.tools.edit_tool import check_shown, shown
from loopwright.agents.ide.tools.tool import IdeTool
from loopwright.kernel.tools import ToolContext, ToolResult


class CheckpointRestoreParameters(BaseModel):
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
