"""The tools that change files: written, appended to, replaced in, deleted."""

import asyncio
import os
import re
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from pydantic import Field

from loopwright.agents.ide.contracts import Category
from loopwright.agents.ide.editing.patch_sets import Sources
from loopwright.agents.ide.editing.replacing import (
    SHOWN_LINES,
    Replacement,
    broken_by,
    in_the_style_of,
    newline_of,
    replace_text,
    with_definitions,
    with_newlines,
)
from loopwright.agents.ide.project import Project
from loopwright.agents.ide.protected import There, left_alone, why_protected
from loopwright.agents.ide.tools.tool import Arguments, IdeTool
from loopwright.kernel.errors import Conflict, InvalidInput, NotFound
from loopwright.kernel.tools import ToolContext, ToolResult
from loopwright.kits.history.change_log import Edit, digest_of_edits
from loopwright.kits.history.texts import count_changes, told, unified_diff

MOST_DIFF = 20_000
"""Characters of a difference that a gate shows."""
MOST_NOTES = 3_000
OBJECT = re.compile(r"(^|/)\.git/(.+/)?objects/([0-9a-f]{2}/[0-9a-f]{38,62}|pack/pack-[0-9a-f]+\.\w+)$")
"""Files of git's that nobody reads: content by its digest, which does nothing by itself."""
MOST_FILES = 500
MOST_COMPARED_BYTES = 500_000
"""Finding the lines that two texts have in common takes long for large ones."""


@dataclass(frozen=True)
class EditPlan:
    """The edits that a call comes to, and what the model is told beside their list."""

    edits: Sequence[Edit]
    notes: Sequence[str] = field(default=())


EditT = TypeVar("EditT", bound=Arguments)


class EditTool(IdeTool[EditT]):
    """A tool that writes files. Subclasses say what they come to; here it is shown, and done once."""

    effect = "idempotent"
    category: ClassVar[Category] = "write"
    keeps_form: ClassVar[bool] = False
    """Whether an edit is refused after which a file cannot be read any more that could be read before."""

    @abstractmethod
    def plan(self, params: EditT, sources: Sources, project: Project) -> EditPlan:
        """The edits.

        Raises:
            LoopwrightError: it cannot be done, with what the model should do instead.
        """

    def paths(self, params: EditT) -> frozenset[str] | None:
        """The files that the call changes; None where only its plan says."""
        return None

    def touches(self, params: EditT) -> frozenset[str] | None:
        """The files."""
        return self.paths(params)

    def category_of(self, arguments: Mapping[str, Any], root: Path) -> Category:
        """What other programs trust needs a permission of its own."""
        paths = self.paths(self.parameters_model.model_validate(arguments)) or ()  # type: ignore[arg-type]
        there = There(root.resolve())
        return "protected" if any(why_protected(path, None, there, there.led_to) for path in paths) else "write"

    def preview(self, params: EditT, folder: Path, services: Any) -> Mapping[str, Any]:
        """The difference that the call would make."""
        return shown(self.planned(params, services.projects.at(folder)).edits)

    async def execute(self, params: EditT, ctx: ToolContext[Any]) -> ToolResult:
        """Do it, or bring to its end what a crash has left."""
        project = self.project(ctx)
        account = await project.checkpoints.finish(ctx.idempotency_key)
        if account is None:
            plan = await asyncio.to_thread(self.planned, params, project)
            check_shown(ctx, plan.edits)
            check_allowed(ctx, plan.edits)
            account = account_of(plan)
            await project.checkpoints.apply(ctx.run_id, plan.edits, key=ctx.idempotency_key, account=account)
        return ToolResult(success=True, output=account["output"], artifacts=account["artifacts"])

    def planned(self, params: EditT, project: Project) -> EditPlan:
        """The edits to the files as they are on the disk; raises as `plan`, and where nothing would change."""
        plan = self.plan(params, Sources(project.files), project)
        if all(edit.before == edit.after and edit.mode is None for edit in plan.edits):
            raise InvalidInput("The files are like this already; nothing has to be done.")
        for edit in plan.edits if self.keeps_form else ():
            trouble = broken_by(edit.path, edit.before, edit.after) if edit.kind == "file" else ""
            if trouble:
                raise InvalidInput(
                    f"Nothing was changed: {edit.path} could not be read any more: {trouble}",
                    hint="Give the whole line or definition as it shall be. write_file writes a file in any form.",
                )
        named = self.paths(params) or frozenset()
        there = There(project.root)
        for path in (edit.path for edit in plan.edits if edit.path not in named):
            why = why_protected(path, None, there, there.led_to)
            if why is not None:
                raise InvalidInput(
                    f"{path!r} {why}.",
                    hint="write_file changes such a file, one at a time, and asks.",
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


def check_allowed(ctx: ToolContext[Any], edits: Sequence[Edit]) -> None:
    """See that no file is written of which the user has said that it must not be changed.

    Raises:
        InvalidInput: there is one; the message has the user's words.
    """
    for edit in edits:
        said = left_alone(edit.path, ctx.user_message) if edit.before is not None else ""
        if said:
            raise InvalidInput(
                f"Nothing was changed: the user said of {edit.path}: “{said}”.",
                hint="Do what was asked in other files.",
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


def account_of(plan: EditPlan) -> dict[str, Any]:
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


# `append_to_file`: text at the end of a file; what stands there cannot be lost.


class AppendToFileParameters(Arguments):
    """Parameters of `append_to_file`."""

    path: str = Field(min_length=1, max_length=500)
    text: str = Field(min_length=1, max_length=200_000)


class AppendToFile(EditTool[AppendToFileParameters]):
    """Adds lines at the end of a file, in its own line ends."""

    name = "append_to_file"
    parameters_model = AppendToFileParameters
    keeps_form = True

    def plan(self, params: AppendToFileParameters, sources: Sources, project: Project) -> EditPlan:
        """One edit; raises where the file is not there."""
        path = sources.check(params.path)
        before = sources.text(path)
        newline = newline_of(before)
        start = before + newline if before and not before.endswith("\n") else before
        added = with_newlines(params.text, newline)
        after = start + added + ("" if added.endswith("\n") else newline)
        return EditPlan([Edit(path, before.encode("utf-8"), after.encode("utf-8"))])

    def paths(self, params: AppendToFileParameters) -> frozenset[str]:
        """The file."""
        return frozenset({params.path})


# `create_file`: a file that is not there yet.


class CreateFileParameters(Arguments):
    """Parameters of `create_file`."""

    path: str = Field(min_length=1, max_length=500)
    content: str = Field(max_length=1_000_000)


class CreateFile(EditTool[CreateFileParameters]):
    """Creates a file; one that is there is not touched."""

    name = "create_file"
    parameters_model = CreateFileParameters

    def plan(self, params: CreateFileParameters, sources: Sources, project: Project) -> EditPlan:
        """One edit.

        Raises:
            Conflict: the file is there.
        """
        path = sources.check(params.path)
        if sources.read(path) is not None:
            raise Conflict(
                f"{path!r} is there already.",
                hint="Change it with replace_in_file, or add to its end with append_to_file.",
            )
        return EditPlan([Edit(path, None, params.content.encode("utf-8"))])

    def paths(self, params: CreateFileParameters) -> frozenset[str]:
        """The file."""
        return frozenset({params.path})


# `write_file`: a whole file, new or in place of what is there.


class WriteFileParameters(Arguments):
    """Parameters of `write_file`."""

    path: str = Field(min_length=1, max_length=500)
    content: str = Field(max_length=1_000_000)


class WriteFile(EditTool[WriteFileParameters]):
    """Writes a whole file; line ends and a byte order mark stay as they are."""

    name = "write_file"
    parameters_model = WriteFileParameters

    def plan(self, params: WriteFileParameters, sources: Sources, project: Project) -> EditPlan:
        """One edit."""
        before = sources.read(params.path)
        return EditPlan([Edit(sources.check(params.path), before, in_the_style_of(before, params.content))])

    def paths(self, params: WriteFileParameters) -> frozenset[str]:
        """The file."""
        return frozenset({params.path})


# `write_code`: a new file, or definitions that take their place in one; nothing else of it can be lost.


class WriteCodeParameters(Arguments):
    """Parameters of `write_code`."""

    path: str = Field(min_length=1, max_length=500)
    code: str = Field(min_length=1, max_length=200_000)


class WriteCode(EditTool[WriteCodeParameters]):
    """Writes functions and classes into a file, or a file that is not there yet."""

    name = "write_code"
    parameters_model = WriteCodeParameters
    keeps_form = True

    def plan(self, params: WriteCodeParameters, sources: Sources, project: Project) -> EditPlan:
        """One edit, and what of it was replaced or added; raises as `with_definitions`."""
        path = sources.check(params.path)
        if sources.read(path) is None:
            return EditPlan([Edit(path, None, params.code.rstrip().encode("utf-8") + b"\n")])
        before = sources.text(path)
        after, notes = with_definitions(path, before, params.code)
        return EditPlan([Edit(path, before.encode("utf-8"), after.encode("utf-8"))], notes)

    def paths(self, params: WriteCodeParameters) -> frozenset[str]:
        """The file."""
        return frozenset({params.path})


# `delete_file`: a file that is no longer needed.


class DeleteFileParameters(Arguments):
    """Parameters of `delete_file`."""

    path: str = Field(min_length=1, max_length=500)


class DeleteFile(EditTool[DeleteFileParameters]):
    """Deletes a file; the run's checkpoint has it."""

    name = "delete_file"
    parameters_model = DeleteFileParameters

    def plan(self, params: DeleteFileParameters, sources: Sources, project: Project) -> EditPlan:
        """One edit.

        Raises:
            NotFound: there is no such file.
        """
        path = sources.check(params.path)
        before = sources.read(path)
        if before is None:
            raise NotFound(f"There is no file {path!r}.", hint="index_find_files shows what there is.")
        return EditPlan([Edit(path, before, None)])

    def paths(self, params: DeleteFileParameters) -> frozenset[str]:
        """The file."""
        return frozenset({params.path})


# `replace_in_file` and `replace_all_in_file`: a part of a file, found by its text.

SHOWN_WHOLE = 2_000
"""Up to so many characters a file is shown where the text was not found, so that it need not be read again."""


class ReplaceInFileParameters(Arguments):
    """Parameters of `replace_in_file`."""

    path: str = Field(min_length=1, max_length=500)
    search: str = Field(min_length=1, max_length=200_000)
    replace: str = Field(max_length=200_000)


class ReplaceInFile(EditTool[ReplaceInFileParameters]):
    """Replaces text that is there once, and says so where it was not there exactly."""

    name = "replace_in_file"
    parameters_model = ReplaceInFileParameters
    everywhere: ClassVar[bool] = False
    keeps_form = True

    def plan(self, params: ReplaceInFileParameters, sources: Sources, project: Project) -> EditPlan:
        """One edit, and what was matched where it was not exact."""
        path = sources.check(params.path)
        text = sources.text(path)
        try:
            done = replace_text(text, params.search, params.replace, everywhere=self.everywhere)
        except (InvalidInput, NotFound) as error:
            if len(text) <= SHOWN_WHOLE:
                error.hint = f"{error.hint}\nThis is {path}:\n{text}"
            raise
        return EditPlan([Edit(path, text.encode("utf-8"), done.text.encode("utf-8"))], _notes(done))

    def paths(self, params: ReplaceInFileParameters) -> frozenset[str]:
        """The file."""
        return frozenset({params.path})


class ReplaceAllInFile(ReplaceInFile):
    """Replaces every occurrence of a text."""

    name = "replace_all_in_file"
    everywhere = True


def _notes(done: Replacement) -> list[str]:
    where = ", ".join(map(str, done.lines[:SHOWN_LINES]))
    if done.how == "exact":
        return [f"In line {where}." if len(done.lines) == 1 else f"{len(done.lines)} times, in lines {where}."]
    lines = done.matched.splitlines()
    shown = "\n".join(lines[:SHOWN_LINES]) + ("\n…" if len(lines) > SHOWN_LINES else "")
    return [
        f"The text was not there exactly; it was matched {done.how} ({done.similarity:.0%} similar) in line {where}.",
        f"This was replaced:\n{shown}",
    ]
