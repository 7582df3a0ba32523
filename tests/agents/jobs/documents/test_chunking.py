"""Chunks are exact slices of the full text, nothing is lost between them, and pages can be had again."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.agents.jobs.documents.document import (
    Block,
    BlockKind,
    Document,
    Strategy,
    chunks_of,
    full_text,
    page_of,
)
from loopwright.kernel.errors import InvalidInput
from tests.agents.jobs.documents.makers import pages_in

WORDS = st.lists(st.text("abcÄ.,;1-", min_size=1, max_size=9), min_size=1, max_size=60).map(" ".join)
KINDS: st.SearchStrategy[BlockKind] = st.sampled_from(["heading", "paragraph", "paragraph", "item"])


@st.composite
def documents(draw: st.DrawFn) -> Document:
    """Documents of up to four pages, some without blocks."""
    numbers = iter(range(1, 1_000))
    pages = []
    for number in range(1, draw(st.integers(1, 4)) + 1):
        blocks = []
        for kind in draw(st.lists(KINDS, max_size=6)):
            numbered = kind == "paragraph" and draw(st.booleans())
            marker = "•" if kind == "item" else str(next(numbers)) if numbered else ""
            level = draw(st.integers(1, 6)) if kind == "heading" else 0
            blocks.append(Block(kind, draw(st.sampled_from(["", "# ", "\\# "])) + draw(WORDS), level, marker))
        pages.append(page_of(number, blocks))
    return Document("pdf", "A", tuple(pages))


@given(document=documents())
@settings(max_examples=60)
def test_pages_can_be_had_again(document: Document) -> None:
    """Marks of pages and headings are taken off, words that look like them stay."""
    whole = full_text(document)
    assert [*pages_in(whole.text)] == [(page.number, page.text) for page in document.pages]
    for passage in whole.passages:
        assert whole.text[passage.start : passage.end].endswith(passage.block.text)


@given(
    document=documents(),
    strategy=st.sampled_from(["legal", "technical", "general"]),
    most=st.integers(100, 400),
    share=st.floats(0, 0.9),
)
@settings(max_examples=60)
def test_chunks_are_exact_and_complete(document: Document, strategy: Strategy, most: int, share: float) -> None:
    """Each fits, is a slice, goes on where it should; every character of every block is in one."""
    overlap = int(most * share)
    whole = full_text(document)
    chunks = chunks_of(document, strategy, most, overlap)
    covered: set[int] = set()
    for before, chunk in zip((None, *chunks), chunks, strict=False):
        assert chunk.text == whole.text[chunk.start : chunk.end]
        assert 0 < len(chunk.text) <= most
        assert chunk.page_start <= chunk.page_end
        if before is not None:
            assert before.start < chunk.start
            assert before.end < chunk.end
            assert before.end - chunk.start <= overlap
        covered |= set(range(chunk.start, chunk.end))
    for passage in whole.passages:
        missing = set(range(passage.start, passage.end)) - covered
        assert all(whole.text[place].isspace() for place in missing)


def test_legal_chunks_begin_with_numbers_and_technical_ones_with_headings() -> None:
    """A heading stays with what follows it."""
    blocks = [
        Block("heading", "1. Storage", 1),
        Block("paragraph", "Records must be kept.", 0, "1"),
        Block("paragraph", "Records may be moved.", 0, "2"),
        Block("item", "to disks", 1, "•"),
        Block("heading", "2. Access", 1),
        Block("paragraph", "Access must be logged.", 0, "3"),
    ]
    document = Document("pdf", "A", (page_of(1, blocks),))

    def cut(strategy: Strategy) -> list[tuple[str, str]]:
        return [(chunk.section, chunk.text.replace("\n", "/")) for chunk in chunks_of(document, strategy, 200, 40)]

    assert cut("legal") == [
        ("1. Storage", "# 1. Storage/1 Records must be kept."),
        ("1. Storage", "2 Records may be moved./• to disks"),
        ("2. Access", "# 2. Access/3 Access must be logged."),
    ]
    assert [text for _, text in cut("technical")] == [
        "# 1. Storage/1 Records must be kept./2 Records may be moved./• to disks",
        "# 2. Access/3 Access must be logged.",
    ]


def test_an_overlap_as_large_as_the_chunk_is_refused() -> None:
    """It would never go on."""
    with pytest.raises(InvalidInput, match="does not fit"):
        chunks_of(Document("text", "A", (page_of(1, [Block("paragraph", "a")]),)), "general", 200, 200)
