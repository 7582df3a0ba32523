"""The session's folder; nothing is read or written outside it.

It holds `design-system.css`, `pages/{slug}.html`, `runtime/` with what the pages share, `uploads/`, and
`promises.json` for people to read.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from loopwright.agents.pages.brief.sitemap import is_slug
from loopwright.agents.pages.runtime import FOLDER, runtime_files
from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.files import write_whole

DESIGN_SYSTEM = "design-system.css"
PROMISES = "promises.json"
MAX_NAME = 255


@dataclass(frozen=True)
class PageFile:
    """A page as it lies on disk."""

    slug: str
    size_bytes: int
    modified_at: datetime


@dataclass(frozen=True)
class Workspace:
    """The files of one session. Writing is atomic: a reader sees the old file or the new one, also after a crash."""

    folder: Path

    def page_path(self, slug: str) -> Path:
        """Where the page lies.

        Raises:
            InvalidInput: this is no slug; what is one cannot lead out of the folder.
        """
        if not is_slug(slug):
            raise InvalidInput(f"{slug!r} is no page name.", hint="Use 1 to 40 of a-z, 0-9 and hyphen.")
        return self.folder / "pages" / f"{slug}.html"

    def read_page(self, slug: str) -> str | None:
        """The page's HTML, or None when there is no file."""
        return _read(self.page_path(slug))

    def write_page(self, slug: str, html: str) -> Path:
        """Write the page's file, and the shared files that it names, as they are in this version of the product."""
        for path, text in runtime_files(html).items():
            file = self.folder / FOLDER / path
            if _read(file) != text:
                write_whole(file, text.encode())
        return write_whole(self.page_path(slug), html.encode())

    def remove_page(self, slug: str) -> None:
        """Take the page's file away, if there is one."""
        self.page_path(slug).unlink(missing_ok=True)

    def read_design_system(self) -> str:
        """The shared style sheet; empty as long as there is none."""
        return _read(self.folder / DESIGN_SYSTEM) or ""

    def write_design_system(self, css: str) -> Path:
        """Write the shared style sheet."""
        return write_whole(self.folder / DESIGN_SYSTEM, css.encode())

    def write_promises(self, promises: Sequence[Mapping[str, Any]]) -> Path:
        """Write the record of promises for people to read."""
        text = json.dumps(promises, ensure_ascii=False, indent=1) + "\n"
        return write_whole(self.folder / PROMISES, text.encode())

    def read_promises(self) -> list[dict[str, Any]]:
        """The record as it was last written; empty when it is not there or somebody has made something else of it."""
        try:
            found = json.loads(_read(self.folder / PROMISES) or "[]")
        except (ValueError, RecursionError):
            return []
        return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []

    def page_files(self) -> list[PageFile]:
        """The pages on disk by name; files that are no page are left out."""
        found = []
        for path in sorted((self.folder / "pages").glob("*.html")):
            if is_slug(path.stem) and path.is_file():
                status = path.stat()
                found.append(PageFile(path.stem, status.st_size, datetime.fromtimestamp(status.st_mtime, UTC)))
        return found

    def upload(self, name: str) -> Path | None:
        """The file of `uploads/NAME`, or None when there is none or the name leads elsewhere."""
        if len(name) > MAX_NAME or "\0" in name:
            return None
        uploads = (self.folder / "uploads").resolve()
        path = (self.folder / name).resolve()
        return path if path.is_relative_to(uploads) and path.is_file() else None


def _read(path: Path) -> str | None:
    try:
        return path.read_bytes().decode("utf-8", errors="replace")
    except FileNotFoundError:
        return None
