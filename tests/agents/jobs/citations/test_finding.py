"""A quote is found where it stands, and otherwise one is told where it does, or what comes nearest."""

import pytest

from loopwright.agents.jobs.citations import Found, Missing, find_quote
from loopwright.agents.jobs.documents import Block, Document
from loopwright.agents.jobs.documents.document import page_of

FIRST = page_of(
    1,
    [
        Block("heading", "Storing records", level=1, marker="1"),
        Block("paragraph", "Every record shall be stored for ten years, without any change."),
        Block("paragraph", "A record that was changed must show who changed it, and when it was"),
    ],
)
SECOND = page_of(
    2,
    [
        Block("paragraph", "changed for the last time. The „original“ content shall stay."),
        Block("heading", "Deleting records", level=1, marker="2"),
        Block("paragraph", "Every record shall be stored for ten years, without any change."),
        Block("paragraph", "Records are deleted after twelve years by a process of its own."),
    ],
)
PDF = Document("pdf", "Rules", (FIRST, SECOND))


def found(document: Document, quote: str, page: int | None = None) -> Found:
    result = find_quote(document, quote, page)
    assert isinstance(result, Found), result
    return result


def missing(document: Document, quote: str, page: int | None = None) -> Missing:
    result = find_quote(document, quote, page)
    assert isinstance(result, Missing), result
    return result


def test_on_the_page_that_is_named() -> None:
    here = found(PDF, "Every record shall be stored\nfor ten years", 2)
    assert (here.quote, here.page) == ("Every record shall be stored for ten years", 2)
    assert here.locator == "p. 2, 2 Deleting records"
    assert "Deleting records" in here.context


def test_on_the_first_page_that_has_it_where_none_is_named() -> None:
    assert found(PDF, "Every record shall be stored for ten years").locator == "p. 1, 1 Storing records"
    assert found(PDF, 'The "original" content shall stay').locator == "p. 2, 1 Storing records"


def test_on_another_page_than_the_one_named() -> None:
    wrong = missing(PDF, "deleted after twelve years", 1)
    assert wrong.reason == "the quote does not stand on page 1; it stands on page 2"


def test_documents_without_pages_have_none() -> None:
    text = Document("html", "Rules", (FIRST,))
    here = found(text, "stored for ten years", 7)
    assert (here.page, here.locator) == (None, "1 Storing records")


@pytest.mark.parametrize(
    ("quote", "page", "reason"),
    [
        ("a record", 1, "fewer than 10"),
        ("„—“ … !!! ??? ... ---", None, "fewer than 10"),
        ("stored for ten years", 3, "there is no page 3"),
        ("Every record … without any change", 1, "has a gap"),
        ("Every record [...] without any change", 1, "has a gap"),
        ("when it was changed for the last time", None, "runs over pages 1 and 2"),
        ("nothing of this kind was ever written here", None, "does not stand in the document"),
    ],
)
def test_what_cannot_be_cited(quote: str, page: int | None, reason: str) -> None:
    wrong = missing(PDF, quote, page)
    assert reason in wrong.reason
    assert wrong.hint


def test_a_near_miss_is_shown_as_it_stands() -> None:
    wrong = missing(PDF, "Records are removed after twelve years by a process of their own", 1)
    assert wrong.nearest == "Records are deleted after twelve years by a process of its own"
    assert wrong.nearest_page == 2


@pytest.mark.parametrize("change", [("ten", "two"), ("shall", "should"), ("stored", "Stored")])
def test_each_letter_counts(change: tuple[str, str]) -> None:
    assert missing(PDF, "Every record shall be stored for ten years".replace(*change)).nearest
