"""What the documents point at is there."""

import re
from pathlib import Path

import pytest

from tests.shape.source import PACKAGE, ROOT, repository_files, shown

LINK = re.compile(r"\]\((?!https?://|#)([^)#\s]+)[^)]*\)")
NAMED = re.compile(r"`([\w/.-]+/[\w.-]*\.(?:py|md|toml|css|js))`")
DOCUMENTS = [path for path in repository_files() if path.suffix == ".md" and PACKAGE not in path.parents]


def dead_ends(text: str, page: Path) -> list[str]:
    """The links and pictures that lead nowhere, and the files named in backquotes that neither root nor package has.

    A path with a word in capitals, such as `agents/NAME/spec.py`, stands for many.
    """
    links = [target for target in LINK.findall(text) if not (page.parent / target).exists()]
    names = [name for name in NAMED.findall(text) if not re.search(r"\b[A-Z]{2,}\b(?!\.md)", name)]
    return links + [name for name in names if not (ROOT / name).exists() and not (PACKAGE / name).exists()]


@pytest.mark.parametrize("page", DOCUMENTS, ids=shown)
def test_documents_lead_somewhere(page: Path) -> None:
    """Whoever follows a document arrives."""
    assert dead_ends(page.read_text(encoding="utf-8"), page) == []


def test_the_rule_itself() -> None:
    """A missing picture, link and file are seen; addresses, places within a page and patterns are left alone."""
    page = ROOT / "README.md"
    assert dead_ends("![x](a.png) [y](b.md#z) `kernel/gone.py`", page) == ["a.png", "b.md", "kernel/gone.py"]
    assert dead_ends("[z](https://example.com) [here](#top) `kernel/loop.py` `agents/NAME/spec.py`", page) == []
