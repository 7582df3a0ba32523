"""The snippets of the documents: fenced blocks, and the comments before them that say how each is tested.

A comment stands on the line before the fence:

- `<!-- file: letters.py -->`: the block is this file. A first line `# letters.py` says the same.
- `<!-- output -->`: the page's Python prints exactly this.
- `<!-- run -->`: these commands are executed, and succeed; other commands are only parsed.
- `<!-- tested by tests/….py -->`: this test runs the block.
- `<!-- not run: reason -->`: the block cannot be run.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from tests.shape.source import ROOT, repository_files

FENCE = re.compile(
    r"^(?:<!-- (?P<mark>[^\n]*) -->\n)?(?P<ticks>`{3,})(?P<info>[^\n]*)\n(?P<body>.*?)^(?P=ticks)$", re.M | re.S
)
NAMED = re.compile(r"(?:# |<!-- )([\w/.-]+\.\w+)(?: -->)?\n")
MARK = re.compile(r"(file|output|run|tested by|not run)(?:(?:: | )(.+))?")


@dataclass(frozen=True)
class Snippet:
    """A fenced block of a page."""

    page: Path
    line: int
    language: str
    body: str
    kind: str = ""
    value: str = ""

    @property
    def where(self) -> str:
        """Page and line, for messages."""
        return f"{self.page.relative_to(ROOT).as_posix()}:{self.line}"

    @property
    def file(self) -> str | None:
        """The file that the block is, if it is one."""
        if self.kind == "file":
            return self.value
        named = NAMED.match(self.body) if self.language in ("python", "md") else None
        return named[1] if named else None

    @property
    def content(self) -> str:
        """The file's content: a comment that only names the file does not belong to it."""
        return self.body.partition("\n")[2] if self.body.startswith("<!-- ") else self.body


def snippets_in(text: str, page: Path) -> list[Snippet]:
    """The blocks of a page, in order.

    Raises:
        ValueError: the comment before a block is not one of those above.
    """
    found = []
    for match in FENCE.finditer(text):
        line = text.count("\n", 0, match.start("ticks")) + 1
        mark = MARK.fullmatch(match["mark"]) if match["mark"] else None
        if match["mark"] and not mark and not match["mark"].startswith("generated"):
            raise ValueError(f"{page}:{line}: unknown comment {match['mark']!r}")
        kind, value = (mark[1], mark[2] or "") if mark else ("", "")
        found.append(Snippet(page, line, match["info"].partition(" ")[0], match["body"], kind, value))
    return found


def pages() -> list[Path]:
    """The pages whose snippets are tested."""
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md"] + [
        path for path in repository_files("docs") if path.suffix == ".md"
    ]


def all_snippets() -> list[Snippet]:
    """The blocks of all pages."""
    return [each for page in pages() for each in snippets_in(page.read_text(encoding="utf-8"), page)]
