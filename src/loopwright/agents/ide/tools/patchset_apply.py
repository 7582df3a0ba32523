"""`patchset_apply`: what was proposed is written, as one."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field

from loopwright.agents.ide.contracts.options import Category
from loopwright.agents.ide.editing.patch_sets import HELD, NAME
from loopwright.agents.ide.tools.edit_tool import Plan, account_of, check_shown, shown
from loopwright.agents.ide.tools.tool import IdeTool
from loopwright.kernel.tools import ToolContext, ToolResult


class PatchsetApplyParameters(BaseModel):
    """Parameters of `patchset_apply`."""

    patch_set_id: str = Field(pattern=NAME)


class PatchsetApply(IdeTool[PatchsetApplyParameters]):
    """Applies a patch set, all of it or nothing; it is refused when a file has changed since."""

    name = "patchset_apply"
    parameters_model = PatchsetApplyParameters
    effect = "idempotent"
    category = "write"

    def preview(self, params: PatchsetApplyParameters, folder: Path, services: Any) -> Mapping[str, Any]:
        """The patch set's diff."""
        patch_set = services.projects.at(folder).patch_sets.get(params.patch_set_id)
        return {**shown(patch_set.edits), "protected": dict(patch_set.protected)}

    def category_of(self, arguments: Mapping[str, Any], root: Path) -> Category:
        """What a command left to be agreed to changes what other programs trust."""
        return "protected" if str(arguments.get("patch_set_id", "")).startswith(HELD) else "write"

    async def execute(self, params: PatchsetApplyParameters, ctx: ToolContext[Any]) -> ToolResult:
        """Write all of it, or bring to its end what a crash has left."""
        project = self.project(ctx)
        account = await project.checkpoints.finish(ctx.idempotency_key)
        if account is None:
            patch_set = await asyncio.to_thread(project.patch_sets.get, params.patch_set_id)
            check_shown(ctx, patch_set.edits)
            account = account_of(Plan(patch_set.edits))
            held = patch_set.id.startswith(HELD)
            await project.checkpoints.apply(
                ctx.run_id, patch_set.edits, key=ctx.idempotency_key, account=account, held=held
            )
        await asyncio.to_thread(project.patch_sets.discard, params.patch_set_id)
        return ToolResult(success=True, output=account["output"], artifacts=account["artifacts"])
