"""Whether a quote stands verbatim on a page, whatever line breaks and hyphenation have done to it.

Spaces, hyphens inside words, the shapes of quotation marks and dashes, ligatures and invisible characters are put aside
on both sides; letters, their case, digits, signs and punctuation must be the same and in the same order.
"""

import unicodedata

SOFT = frozenset("\u00ad\u200b\u200c\u200d\u2060\ufeff\ufffe\x02")
"""Invisible characters and soft hyphens. PDFium gives a hyphen at a line's end as U+FFFE, or as U+0002 by character."""
DASHES = frozenset("-\u2010\u2011\u2012\u2013\u2014\u2015\u2212")
SHAPES = str.maketrans(dict.fromkeys("„“”‟«»″", '"') | dict.fromkeys("‚‘’‛‹›′`´", "'"))


def stands_on_page(quote: str, page_text: str) -> bool:
    """Whether the quote stands on the page, from the beginning of a word to the end of one."""
    return find_on_page(quote, page_text) is not None


def find_on_page(quote: str, page_text: str) -> tuple[int, int] | None:
    """Where the quote stands first: `page_text[start:end]`, or None.

    A quote without a letter or digit stands nowhere, for it would stand everywhere.
    """
    sought, _ = _squeezed(quote)
    if not any(character.isalnum() for character in sought):
        return None
    text, places = _squeezed(page_text)
    at = text.find(sought)
    while at >= 0:
        start, end = places[at], places[at + len(sought) - 1] + 1
        if not (_joined(page_text, start - 1, start) or _joined(page_text, end - 1, end)):
            return start, end
        at = text.find(sought, at + 1)
    return None


def _squeezed(text: str) -> tuple[str, list[int]]:
    """The characters that count, and where each stands in the text."""
    kept: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        if character.isspace() or character in SOFT:
            continue
        if character in DASHES:
            if place and text[place - 1].isalpha():
                continue  # it joins or parts a word; a free one is a dash or a sign
            character = "-"
        for plain in unicodedata.normalize("NFKC", character.translate(SHAPES)):
            if not plain.isspace():
                kept.append(plain)
                places.append(place)
    return "".join(kept), places


def _joined(text: str, left: int, right: int) -> bool:
    """Whether two neighbouring characters belong to one word, so that a quote may not begin or end between them."""
    while left >= 0 and text[left] in SOFT:
        left -= 1
    while right < len(text) and text[right] in SOFT:
        right += 1
    return left >= 0 and right < len(text) and text[left].isalnum() and text[right].isalnum()
