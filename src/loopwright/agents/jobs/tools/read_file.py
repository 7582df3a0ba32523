"""`read_file`: a file in parts that fit, text by lines and documents by pages."""

import asyncio
from typing import Self

from pydantic import BaseModel, Field, model_validator

from loopwright.agents.jobs.documents import read_document
from loopwright.agents.jobs.memory import config_of
from loopwright.agents.jobs.ports import JobServices
from loopwright.agents.jobs.tools.file_guards import shown_to_model, workspace_in
from loopwright.agents.jobs.workspace.portions import Portion, lines_of, portion
from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.tools import BaseTool, ToolContext, ToolResult
from loopwright.kernel.workspace import Workspace

PAGED, PACKED = ".pdf", ".docx"


class ReadFileParameters(BaseModel):
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


class ReadFile(BaseTool[ReadFileParameters, JobServices]):
    """Reads a part of a file."""

    name = "read_file"
    parameters_model = ReadFileParameters
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
