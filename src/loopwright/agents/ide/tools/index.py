"""The tools that find and read code: files, text, symbols, uses, meaning."""

import asyncio
from typing import Any

from pydantic import Field

from loopwright.agents.ide.contracts import Symbol
from loopwright.agents.ide.project import Project
from loopwright.agents.ide.tools.tool import Arguments, IdeTool
from loopwright.kernel.tools import ToolContext, ToolResult

# `index_list_files`: what lies in a folder.

MOST = 200
DEPTHS = (8, 4, 3, 2, 1)


class IndexListFilesParameters(Arguments):
    """Parameters of `index_list_files`."""

    folder: str = Field(max_length=500, description="Relative to the root; . for the root")


class IndexListFiles(IdeTool[IndexListFilesParameters]):
    """Lists a folder as deep as the list stays short."""

    name = "index_list_files"
    parameters_model = IndexListFilesParameters

    async def execute(self, params: IndexListFilesParameters, ctx: ToolContext[Any]) -> ToolResult:
        """List it; deeper folders end with a slash."""
        folder = "" if params.folder.strip() in (".", "./", "/") else params.folder
        found = await asyncio.to_thread(_entries, self.project(ctx), folder)
        shown = found[:MOST]
        more = f"\n… and {len(found) - MOST} more" if len(found) > MOST else ""
        return ToolResult(success=True, output=("\n".join(shown) or "(empty)") + more, artifacts={"entries": shown})


def _entries(project: Project, folder: str) -> list[str]:
    """The entries down to the depth at which there are still few enough."""
    found: list[str] = []
    for depth in DEPTHS:
        found = project.index.list_files(folder, depth)
        if len(found) <= MOST:
            break
    return found


# `index_find_files`: files by their names.

MOST_FILES = 200


class IndexFindFilesParameters(Arguments):
    """Parameters of `index_find_files`."""

    pattern: str = Field(min_length=1, max_length=300, description="A glob such as **/*.py, or a part of the path")


class IndexFindFiles(IdeTool[IndexFindFilesParameters]):
    """Finds files whose path matches."""

    name = "index_find_files"
    parameters_model = IndexFindFilesParameters

    async def execute(self, params: IndexFindFilesParameters, ctx: ToolContext[Any]) -> ToolResult:
        """Find them."""
        found = await asyncio.to_thread(self.project(ctx).index.find_files, params.pattern, MOST_FILES)
        if not found:
            return ToolResult(success=True, output=f"No file matches {params.pattern!r}.", artifacts={"files": []})
        more = f"\n(the first {MOST_FILES})" if len(found) >= MOST_FILES else ""
        return ToolResult(success=True, output="\n".join(found) + more, artifacts={"files": found})


# `index_read_file` and `index_read_lines`: a file, or some of its lines.

MOST_LINES = 600
LONGEST_LINE = 2_000


class IndexReadFileParameters(Arguments):
    """Parameters of `index_read_file`."""

    path: str = Field(min_length=1, max_length=500)


class IndexReadFile(IdeTool[IndexReadFileParameters]):
    """Reads a file, with line numbers; the beginning of a long one."""

    name = "index_read_file"
    parameters_model = IndexReadFileParameters

    async def execute(self, params: IndexReadFileParameters, ctx: ToolContext[Any]) -> ToolResult:
        """Read it."""
        return await asyncio.to_thread(_read, self.project(ctx), params.path, 1, MOST_LINES)


class IndexReadLinesParameters(Arguments):
    """Parameters of `index_read_lines`."""

    path: str = Field(min_length=1, max_length=500)
    start_line: int = Field(ge=1, description="From 1")
    end_line: int = Field(ge=1, description="Included")


class IndexReadLines(IdeTool[IndexReadLinesParameters]):
    """Reads a part of a file, with line numbers."""

    name = "index_read_lines"
    parameters_model = IndexReadLinesParameters

    async def execute(self, params: IndexReadLinesParameters, ctx: ToolContext[Any]) -> ToolResult:
        """Read them."""
        if params.end_line < params.start_line:
            return ToolResult.failure("end_line lies before start_line.", "Give them in order.")
        last = min(params.end_line, params.start_line + MOST_LINES - 1)
        return await asyncio.to_thread(_read, self.project(ctx), params.path, params.start_line, last)


def _read(project: Project, path: str, first: int, last: int) -> ToolResult:
    lines, count = project.index.read(path, first, last)
    shown = [f"{number}\t{line[:LONGEST_LINE]}" for number, line in enumerate(lines, first)]
    end = first + len(lines) - 1
    more = f"\n(lines {first}-{end} of {count}; index_read_lines gives others)" if first > 1 or end < count else ""
    return ToolResult(
        success=True,
        output=("\n".join(shown) or "(the file is empty)") + more,
        artifacts={"path": path, "lines": count},
    )


# `index_search_text` and `index_search_regex`: lines that hold a text, or match an expression.

MOST_HITS = 100


class IndexSearchTextParameters(Arguments):
    """Parameters of `index_search_text`."""

    query: str = Field(min_length=1, max_length=500)


class IndexSearchText(IdeTool[IndexSearchTextParameters]):
    """Searches the project's files for a text."""

    name = "index_search_text"
    parameters_model = IndexSearchTextParameters

    async def execute(self, params: IndexSearchTextParameters, ctx: ToolContext[Any]) -> ToolResult:
        """Search."""
        return await asyncio.to_thread(_search, self.project(ctx), params.query, regex=False, glob="")


class IndexSearchRegexParameters(Arguments):
    """Parameters of `index_search_regex`."""

    pattern: str = Field(min_length=1, max_length=500, description="Rust syntax; letters count as they are written")
    glob: str = Field(min_length=1, max_length=200, description="Which files, such as *.py; * for all")


class IndexSearchRegex(IdeTool[IndexSearchRegexParameters]):
    """Searches files for a regular expression."""

    name = "index_search_regex"
    parameters_model = IndexSearchRegexParameters

    async def execute(self, params: IndexSearchRegexParameters, ctx: ToolContext[Any]) -> ToolResult:
        """Search."""
        glob = "" if params.glob == "*" else params.glob
        return await asyncio.to_thread(_search, self.project(ctx), params.pattern, regex=True, glob=glob)


def _search(project: Project, query: str, *, regex: bool, glob: str) -> ToolResult:
    hits = project.index.search_text(query, regex=regex, glob=glob, limit=MOST_HITS, case=regex)
    told = ""
    if not hits:
        hits = [] if regex else project.index.search_parts(query)
        told = f"The search gave no line with {query!r}."
        told += " These lines have a part of it:\n" if hits else ""
    more = f"\n(the first {MOST_HITS}; narrow the query)" if len(hits) >= MOST_HITS else ""
    return ToolResult(
        success=True,
        output=told + "\n".join(f"{hit.path}:{hit.line}: {hit.text}" for hit in hits) + more,
        artifacts={"hits": [{"path": hit.path, "line": hit.line} for hit in hits]},
    )


MOST_USES = 100
MOST_SYMBOLS = 30


class IndexSearchSymbolsParameters(Arguments):
    """Parameters of `index_search_symbols`."""

    query: str = Field(min_length=1, max_length=200)


class IndexSearchSymbols(IdeTool[IndexSearchSymbolsParameters]):
    """Finds definitions."""

    name = "index_search_symbols"
    parameters_model = IndexSearchSymbolsParameters

    async def execute(self, params: IndexSearchSymbolsParameters, ctx: ToolContext[Any]) -> ToolResult:
        """Find them."""
        return await asyncio.to_thread(_definitions, self.project(ctx), params.query)


class IndexFindUsesParameters(Arguments):
    """Parameters of `index_find_uses`."""

    name: str = Field(min_length=1, max_length=200)


class IndexFindUses(IdeTool[IndexFindUsesParameters]):
    """Finds where the code uses a name."""

    name = "index_find_uses"
    parameters_model = IndexFindUsesParameters

    async def execute(self, params: IndexFindUsesParameters, ctx: ToolContext[Any]) -> ToolResult:
        """Find them."""
        return await asyncio.to_thread(_uses, self.project(ctx), params.name)


def _definitions(project: Project, query: str) -> ToolResult:
    project.index.refresh()
    found = project.index.search_symbols(query, kind="", limit=MOST_SYMBOLS)
    text = "\n".join(map(_line, found)) or f"The index has no definition with a name like {query!r}."
    return ToolResult(success=True, output=text, artifacts={"symbols": [symbol.model_dump() for symbol in found]})


def _uses(project: Project, name: str) -> ToolResult:
    project.index.refresh()
    uses = project.index.references(name)
    lines = [f"Uses of {name} ({len(uses)}):", *(f"{u.path}:{u.line}:{u.column}" for u in uses[:MOST_USES])]
    lines += [f"… and {len(uses) - MOST_USES} more"] if len(uses) > MOST_USES else []
    artifacts = {"uses": [{"path": u.path, "line": u.line, "column": u.column} for u in uses]}
    return ToolResult(success=True, output="\n".join(lines), artifacts=artifacts)


def _line(symbol: Symbol) -> str:
    name = f"{symbol.container}.{symbol.name}" if symbol.container else symbol.name
    return f"{symbol.path}:{symbol.line_start}-{symbol.line_end} {symbol.kind} {name}  {symbol.signature}"


# `index_search_semantic`: passages by their meaning.

INDEX_SEARCH_SEMANTIC_MOST = 10


class IndexSearchSemanticParameters(Arguments):
    """Parameters of `index_search_semantic`."""

    query: str = Field(min_length=1, max_length=500, description="What the code or text does or is about, in words")


class IndexSearchSemantic(IdeTool[IndexSearchSemanticParameters]):
    """Searches the project's files by meaning."""

    name = "index_search_semantic"
    parameters_model = IndexSearchSemanticParameters

    async def execute(self, params: IndexSearchSemanticParameters, ctx: ToolContext[Any]) -> ToolResult:
        """Search."""
        index = self.project(ctx).index
        await asyncio.to_thread(index.refresh)
        hits = await asyncio.to_thread(index.search_semantic, params.query, INDEX_SEARCH_SEMANTIC_MOST)
        lines = [f"{hit.path}:{hit.line_start}-{hit.line_end} {hit.score:.2f}  {hit.title}" for hit in hits]
        return ToolResult(
            success=True,
            output="\n".join(lines) or f"Nothing is near to {params.query!r}.",
            artifacts={"hits": [{"path": hit.path, "line": hit.line_start} for hit in hits]},
        )
