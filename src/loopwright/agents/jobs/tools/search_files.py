"""`search_files`: words in text files, by patterns whose cost grows with the text and never beyond it."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, field

from pydantic import Field

from loopwright.agents.jobs.memory import config_of
from loopwright.agents.jobs.ports import JobServices
from loopwright.agents.jobs.tools.files import shown_to_model, workspace_in
from loopwright.agents.jobs.tools.job_tool import Arguments, JobTool
from loopwright.agents.jobs.workspace import LinePattern, lines_of
from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.tools import ToolContext, ToolResult
from loopwright.kernel.workspace import Workspace

MOST_BYTES = 100_000_000
"""Text that one search reads."""


class SearchFilesParameters(Arguments):
    """Parameters of `search_files`."""

    pattern: str = Field(min_length=1, max_length=500, description="Words; * within a line, | between alternatives")
    path: str = Field("", max_length=500, description="A folder or file; nothing for the whole workspace")
    case_sensitive: bool = Field(False, description="Whether A and a are different")
    limit: int = Field(50, ge=1, le=500, description="The most lines to show")


@dataclass
class _Found:
    """Hits by file, each as `line: text`; `passed` are files that were not searched."""

    hits: dict[str, list[str]] = field(default_factory=dict)
    count: int = 0
    passed: list[str] = field(default_factory=list)
    full: bool = False


class SearchFiles(JobTool[SearchFilesParameters, JobServices]):
    """Searches lines."""

    name = "search_files"
    parameters_model = SearchFilesParameters
    told = ("path",)
    effect = "pure"

    async def execute(self, params: SearchFilesParameters, ctx: ToolContext[JobServices]) -> ToolResult:
        """Search file after file until enough is found."""
        workspace = workspace_in(ctx)
        most = config_of(ctx.settings).workspace.max_read_size
        found = await asyncio.to_thread(_search, workspace, params, most)
        parts = [
            await shown_to_model(workspace, path, "\n".join(lines), filed=_without_numbers(lines))
            for path, lines in found.hits.items()
        ]
        titled = [
            text if text.startswith("<data") else f"{path}:\n{text}"
            for path, text in zip(found.hits, parts, strict=True)
        ]
        artifacts = {"lines": found.count, "files": list(found.hits), "passed": found.passed[:50]}
        said = [f"{found.count} lines in {len(found.hits)} files:", *titled] if found.hits else [_nothing(params)]
        if found.full:
            said.append("There may be more: narrow the pattern or the path, or raise the limit.")
        if found.passed:
            shown = ", ".join(found.passed[:5]) + (" …" if len(found.passed) > 5 else "")
            said.append(f"Not searched, being no text or too large: {shown}.")
        return ToolResult(success=True, output="\n".join(said), artifacts=artifacts)


def _without_numbers(lines: list[str]) -> str:
    return "\n".join(line.partition(": ")[2] for line in lines)


def _nothing(params: SearchFilesParameters) -> str:
    hint = ""
    if any(sign in params.pattern for sign in ("\\", ".*", ".+", "[", "^", "$", "(?")):
        hint = " The pattern is taken as plain text, not as a regular expression: use * and | only."
    return f"No line has {params.pattern!r}.{hint}"


def _search(workspace: Workspace, params: SearchFilesParameters, most: int) -> _Found:
    pattern = LinePattern(params.pattern, case_sensitive=params.case_sensitive)
    found, read, size = _Found(), 0, 0
    for path in _files(workspace, params.path):
        try:
            text = workspace.read_text(path)
        except InvalidInput:
            found.passed.append(path)
            continue
        read += len(text)
        for number, line in enumerate(lines_of(text, most), start=1):
            place = pattern.find(line)
            if place is None:
                continue
            shown = f"{number}: {_around(line, place)}"
            size += len(shown) + 1
            if found.count == params.limit or size > most:
                found.full = True
                return found
            found.hits.setdefault(path, []).append(shown)
            found.count += 1
        if read > MOST_BYTES:
            found.full = True
            return found
    return found


def _files(workspace: Workspace, path: str) -> Iterator[str]:
    """The file itself, or the files of the folder."""
    if path and not workspace.is_folder(path):
        yield workspace.relative(workspace.locate(path))
    else:
        yield from workspace.list(path)


def _around(line: str, place: int, width: int = 300) -> str:
    """A long line is shown around its hit."""
    start = max(0, place - width // 3)
    return ("…" if start else "") + line[start : start + width] + ("…" if start + width < len(line) else "")
