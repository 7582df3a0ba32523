"""`patchset_list`: what has been proposed."""

import asyncio
from typing import Any

from pydantic import BaseModel, Field

from loopwright.agents.ide.editing.diffs import count_changes
from loopwright.agents.ide.editing.patch_sets import NAME, PatchSet
from loopwright.agents.ide.tools.edit_tool import shown_diff
from loopwright.agents.ide.tools.tool import IdeTool
from loopwright.kernel.tools import ToolContext, ToolResult


class PatchsetListParameters(BaseModel):
    """Parameters of `patchset_list`."""

    patch_set_id: str | None = Field(None, pattern=NAME, description="Show the diff of this one")


class PatchsetList(IdeTool[PatchsetListParameters]):
    """Lists patch sets, or shows one with its diff."""

    name = "patchset_list"
    parameters_model = PatchsetListParameters

    async def execute(self, params: PatchsetListParameters, ctx: ToolContext[Any]) -> ToolResult:
        """List or show."""
        patch_sets = self.project(ctx).patch_sets
        if params.patch_set_id is not None:
            shown = await asyncio.to_thread(patch_sets.get, params.patch_set_id)
            return ToolResult(success=True, output=f"{_line(shown)}\n{shown_diff(shown.edits)}")
        found = await asyncio.to_thread(patch_sets.list)
        artifacts = {"patch_sets": [{"id": each.id, "paths": [e.path for e in each.edits]} for each in found]}
        output = "\n".join(_line(each) for each in found) or "There are no patch sets."
        return ToolResult(success=True, output=output, artifacts=artifacts)


def _line(patch_set: PatchSet) -> str:
    counts = ((edit.path, *count_changes(edit.before, edit.after)) for edit in patch_set.edits)
    return f"{patch_set.id}: " + ", ".join(f"{path} (+{added} −{removed})" for path, added, removed in counts)
