"""Finding a quote in a document: on the page named, or on which page it stands, or what comes nearest to it."""

import re
from collections import Counter
from dataclasses import dataclass

from loopwright.agents.jobs.documents import Document, Page, find_on_page

MIN_SIGNIFICANT = 10
"""Letters and digits of a quote; less stands by chance in many places."""
CONTEXT = 200
MAX_HEADING = 120
NEAR = 0.6
"""The share of a quote's words that a passage needs to be shown as its near miss."""

_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True)
class Found:
    """A quote in its document, spelled as it stands there; `page` is None in documents without pages."""

    quote: str
    context: str
    page: int | None
    locator: str


@dataclass(frozen=True)
class Missing:
    """Why a quote cannot be cited: `reason` is ours, `nearest` the document's own text where it comes near."""

    reason: str
    hint: str
    nearest: str = ""
    nearest_page: int | None = None


def find_quote(document: Document, quote: str, page: int | None) -> Found | Missing:
    """Find the quote.

    Args:
        document: as read.
        quote: a verbatim passage; the layout does not matter, each letter does.
        page: where it should stand, from 1; None looks on every page.
    """
    if sum(character.isalnum() for character in quote) < MIN_SIGNIFICANT:
        return Missing(f"the quote has fewer than {MIN_SIGNIFICANT} letters and digits", "Quote a whole statement.")
    paged = document.kind == "pdf"
    if paged and page is not None and document.page(page) is None:
        return Missing(f"there is no page {page}", f"The document has {len(document.pages)} pages, counted from 1.")
    named = document.page(page) if paged and page is not None else None
    for candidate in [named] if named else document.pages:
        place = find_on_page(quote, candidate.text)
        if place is not None:
            return _found(document, candidate, place, paged)
    elsewhere = [p.number for p in document.pages if p is not named and find_on_page(quote, p.text)] if named else []
    if elsewhere:
        pages = ", ".join(map(str, elsewhere[:5]))
        return Missing(f"the quote does not stand on page {page}; it stands on page {pages}", "Name that page.")
    return _missing(document, quote, paged)


def _found(document: Document, page: Page, place: tuple[int, int], paged: bool) -> Found:
    start, end = place
    heading = _heading_before(document, page, start)
    parts = [f"p. {page.number}"] if paged else []
    return Found(
        quote=page.text[start:end],
        context=page.text[max(0, start - CONTEXT) : end + CONTEXT],
        page=page.number if paged else None,
        locator=", ".join([*parts, *([heading] if heading else [])]),
    )


def _heading_before(document: Document, page: Page, start: int) -> str:
    """The heading under which the place stands."""
    own = [block for block in page.headings if block.start <= start]
    earlier = (p.headings[-1] for p in reversed(document.pages[: page.number - 1]) if p.headings)
    heading = own[-1] if own else next(earlier, None)
    return heading.line[:MAX_HEADING] if heading else ""


def _missing(document: Document, quote: str, paged: bool) -> Missing:
    if re.search(r"…|\.\.\.|\[\s*\.*\s*\]", quote):
        return Missing("the quote has a gap (… or [])", "Cite the parts one by one, each as it stands.")
    for first, second in zip(document.pages, document.pages[1:], strict=False):
        if find_on_page(quote, f"{first.text}\n{second.text}"):
            pages = f"pages {first.number} and {second.number}"
            return Missing(f"the quote runs over {pages}", "Cite the part on each page.")
    page, nearest = _nearest(document, quote)
    if page is None:
        return Missing("the quote does not stand in the document", "Quote what it says, letter by letter.")
    where = f" on page {page.number}" if paged else ""
    return Missing(
        "the quote does not stand in the document word for word",
        f"The nearest passage{where} is shown below; cite it if it says what you mean.",
        nearest,
        page.number if paged else None,
    )


def _nearest(document: Document, quote: str) -> tuple[Page | None, str]:
    """The passage of the quote's length that shares most words with it, if it shares enough."""
    wanted = Counter(_WORD.findall(quote.casefold()))
    size = wanted.total()
    best, best_page, best_place = NEAR * size, None, (0, 0)
    for page in document.pages:
        words = [(match.group().casefold(), match.start(), match.end()) for match in _WORD.finditer(page.text)]
        window: Counter[str] = Counter()
        shared = 0
        for last, (word, _, end) in enumerate(words):
            window[word] += 1
            shared += window[word] <= wanted[word]
            first = max(0, last - size + 1)
            if last >= size:
                gone = words[last - size][0]
                shared -= window[gone] <= wanted[gone]
                window[gone] -= 1
            if shared > best:
                best, best_page, best_place = shared, page, (words[first][1], end)
    return best_page, best_page.text[slice(*best_place)] if best_page else ""
