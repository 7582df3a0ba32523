"""The tools for changes of several files: patches, patch sets, renamed symbols."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import Field

from loopwright.agents.ide.contracts import Category
from loopwright.agents.ide.editing.patch_sets import HELD, NAME, PatchSet, Sources, set_name
from loopwright.agents.ide.editing.patches import PatchEdits, read_patch
from loopwright.agents.ide.project import Project
from loopwright.agents.ide.tools.tool import Arguments, IdeTool, NoArguments
from loopwright.agents.ide.tools.writing import EditPlan, EditTool, account_of, check_shown, shown, shown_diff
from loopwright.kernel.tools import ToolContext, ToolResult
from loopwright.kits.history.change_log import Edit
from loopwright.kits.history.texts import count_changes

# `apply_patch`: a unified diff over one or several files, all of it or nothing.


class ApplyPatchParameters(Arguments):
    """Parameters of `apply_patch`."""

    diff: str = Field(min_length=1, max_length=1_000_000, description="A unified diff, as `git diff` prints it")


class ApplyPatch(EditTool[ApplyPatchParameters]):
    """Applies a unified diff; what does not fit is shown with the nearest place, and nothing is written."""

    name = "apply_patch"
    parameters_model = ApplyPatchParameters

    def plan(self, params: ApplyPatchParameters, sources: Sources, project: Project) -> EditPlan:
        """The edits of all files."""
        edits = PatchEdits(sources)
        for patch in read_patch(params.diff):
            edits.add(patch)
        return EditPlan(edits.edits, edits.notes)


class PatchsetApplyParameters(Arguments):
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
            account = account_of(EditPlan(patch_set.edits))
            held = patch_set.id.startswith(HELD)
            await project.checkpoints.apply(
                ctx.run_id, patch_set.edits, key=ctx.idempotency_key, account=account, checked=held
            )
        await asyncio.to_thread(project.patch_sets.discard, params.patch_set_id)
        return ToolResult(success=True, output=account["output"], artifacts=account["artifacts"])


# `patchset_discard`: what was proposed is forgotten.


class PatchsetDiscardParameters(Arguments):
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


# `patchset_list` and `patchset_show`: what has been proposed.


class PatchsetList(IdeTool[NoArguments]):
    """Lists patch sets."""

    name = "patchset_list"
    parameters_model = NoArguments

    async def execute(self, params: NoArguments, ctx: ToolContext[Any]) -> ToolResult:
        """List them."""
        found = await asyncio.to_thread(self.project(ctx).patch_sets.list)
        artifacts = {"patch_sets": [{"id": each.id, "paths": [e.path for e in each.edits]} for each in found]}
        output = "\n".join(_line(each) for each in found) or "There are no patch sets."
        return ToolResult(success=True, output=output, artifacts=artifacts)


class PatchsetShowParameters(Arguments):
    """Parameters of `patchset_show`."""

    patch_set_id: str = Field(pattern=NAME)


class PatchsetShow(IdeTool[PatchsetShowParameters]):
    """Shows a patch set with its difference."""

    name = "patchset_show"
    parameters_model = PatchsetShowParameters

    async def execute(self, params: PatchsetShowParameters, ctx: ToolContext[Any]) -> ToolResult:
        """Show it."""
        shown = await asyncio.to_thread(self.project(ctx).patch_sets.get, params.patch_set_id)
        return ToolResult(success=True, output=f"{_line(shown)}\n{shown_diff(shown.edits)}")


def _line(patch_set: PatchSet) -> str:
    counts = ((edit.path, *count_changes(edit.before, edit.after)) for edit in patch_set.edits)
    return f"{patch_set.id}: " + ", ".join(f"{path} (+{added} −{removed})" for path, added, removed in counts)


# `patchset_propose`: a difference that is staged, and written only when it is applied.


class PatchsetPropose(ApplyPatch):
    """Stages a unified diff as a patch set; the project is not touched."""

    name = "patchset_propose"
    category = "read"

    def touches(self, params: ApplyPatchParameters) -> frozenset[str] | None:
        """Anything: patch sets are staged one by one."""
        return None

    def category_of(self, arguments: Mapping[str, Any], root: Path) -> Category:
        """A proposal changes nothing in the project."""
        return "read"

    async def execute(self, params: ApplyPatchParameters, ctx: ToolContext[Any]) -> ToolResult:
        """Stage it, or say again what was staged before a crash."""
        return await asyncio.to_thread(self._propose, params, ctx)

    def _propose(self, params: ApplyPatchParameters, ctx: ToolContext[Any]) -> ToolResult:
        project, name = self.project(ctx), set_name(ctx.idempotency_key)
        with project.patch_sets.locked():
            account = project.patch_sets.account(name, ctx.idempotency_key)
            if account is None:
                plan = self.planned(params, project)
                account = account_of(plan)
                account["output"] = f"Proposed in patch set {name}; nothing was written.\n{account['output']}"
                account["artifacts"]["patch_set_id"] = name
                project.patch_sets.stage(name, plan.edits, key=ctx.idempotency_key, account=account)
        return ToolResult(success=True, output=account["output"], artifacts=account["artifacts"])


# `rename_symbol` and its kin: a symbol gets another name wherever the code means it.

MOST_KEPT = 20


class RenameSymbolParameters(Arguments):
    """Parameters of `rename_symbol` and `rename_symbol_everywhere`."""

    old: str = Field(min_length=1, max_length=200)
    new: str = Field(min_length=1, max_length=200)


class RenameSymbolInParameters(RenameSymbolParameters):
    """Parameters of `rename_symbol_in`."""

    path: str = Field(min_length=1, max_length=500, description="The file that defines it")


class RenameSymbol(EditTool[RenameSymbolParameters]):
    """Renames by the scopes and imports that the index knows."""

    name = "rename_symbol"
    parameters_model = RenameSymbolParameters

    def plan(self, params: RenameSymbolParameters, sources: Sources, project: Project) -> EditPlan:
        """An edit for each file that means the symbol; raises Conflict where several things have the name."""
        return _renaming(params, project)


class RenameSymbolIn(EditTool[RenameSymbolInParameters]):
    """Renames the symbol that a file defines, where other files define the name too."""

    name = "rename_symbol_in"
    parameters_model = RenameSymbolInParameters

    def plan(self, params: RenameSymbolInParameters, sources: Sources, project: Project) -> EditPlan:
        """As `rename_symbol`, for one of several definitions."""
        return _renaming(params, project, path=sources.check(params.path))


class RenameSymbolEverywhere(EditTool[RenameSymbolParameters]):
    """Renames all that is defined by a name."""

    name = "rename_symbol_everywhere"
    parameters_model = RenameSymbolParameters

    def plan(self, params: RenameSymbolParameters, sources: Sources, project: Project) -> EditPlan:
        """As `rename_symbol`, for all definitions."""
        return _renaming(params, project, everywhere=True)


def _renaming(
    params: RenameSymbolParameters, project: Project, *, path: str = "", everywhere: bool = False
) -> EditPlan:
    project.index.refresh()
    renaming = project.index.rename(params.old, params.new, path=path, everywhere=everywhere)
    edits = [Edit(each.path, each.before.encode("utf-8"), each.after.encode("utf-8")) for each in renaming.edits]
    kept = [f"{where}:{line}" for where, line in renaming.kept]
    more = f" and {len(kept) - MOST_KEPT} more" if len(kept) > MOST_KEPT else ""
    notes = [f"Left as they are, since another thing has that name there: {', '.join(kept[:MOST_KEPT])}{more}."]
    return EditPlan(edits, notes if kept else ())
