"""`patchset_discard`: what was proposed is forgotten."""

import asyncio
from typing import Any

from pydantic import BaseModel, Field

from loopwright.agents.ide.editing.patch_sets import NAME
from loopwright.agents.ide.tools.tool import IdeTool
from loopwright.kernel.tools import ToolContext, ToolResult


class PatchsetDiscardParameters(BaseModel):
    """Parameters of `patchset_discard`."""

    patch_set_id: str = Field(pattern=NAME)


class PatchsetDiscard(IdeTool[PatchsetDiscardParameters]):
    """Discards a patch set; the project's files are not touched."""

    name = "patchset_discard"
    parameters_model = PatchsetDiscardParameters
    effect = "idempotent"
    category = "write"

    async def execute(self, params: PatchsetDiscardParameters, ctx: ToolContext[Any]) -> ToolResult:
        """Discard it."""
        await asyncio.to_thread(self.project(ctx).patch_sets.discard, params.patch_set_id)
        return ToolResult(success=True, output=f"The patch set {params.patch_set_id} is gone.")
