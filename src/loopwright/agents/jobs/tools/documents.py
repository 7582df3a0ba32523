"""The tools for documents, and for looking for words in all files."""

import asyncio
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import PurePosixPath
from typing import Self

from pydantic import Field, model_validator

from loopwright.agents.jobs.candidates import Candidate, Mode, candidates_of
from loopwright.agents.jobs.candidates.patterns import vocabulary
from loopwright.agents.jobs.citations import open_document
from loopwright.agents.jobs.documents import Document
from loopwright.agents.jobs.documents.document import Chunk, Strategy, chunks_of, full_text
from loopwright.agents.jobs.memory import config_of
from loopwright.agents.jobs.ports import JobServices
from loopwright.agents.jobs.taint import remember
from loopwright.agents.jobs.tools.files import shown_to_model, workspace_in
from loopwright.agents.jobs.tools.job_tool import Arguments, JobTool
from loopwright.agents.jobs.workspace import LinePattern, lines_of
from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.tools import ToolContext, ToolResult
from loopwright.kernel.workspace import Workspace

# What the document tools share: opening a document, and the names of what they write about it.

FOLDER = "extracted"


async def opened(ctx: ToolContext[JobServices], path: str) -> tuple[Workspace, str, Document]:
    """The job's workspace, the document's name in it, and the document.

    Its text is filed under its own name: what is read in the files made of it is the document's, and may be cited so.

    Raises:
        NotFound: there is no such file.
        InvalidInput: the path leads out, or the file is not a document that can be read.
    """
    workspace = workspace_in(ctx)
    found = await open_document(workspace, path)
    whole = "\n".join(page.text for page in found.document.pages)
    await asyncio.to_thread(remember, workspace, found.path, whole)
    return workspace, found.path, found.document


async def write_extracted(workspace: Workspace, document: str, ending: str, text: str) -> str:
    """Write what was made of a document, and answer the file's name: `extracted/{stem}_{ending}`.

    Where two documents share their stem (`a.pdf`, `a.docx`) their suffixes come in, so that neither overwrites the
    other's file.
    """
    return await asyncio.to_thread(_write, workspace, document, ending, text)


def _write(workspace: Workspace, document: str, ending: str, text: str) -> str:
    own = PurePosixPath(document)
    folder = "" if own.parent == PurePosixPath() else own.parent.as_posix()
    others = {PurePosixPath(path) for path in workspace.list(folder)} - {own}
    shared = any(other.stem == own.stem and other.parent == own.parent for other in others)
    stem = f"{own.stem}_{own.suffix.lstrip('.')}" if shared else own.stem
    name = f"{FOLDER}/{stem}_{ending}"
    workspace.write_text(name, text)
    return name


# `extract_document_text`: a document's whole text as a file, with its pages and headings.

EXTRACT_DOCUMENT_TEXT_ENDING = "full_text.txt"


class ExtractDocumentTextParameters(Arguments):
    """Parameters of `extract_document_text`."""

    path: str = Field(min_length=1, max_length=500, description="The document, such as documents/GoBD.pdf")


class ExtractDocumentText(JobTool[ExtractDocumentTextParameters, JobServices]):
    """Writes the text to `extracted/`."""

    name = "extract_document_text"
    parameters_model = ExtractDocumentTextParameters
    effect = "idempotent"

    async def execute(self, params: ExtractDocumentTextParameters, ctx: ToolContext[JobServices]) -> ToolResult:
        """Read the document and write its text; the same document gives the same file."""
        workspace, name, document = await opened(ctx, params.path)
        whole = full_text(document)
        file = await write_extracted(workspace, name, EXTRACT_DOCUMENT_TEXT_ENDING, whole.text)
        headings = sum(len(page.headings) for page in document.pages)
        size = f"{len(document.pages)} pages, {headings} headings, {len(whole.text):,} characters"
        lines = [
            f"The text of {name} is in {file}: {size}.",
            *document.remarks,
            "Pages begin with their marks, [page 1] and so on, headings with #. Read it in parts with read_file.",
        ]
        artifacts = {
            "path": name,
            "file": file,
            "pages": len(document.pages),
            "headings": headings,
            "characters": len(whole.text),
            "remarks": list(document.remarks),
        }
        return ToolResult(success=True, output="\n".join(lines), artifacts=artifacts)


# `get_document_info`: what a document is, before it is read.

MAX_HEADINGS = 80
LANGUAGES = {"de": "German", "en": "English"}
SAMPLE = 200_000
"""Characters by which the language is told."""


class GetDocumentInfoParameters(Arguments):
    """Parameters of `get_document_info`."""

    path: str = Field(min_length=1, max_length=500, description="The document, such as documents/GoBD.pdf")


class GetDocumentInfo(JobTool[GetDocumentInfoParameters, JobServices]):
    """Tells a document's format, size, language and headings."""

    name = "get_document_info"
    parameters_model = GetDocumentInfoParameters
    effect = "pure"

    async def execute(self, params: GetDocumentInfoParameters, ctx: ToolContext[JobServices]) -> ToolResult:
        """Read the document and describe it."""
        workspace, name, document = await opened(ctx, params.path)
        characters = sum(len(page.text) for page in document.pages)
        sample = "\n".join(page.text for page in document.pages)[:SAMPLE]
        language = vocabulary().language_of(sample)
        headings = _headings(document)
        outline = [f"p. {page}: {text}" for page, text in headings[:MAX_HEADINGS]]
        shown = "\n".join([f"Title: {document.title}", *outline])
        lines = [
            f"{name}: {document.kind}, {_pages(document)}, {characters:,} characters, {LANGUAGES[language]}.",
            *document.remarks,
            f"Its title, and {len(outline)} of its {len(headings)} headings:",
            await shown_to_model(workspace, name, shown),
        ]
        artifacts = {
            "path": name,
            "kind": document.kind,
            "title": document.title,
            "pages": len(document.pages),
            "characters": characters,
            "language": language,
            "headings": [{"page": page, "text": text} for page, text in headings[:MAX_HEADINGS]],
            "remarks": list(document.remarks),
        }
        return ToolResult(success=True, output="\n".join(lines), artifacts=artifacts)


def _headings(document: Document) -> list[tuple[int, str]]:
    return [(page.number, heading.line) for page in document.pages for heading in page.headings]


def _pages(document: Document) -> str:
    return "1 page" if len(document.pages) == 1 else f"{len(document.pages)} pages"


# `chunk_document`: a document in parts that fit, as a file with one part a line.

CHUNK_DOCUMENT_ENDING = "chunks.jsonl"


class ChunkDocumentParameters(Arguments):
    """Parameters of `chunk_document`; what is left out is as the job's config says."""

    path: str = Field(min_length=1, max_length=500, description="The document, such as documents/GoBD.pdf")
    strategy: Strategy | None = Field(
        None, description="legal: by numbered paragraphs and sections; technical: by sections; general: by size alone"
    )
    max_chunk_size: int | None = Field(None, ge=100, le=20_000, description="Characters of a chunk")
    chunk_overlap: int | None = Field(None, ge=0, le=19_999, description="Characters repeated of the chunk before")


class ChunkDocument(JobTool[ChunkDocumentParameters, JobServices]):
    """Writes the chunks to `extracted/`."""

    name = "chunk_document"
    parameters_model = ChunkDocumentParameters
    effect = "idempotent"

    async def execute(self, params: ChunkDocumentParameters, ctx: ToolContext[JobServices]) -> ToolResult:
        """Cut the document; offsets are into what `extract_document_text` writes."""
        workspace, name, document = await opened(ctx, params.path)
        wanted = config_of(ctx.settings).document_processing
        strategy = params.strategy or wanted.chunking_strategy
        most = params.max_chunk_size or wanted.max_chunk_size
        overlap = wanted.chunk_overlap if params.chunk_overlap is None else params.chunk_overlap
        if params.chunk_overlap is None and params.max_chunk_size is not None:
            overlap = min(overlap, most // 5)
        chunks = await asyncio.to_thread(chunks_of, document, strategy, most, overlap)
        file = await write_extracted(workspace, name, CHUNK_DOCUMENT_ENDING, _lines(chunks))
        mean = sum(len(chunk.text) for chunk in chunks) // max(len(chunks), 1)
        output = (
            f"{name} is cut into {len(chunks)} chunks ({strategy}, at most {most} characters, {mean} on average), "
            f"in {file}: one JSON object a line with chunk_id, text, page_start, page_end, section, start and end. "
            "Read them with read_file, a few lines at a time."
        )
        artifacts = {
            "path": name,
            "file": file,
            "chunks": len(chunks),
            "strategy": strategy,
            "max": most,
            "overlap": overlap,
        }
        return ToolResult(success=True, output=output, artifacts=artifacts)


def _lines(chunks: tuple[Chunk, ...]) -> str:
    records = ({"chunk_id": f"K-{number:04d}", **asdict(chunk)} for number, chunk in enumerate(chunks, start=1))
    return "".join(f"{json.dumps(record, ensure_ascii=False)}\n" for record in records)


ENDING = "candidates.jsonl"
LIMIT = 25


class IdentifyRequirementCandidatesParameters(Arguments):
    """Parameters of `identify_requirement_candidates`."""

    path: str = Field(min_length=1, max_length=500, description="The document, such as documents/GoBD.pdf")
    mode: Mode | None = Field(
        None,
        description="strict: plain duties and prohibitions; balanced: conditions, demands and recommendations too; "
        "permissive: whatever has a modal verb; without it as the job's config says",
    )
    page_start: int | None = Field(None, ge=1, description="Show only candidates from this page on")
    page_end: int | None = Field(None, ge=1, description="Show only candidates up to this page")
    first: int = Field(1, ge=1, description="Begin with this one of the candidates to be shown")
    limit: int = Field(LIMIT, ge=1, le=100, description="Show so many; all are in the file")

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.page_start and self.page_end and self.page_end < self.page_start:
            raise ValueError("page_end is before page_start")
        return self


class IdentifyRequirementCandidates(JobTool[IdentifyRequirementCandidatesParameters, JobServices]):
    """Files all candidates, and shows some."""

    name = "identify_requirement_candidates"
    parameters_model = IdentifyRequirementCandidatesParameters
    told = ("page_start", "page_end", "first")
    effect = "idempotent"

    async def execute(
        self, params: IdentifyRequirementCandidatesParameters, ctx: ToolContext[JobServices]
    ) -> ToolResult:
        """Find them; the file always has those of the whole document, whatever is shown."""
        workspace, name, document = await opened(ctx, params.path)
        wanted = config_of(ctx.settings).document_processing
        mode = params.mode or wanted.extraction_mode
        # The threshold of the config belongs to its mode; who asks for another mode means that one's.
        least = wanted.min_confidence_threshold if params.mode in (None, wanted.extraction_mode) else 0.0
        found = await asyncio.to_thread(candidates_of, document, mode, least)
        file = await write_extracted(workspace, name, ENDING, "".join(f"{each.model_dump_json()}\n" for each in found))
        begin, end = params.page_start or 1, params.page_end or len(document.pages)
        asked = [each for each in found if begin <= each.page <= end]
        shown = asked[params.first - 1 : params.first - 1 + params.limit]
        where = f"{len(asked)} of them on pages {begin}–{end}"
        lines = [f"{name} has {len(found)} candidates ({mode}), {where}. All are in {file}, one JSON object a line."]
        if shown:
            text = "\n".join(each.model_dump_json(exclude={"reasons"}) for each in shown)
            lines.append(f"Candidates {params.first}–{params.first + len(shown) - 1} of {len(asked)}:")
            lines.append(await shown_to_model(workspace, name, text, filed=_words(shown)))
        following = params.first + len(shown)
        if shown and following <= len(asked):
            lines.append(f"Go on with first={following}, or read the file with read_file.")
        artifacts = {
            "path": name,
            "file": file,
            "mode": mode,
            "total": len(found),
            "asked": len(asked),
            "candidates": [each.model_dump(mode="json") for each in shown],
        }
        return ToolResult(success=True, output="\n".join(lines), artifacts=artifacts)


def _words(shown: list[Candidate]) -> str:
    """The document's own words, without the JSON around them."""
    return "\n".join(f"{each.section}\n{each.text}" for each in shown)


# `search_files`: words in text files, by patterns whose cost grows with the text and never beyond it.

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
