"""The tools for the files of a job's workspace."""

import asyncio
from typing import Self

from pydantic import Field, model_validator

from loopwright.agents.jobs.documents import read_document
from loopwright.agents.jobs.memory import config_of, load_job, workspace_of
from loopwright.agents.jobs.ports import JobServices
from loopwright.agents.jobs.taint import remember, require_provenance
from loopwright.agents.jobs.tools.job_tool import Arguments, JobTool
from loopwright.agents.jobs.workspace import (
    MEMORY_FILES,
    Portion,
    is_memory,
    lines_of,
    note_change,
    plain_path,
    portion,
    refuse_delete,
    refuse_write,
    was_begun,
)
from loopwright.kernel.errors import InvalidInput, NotFound
from loopwright.kernel.prompts import as_data
from loopwright.kernel.tools import ToolContext, ToolResult
from loopwright.kernel.workspace import Entry, Workspace

# What the file tools ask before they write: may this phase, and where is the text from.


def workspace_in(ctx: ToolContext[JobServices]) -> Workspace:
    """The workspace of the job that the call belongs to."""
    return workspace_of(ctx.output_dir, config_of(ctx.settings))


async def guard_write(ctx: ToolContext[JobServices], path: str) -> None:
    """Refuse what may not be written.

    Raises:
        InvalidInput: the file is protected.
    """
    refuse_write(path, tactical=await _is_tactical(ctx))


async def guard_text(ctx: ToolContext[JobServices], workspace: Workspace, path: str, text: str) -> None:
    """Refuse what may not stand in a file.

    Args:
        ctx: the call.
        workspace: the job's.
        path: of the file.
        text: the whole text that would stand in it afterwards.

    Raises:
        InvalidInput: the file is memory, and the text holds foreign words without their source.
    """
    if plain_path(path) in MEMORY_FILES:
        await require_provenance(workspace, text, ctx.db, ctx.session_id, what=path)


async def guard_delete(ctx: ToolContext[JobServices], path: str) -> None:
    """Refuse what may not be deleted.

    Raises:
        InvalidInput: the file is protected.
    """
    refuse_delete(path, tactical=await _is_tactical(ctx))


async def shown_to_model(workspace: Workspace, path: str, text: str, place: str = "", filed: str = "") -> str:
    """A file's text as the model may read it: the agent's own memory as it is, all else as data, and filed as such.

    Args:
        workspace: the job's.
        path: of the file.
        text: the part of it.
        place: where in the file, such as `#page=3`.
        filed: the file's own words, where the text has line numbers among them.
    """
    if is_memory(path):
        return text
    await asyncio.to_thread(remember, workspace, path, filed or text)
    return as_data(text, f"{path}{place}")


def touched(path: str) -> frozenset[str] | None:
    """What a write of this path touches, for calls that may run side by side; None for what is not a path."""
    try:
        return frozenset({plain_path(path)})
    except InvalidInput:
        return None


async def _is_tactical(ctx: ToolContext[JobServices]) -> bool:
    return (await load_job(ctx.db, ctx.session_id)).phase.kind == "tactical"


PAGED, PACKED = ".pdf", ".docx"


class ReadFileParameters(Arguments):
    """Parameters of `read_file`."""

    path: str = Field(min_length=1, max_length=500, description="Such as documents/GoBD.pdf or workspace.md")
    page_start: int | None = Field(None, ge=1, description="PDF: the first page, from 1")
    page_end: int | None = Field(None, ge=1, description="PDF: the last page")
    line_start: int | None = Field(None, ge=1, description="All else: the first line, from 1")
    line_end: int | None = Field(None, ge=1, description="All else: the last line")

    @model_validator(mode="after")
    def _counts_one_way(self) -> Self:
        if (self.page_start or self.page_end) and (self.line_start or self.line_end):
            raise ValueError("give pages or lines, not both")
        return self


class ReadFile(JobTool[ReadFileParameters, JobServices]):
    """Reads a part of a file."""

    name = "read_file"
    parameters_model = ReadFileParameters
    told = ("page_start", "line_start")
    effect = "pure"

    async def execute(self, params: ReadFileParameters, ctx: ToolContext[JobServices]) -> ToolResult:
        """Read it, as far as it fits."""
        workspace = workspace_in(ctx)
        most = config_of(ctx.settings).workspace.max_read_size
        name = workspace.relative(await asyncio.to_thread(workspace.locate, params.path))
        if name.lower().endswith(PAGED):
            return await _read_pages(workspace, name, params, most)
        text = await _text(workspace, name)
        return await _read_lines(workspace, name, text, params, most)


async def _text(workspace: Workspace, name: str) -> str:
    if not name.lower().endswith(PACKED):
        return await asyncio.to_thread(workspace.read_text, name)
    data = await asyncio.to_thread(workspace.read_bytes, name)
    document = await asyncio.to_thread(read_document, name, data)
    return "\n".join(page.text for page in document.pages)


async def _read_lines(workspace: Workspace, name: str, text: str, params: ReadFileParameters, most: int) -> ToolResult:
    if params.page_start or params.page_end:
        raise InvalidInput(f"{name!r} has no pages.", hint="Use line_start and line_end, or leave both out.")
    if not text:
        return ToolResult(success=True, output=f"{name} is empty.", artifacts={"path": name, "total": 0})
    part = portion(lines_of(text, most), params.line_start, params.line_end, most, "line")
    shown = await shown_to_model(workspace, name, "\n".join(part.parts))
    return _result(name, "line", part, shown, params.line_end)


async def _read_pages(workspace: Workspace, name: str, params: ReadFileParameters, most: int) -> ToolResult:
    if params.line_start or params.line_end:
        raise InvalidInput(f"{name!r} is read by pages.", hint="Use page_start and page_end, or leave both out.")
    data = await asyncio.to_thread(workspace.read_bytes, name)
    document = await asyncio.to_thread(read_document, name, data)
    part = portion([page.text for page in document.pages], params.page_start, params.page_end, most, "page")
    shown = [
        await shown_to_model(workspace, name, text, f"#page={number}")
        for number, text in enumerate(part.parts, start=part.first)
    ]
    return _result(name, "page", part, "\n".join(shown), params.page_end)


def _result(name: str, unit: str, part: Portion, shown: str, wanted: int | None) -> ToolResult:
    lines = [f"{name}: {unit}s {part.first}–{part.last} of {part.total}", shown]
    if part.cut:
        lines.append("This page is longer than one reading: for its rest, read what extract_document_text writes.")
    if part.last < min(wanted or part.total, part.total):
        lines.append(f"Go on with read_file(path={name!r}, {unit}_start={part.last + 1}).")
    artifacts = {"path": name, "unit": unit, "first": part.first, "last": part.last, "total": part.total}
    return ToolResult(success=True, output="\n".join(lines), artifacts=artifacts)


# `write_file`: a file of the workspace, whole.


class WriteFileParameters(Arguments):
    """Parameters of `write_file`."""

    path: str = Field(min_length=1, max_length=500, description="Such as output/report.md")
    content: str = Field(max_length=5_000_000, description="The whole text of the file")


class WriteFile(JobTool[WriteFileParameters, JobServices]):
    """Replaces a file, or makes it."""

    name = "write_file"
    parameters_model = WriteFileParameters
    effect = "idempotent"

    def touches(self, params: WriteFileParameters) -> frozenset[str] | None:
        """The file alone."""
        return touched(params.path)

    async def execute(self, params: WriteFileParameters, ctx: ToolContext[JobServices]) -> ToolResult:
        """Check and write."""
        workspace = workspace_in(ctx)
        await guard_write(ctx, params.path)
        await guard_text(ctx, workspace, params.path, params.content)
        await asyncio.to_thread(workspace.write_text, params.path, params.content)
        size = len(params.content.encode())
        lines = params.content.count("\n") + bool(params.content and not params.content.endswith("\n"))
        return ToolResult(
            success=True,
            output=f"Wrote {params.path}: {lines:,} lines, {size:,} bytes.",
            artifacts={"path": params.path, "bytes": size},
        )


# `append_file`: text at the end of a file, once, whatever crashes.


class AppendFileParameters(Arguments):
    """Parameters of `append_file`."""

    path: str = Field(min_length=1, max_length=500, description="Such as output/notes.md")
    content: str = Field(min_length=1, max_length=5_000_000, description="What is added")


class AppendFile(JobTool[AppendFileParameters, JobServices]):
    """Adds to a file. It runs alone, since the record of its change holds one."""

    name = "append_file"
    parameters_model = AppendFileParameters
    effect = "idempotent"

    async def execute(self, params: AppendFileParameters, ctx: ToolContext[JobServices]) -> ToolResult:
        """Check and add."""
        workspace = workspace_in(ctx)
        await guard_write(ctx, params.path)
        before = await asyncio.to_thread(_append_file_text, workspace, params.path)
        await guard_text(ctx, workspace, params.path, before + params.content)
        size = await asyncio.to_thread(_append, workspace, params.path, params.content, ctx.idempotency_key)
        return ToolResult(
            success=True,
            output=f"Added {len(params.content.encode()):,} bytes to {params.path}, which has {size:,} now.",
            artifacts={"path": params.path, "bytes": size},
        )


def _append_file_text(workspace: Workspace, path: str) -> str:
    """The text so far, as far as there is any; a binary file is refused here."""
    try:
        return workspace.read_text(path)
    except NotFound:
        return ""


def _append(workspace: Workspace, path: str, content: str, key: str) -> int:
    """Add the text unless this very call has added it before it was interrupted; gives the file's size."""
    before = _append_file_text(workspace, path).encode()
    begun_at = note_change(workspace, key, len(before))
    if begun_at != len(before) and before[begun_at:] == content.encode():
        return len(before)
    workspace.append_text(path, content)
    return len(before) + len(content.encode())


# `delete_file`: takes a file away that nobody needs any more.


class DeleteFileParameters(Arguments):
    """Parameters of `delete_file`."""

    path: str = Field(min_length=1, max_length=500, description="Such as output/draft.md")


class DeleteFile(JobTool[DeleteFileParameters, JobServices]):
    """Deletes a file. It runs alone, since the record of its change holds one."""

    name = "delete_file"
    parameters_model = DeleteFileParameters
    effect = "idempotent"

    async def execute(self, params: DeleteFileParameters, ctx: ToolContext[JobServices]) -> ToolResult:
        """Check and delete."""
        await guard_delete(ctx, params.path)
        await asyncio.to_thread(_delete, workspace_in(ctx), params.path, ctx.idempotency_key)
        return ToolResult(success=True, output=f"Deleted {params.path}.", artifacts={"path": params.path})


def _delete(workspace: Workspace, path: str, key: str) -> None:
    """Delete it, unless this very call has deleted it before it was interrupted."""
    if was_begun(workspace, key) and not workspace.exists(path):
        return
    note_change(workspace, key, 0)
    workspace.delete(path)


# `file_exists`: whether something of a name is there.


class FileExistsParameters(Arguments):
    """Parameters of `file_exists`."""

    path: str = Field(min_length=1, max_length=500, description="Such as output/report.md")


class FileExists(JobTool[FileExistsParameters, JobServices]):
    """Looks a name up."""

    name = "file_exists"
    parameters_model = FileExistsParameters
    effect = "pure"

    async def execute(self, params: FileExistsParameters, ctx: ToolContext[JobServices]) -> ToolResult:
        """Say what is there."""
        kind = await asyncio.to_thread(_kind, workspace_in(ctx), params.path)
        said = f"{params.path} is a {kind}." if kind else f"There is no {params.path}."
        return ToolResult(success=True, output=said, artifacts={"path": params.path, "exists": kind is not None})


def _kind(workspace: Workspace, path: str) -> str | None:
    if not workspace.exists(path):
        return None
    return "folder" if workspace.is_folder(path) else "file"


# `list_files`: what lies in the workspace.

MOST_ENTRIES = 500


class ListFilesParameters(Arguments):
    """Parameters of `list_files`."""

    path: str = Field("", max_length=500, description="A folder; nothing for the whole workspace")
    depth: int = Field(3, ge=1, le=20, description="How many folders deep; 1 is the folder itself")


class ListFiles(JobTool[ListFilesParameters, JobServices]):
    """Lists files and folders."""

    name = "list_files"
    parameters_model = ListFilesParameters
    told = ("path",)
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
