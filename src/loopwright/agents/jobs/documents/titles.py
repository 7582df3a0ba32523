"""What a document is called."""

from collections.abc import Iterable
from pathlib import PurePosixPath

from loopwright.agents.jobs.documents.document import Page

MAX_TITLE = 200


def title_of(pages: Iterable[Page], name: str) -> str:
    """The first heading of the highest level, or the file's name without its suffix."""
    headings = [block for page in pages for block in page.headings]
    best = min(headings, key=lambda heading: heading.level, default=None)
    return shortened(best.text) if best is not None else PurePosixPath(name).stem


def shortened(title: str) -> str:
    """A title on one line, of reasonable length."""
    words = " ".join(title.split())
    return words if len(words) <= MAX_TITLE else words[: MAX_TITLE - 1] + "…"
