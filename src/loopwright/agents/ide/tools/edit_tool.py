"""What the tools that write files share: a preview, one step that survives a crash, and a way to propose only."""

import asyncio
import os
import re
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, Field

from loopwright.agents.ide.contracts.options import Category
from loopwright.agents.ide.editing.diffs import count_changes, told, unified_diff
from loopwright.agents.ide.editing.edits import Edit, digest_of_edits
from loopwright.agents.ide.editing.patch_sets import NAME, Sources, set_name
from loopwright.agents.ide.files.protected import There, why_protected
from loopwright.agents.ide.project import Project
from loopwright.agents.ide.tools.tool import IdeTool
from loopwright.kernel.errors import Conflict, InvalidInput
from loopwright.kernel.tools import ToolContext, ToolResult

MOST_DIFF = 20_000
"""Characters of a difference that a gate shows."""
MOST_NOTES = 3_000
OBJECT = re.compile(r"(^|/)\.git/(.+/)?objects/([0-9a-f]{2}/[0-9a-f]{38,62}|pack/pack-[0-9a-f]+\.\w+)$")
"""Files of git's that nobody reads: content by its digest, which does nothing by itself."""
MOST_FILES = 500
MOST_COMPARED_BYTES = 500_000
"""Finding the lines that two texts have in common takes long for large ones."""


class EditParameters(BaseModel):
    """What all of them take."""

    mode: Literal["apply", "propose"] = Field(
        "apply", description="propose: only stage it in a patch set, for patchset_apply"
    )
    patch_set_id: str | None = Field(
        None, pattern=NAME, description="With propose: the patch set it belongs to; leave it out to begin one"
    )


@dataclass(frozen=True)
class Plan:
    """The edits that a call comes to, and what the model is told beside their list."""

    edits: Sequence[Edit]
    notes: Sequence[str] = field(default=())


EditT = TypeVar("EditT", bound=EditParameters)


class EditTool(IdeTool[EditT]):
    """A tool that writes files. Subclasses say what they come to; here it is shown, and done once."""

    effect = "idempotent"
    category = "write"

    @abstractmethod
    def plan(self, params: EditT, sources: Sources, project: Project) -> Plan:
        """The edits.

        Raises:
            LoopwrightError: it cannot be done, with what the model should do instead.
        """

    def paths(self, params: EditT) -> frozenset[str] | None:
        """The files that the call changes; None where only its plan says."""
        return None

    def touches(self, params: EditT) -> frozenset[str] | None:
        """The files; proposals are staged one by one, since those of a patch set share a file."""
        return None if params.mode == "propose" else self.paths(params)

    def category_of(self, arguments: Mapping[str, Any], root: Path) -> Category:
        """A proposal changes nothing in the project; what other programs trust needs a permission of its own."""
        if arguments.get("mode") == "propose":
            return "read"
        paths = self.paths(self.parameters_model.model_validate(arguments)) or ()  # type: ignore[arg-type]
        there = There(root.resolve())
        return "protected" if any(why_protected(path, None, there, there.led_to) for path in paths) else "write"

    def preview(self, params: EditT, folder: Path, services: Any) -> Mapping[str, Any]:
        """The difference that the call would make."""
        return shown(self._plan(params, services.projects.at(folder)).edits)

    async def execute(self, params: EditT, ctx: ToolContext[Any]) -> ToolResult:
        """Do it, or bring to its end what a crash has left."""
        if params.mode == "propose":
            return await asyncio.to_thread(self._propose, params, ctx)
        project = self.project(ctx)
        account = await project.checkpoints.finish(ctx.idempotency_key)
        if account is None:
            plan = await asyncio.to_thread(self._plan, params, project)
            check_shown(ctx, plan.edits)
            account = account_of(plan)
            await project.checkpoints.apply(ctx.run_id, plan.edits, key=ctx.idempotency_key, account=account)
        return ToolResult(success=True, output=account["output"], artifacts=account["artifacts"])

    def _propose(self, params: EditT, ctx: ToolContext[Any]) -> ToolResult:
        project = self.project(ctx)
        patch_sets = project.patch_sets
        name = params.patch_set_id or set_name(ctx.idempotency_key)
        with patch_sets.locked():
            account = patch_sets.account(name, ctx.idempotency_key)
            if account is None:
                plan = self._plan(params, project, patch_sets.sources(name))
                account = account_of(plan)
                account["output"] = f"Proposed in patch set {name}; nothing was written.\n{account['output']}"
                account["artifacts"]["patch_set_id"] = name
                patch_sets.stage(name, plan.edits, key=ctx.idempotency_key, account=account)
        return ToolResult(success=True, output=account["output"], artifacts=account["artifacts"])

    def _plan(self, params: EditT, project: Project, sources: Sources | None = None) -> Plan:
        """The edits to the files as they are on the disk, unless other `sources` are given."""
        plan = self.plan(params, sources or Sources(project.files), project)
        if all(edit.before == edit.after and edit.mode is None for edit in plan.edits):
            raise InvalidInput("The files are like this already; nothing has to be done.")
        named = frozenset() if params.mode == "propose" else self.paths(params) or frozenset()
        there = There(project.root)
        for path in (edit.path for edit in plan.edits if edit.path not in named):
            why = why_protected(path, None, there, there.led_to)
            if why is not None:
                raise InvalidInput(
                    f"{path!r} {why}.",
                    hint="write_file without `propose` changes such a file, one at a time, and asks.",
                )
        return plan


def shown(edits: Sequence[Edit]) -> dict[str, Any]:
    """What a human sees of edits before they agree, and the digest of exactly these."""
    return {"diff": shown_diff(edits), "digest": digest_of_edits(edits)}


def check_shown(ctx: ToolContext[Any], edits: Sequence[Edit]) -> None:
    """See that what is about to be written is what the user was shown.

    Raises:
        Conflict: a file has changed since.
    """
    agreed = (ctx.shown or {}).get("digest")
    if agreed is not None and agreed != digest_of_edits(edits):
        raise Conflict(
            "A file has changed since the user agreed to this, so nothing was written.",
            hint="Read it again and call again; the user will be asked about the new difference.",
        )


def shown_diff(edits: Sequence[Edit]) -> str:
    """What edits change, as far as it is shown to people; files beyond that are named, git's objects are counted."""
    objects = sum(1 for edit in edits if OBJECT.search(edit.path))
    edits = [edit for edit in edits if not OBJECT.search(edit.path)]
    parts = [f"git: {objects:,} objects of its store\n"] if objects else []
    length = 0
    for place, edit in enumerate(edits):
        if length > MOST_DIFF:
            rest = [told(each.path) for each in edits[place:]]
            more = f" and {len(rest) - MOST_FILES:,} more" if len(rest) > MOST_FILES else ""
            return "".join(parts) + f"\n… and in: {', '.join(rest[:MOST_FILES])}{more}\n"
        diff = _diff(edit)
        cut = f"{diff[:MOST_DIFF]}\n… {len(diff) - MOST_DIFF:,} more characters\n"
        parts.append(diff if len(diff) <= MOST_DIFF else cut)
        length += len(parts[-1])
    return "".join(parts)


def _diff(edit: Edit) -> str:
    if edit.kind != "file" or edit.before_kind != "file":
        to = f" -> {told(os.fsdecode(edit.after))}" if edit.kind == "link" and edit.after is not None else ""
        return f"{edit.kind if edit.after is not None else 'deleted'} {told(edit.path)}{to}\n"
    if not _is_comparable(edit):
        return f"diff --git {told(f'a/{edit.path}')} {told(f'b/{edit.path}')}\nLarge files differ\n"
    return unified_diff(edit.path, edit.before, edit.after)


def _is_comparable(edit: Edit) -> bool:
    """New and deleted files need no comparison."""
    return None in (edit.before, edit.after) or len(edit.before or b"") + len(edit.after or b"") <= MOST_COMPARED_BYTES


def account_of(plan: Plan) -> dict[str, Any]:
    """What the model reads of edits that are done, and the same as data."""
    files = [{"path": edit.path, "change": _change(edit), **_counts(edit)} for edit in plan.edits[:MOST_FILES]]
    lines = [f"{each['change']} {told(str(each['path']))}{_told(each)}" for each in files]
    lines += [f"… and {len(plan.edits) - MOST_FILES:,} more"] if len(plan.edits) > MOST_FILES else []
    notes = "\n".join(plan.notes)
    output = "\n".join([*lines, *([notes if len(notes) <= MOST_NOTES else notes[:MOST_NOTES] + "…"] if notes else [])])
    return {"output": output, "artifacts": {"files": files, "diff": shown_diff(plan.edits)}}


def _told(counts: Mapping[str, Any]) -> str:
    return f" (+{counts['added']} −{counts['removed']})" if "added" in counts else ""


def _change(edit: Edit) -> str:
    return "Created" if edit.before is None else "Deleted" if edit.after is None else "Changed"


def _counts(edit: Edit) -> dict[str, int]:
    if not _is_comparable(edit):
        return {}
    added, removed = count_changes(edit.before, edit.after)
    return {"added": added, "removed": removed}
