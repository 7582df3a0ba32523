"""Searching and mapping a project by its index. The calls block on the disk."""

import fnmatch
import sqlite3
import threading
from pathlib import Path

from loopwright.agents.ide.contracts.symbols import Symbol
from loopwright.agents.ide.files import ProjectFiles
from loopwright.agents.ide.index.database import IndexDatabase
from loopwright.agents.ide.index.mapping import draw_map
from loopwright.agents.ide.index.parsing import Reference, references
from loopwright.agents.ide.index.refreshing import Refreshed, refresh
from loopwright.agents.ide.index.renaming import Renaming, rename_symbol
from loopwright.agents.ide.index.semantic import PassageHit, search_semantic
from loopwright.agents.ide.index.symbol_search import search_symbols, symbols_where
from loopwright.agents.ide.index.text_search import TextHit, search_text
from loopwright.kernel.errors import Conflict, InvalidInput

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
            raise InvalidInput(f"There is no folder {folder!r}.", hint="index_list_files without a folder shows all.")
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
            raise Conflict(f"{old!r} is defined in several places: {places}.", hint="Say which file, or all of them.")
        with self._database.opened() as connection:
            using = _using(connection, old)
            paths = [row[0] for row in connection.execute("SELECT path FROM resources")]
        return rename_symbol(self._files, old, new, definitions=named, using=using, paths=paths)

    def map(self, token_budget: int, focus: str = "") -> str:
        """The project in outline: its files with their most used definitions, those that `focus` speaks of first."""
        with self._database.opened() as connection:
            return draw_map(connection, token_budget, focus)


def _using(connection: sqlite3.Connection, name: str) -> list[str]:
    """The files of source code that have the name as a word."""
    rows = connection.execute(
        "SELECT path FROM resources WHERE language IS NOT NULL AND instr(words, ?) ORDER BY path",
        (f" {name.rstrip('?!=')} ",),  # Ruby's names may end with these signs, and words do not
    )
    return [row[0] for row in rows]
