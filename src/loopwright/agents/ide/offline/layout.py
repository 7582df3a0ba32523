"""What tool results say, read back: listings, files, symbols, hits, commands."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from loopwright.agents.ide.offline.script import Result, Script, Step, one, step

SYMBOL = re.compile(r"^(?P<path>.+?):(?P<first>\d+)-(?P<last>\d+) (?P<kind>\w+) (?P<name>\S+)(?:  (?P<signature>.*))?$")
USE = re.compile(r"^(?P<path>.+):(?P<line>\d+):(?P<column>\d+)$")
HIT = re.compile(r"^(?P<path>.+?):(?P<line>\d+): (?P<text>.*)$")
LINE = re.compile(r"^(\d+)\t(.*)$")
EXIT = re.compile(r"^\[exit code (-?\d+),")
MORE_LINES = re.compile(r"\n\(lines \d+-\d+ of (\d+); go on with start_line=\d+\)$")
MOST_SHOWN = 40
"""Places that an answer lists."""


@dataclass(frozen=True)
class Definition:
    """A definition as `index_search_symbols` shows it; lines count from 1, the last one included."""

    path: str
    first: int
    last: int
    kind: str
    qualified: str
    signature: str

    @property
    def name(self) -> str:
        """Without what it stands in."""
        return self.qualified.rpartition(".")[2]

    @property
    def container(self) -> str:
        """The class or module that it stands in."""
        return self.qualified.rpartition(".")[0]

    @property
    def place(self) -> str:
        """Path and line."""
        return f"{self.path}:{self.first}"


@dataclass(frozen=True)
class Place:
    """Path and line, with the column or the text where it is known."""

    path: str
    line: int
    column: int = 0
    text: str = ""


@dataclass(frozen=True)
class Excerpt:
    """Lines of a file by their numbers; `whole` says whether the file has no others."""

    path: str
    lines: dict[int, str]
    whole: bool

    @property
    def text(self) -> str:
        """The lines as one text."""
        return "".join(f"{line}\n" for line in self.lines.values())


def definitions(result: Result) -> list[Definition]:
    """The definitions of a symbol search."""
    found = (SYMBOL.match(line) for line in result.text.partition("\n\nUses of ")[0].splitlines())
    return [
        Definition(m["path"], int(m["first"]), int(m["last"]), m["kind"], m["name"], m["signature"] or "")
        for m in found
        if m
    ]


def uses(result: Result) -> list[Place]:
    """The uses of a symbol search, as far as they are shown."""
    _, mark, rest = ("\n" + result.text).partition("\nUses of ")
    found = (USE.match(line) for line in rest.splitlines()) if mark else ()
    return [Place(m["path"], int(m["line"]), int(m["column"])) for m in found if m]


def hits(result: Result) -> list[Place]:
    """The lines of a text search."""
    if result.failed or result.text.startswith("Nothing holds "):
        return []
    found = (HIT.match(line) for line in result.text.splitlines())
    return [Place(m["path"], int(m["line"]), text=m["text"]) for m in found if m]


def entries(result: Result) -> list[str]:
    """The entries of a listing or of a search for files."""
    if result.failed or result.text.startswith(("No file matches ", "(empty)")):
        return []
    return [line for line in result.text.splitlines() if line and not line.startswith(("… and ", "(the first "))]


def excerpt(path: str, result: Result, first: int = 1) -> Excerpt | None:
    """The lines that were read of a file, or None where it could not be read."""
    if result.failed:
        return None
    found = (LINE.match(line) for line in result.text.split("\n"))
    lines = {int(m[1]): m[2] for m in found if m}
    return Excerpt(path, lines, whole=first == 1 and not MORE_LINES.search(result.text))


def exit_code(result: Result) -> int | None:
    """How a command ended, or None where it did not run or was stopped."""
    found = EXIT.match(result.text.removeprefix("Error:").strip())
    return int(found[1]) if found else None


def was_run(result: Result) -> bool:
    """Whether a command was started at all."""
    return result.text.removeprefix("Error:").strip().startswith(("[exit code ", "[stopped: "))


def output(result: Result) -> str:
    """What a command has written."""
    return result.text.partition("\n")[2]


def read(path: str, first: int = 1, last: int | None = None) -> Script[Excerpt | None]:
    """Read lines of a file."""
    (found,) = yield (reading(path, first, last),)
    return excerpt(path, found, first)


def reading(path: str, first: int = 1, last: int | None = None) -> Step:
    """The call that reads lines of a file."""
    return step("index_read_file", path=path, start_line=first, **({"end_line": last} if last is not None else {}))


def read_all(paths: Sequence[str], last: int) -> Script[dict[str, Excerpt]]:
    """Read the beginnings of several files at once; those that cannot be read are left out."""
    if not paths:
        return {}
    results = yield tuple(reading(path, 1, last) for path in paths)
    found = {path: excerpt(path, result) for path, result in zip(paths, results, strict=True)}
    return {path: lines for path, lines in found.items() if lines is not None}


def listing(depth: int = 4) -> Script[list[str]]:
    """The project's files, folders that lie deeper with a slash."""
    return entries((yield from one("index_list_files", folder="", depth=depth)))
