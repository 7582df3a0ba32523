"""One line about each page, made of the page itself: it is true after every edit."""

from functools import lru_cache

from selectolax.lexbor import LexborHTMLParser

MAX_LENGTH = 200
_CONTROLS = (("form", "form"), ("input, select, textarea", "field"), ("button", "button"), ("img, svg", "picture"))


@lru_cache(maxsize=64)
def summarise_page(html: str) -> str:
    """The headings of a page and what it is made of: `Our menu; Coffee; Pastries · 2 fields, 12 buttons`."""
    document = LexborHTMLParser(html)
    parts = ["; ".join(headings_of(document)) or "no headings", controls_of(document)]
    text = " · ".join(part for part in parts if part)
    return text if len(text) <= MAX_LENGTH else text[: MAX_LENGTH - 1] + "…"


def headings_of(document: LexborHTMLParser) -> tuple[str, ...]:
    """The texts of the main headings, each once."""
    headings = (" ".join(node.text(separator=" ").split()) for node in document.css("h1, h2"))
    return tuple(dict.fromkeys(text for text in headings if text))


def controls_of(document: LexborHTMLParser) -> str:
    """What a page is made of: `1 form, 2 fields, 12 buttons`."""
    counts = [(len(document.css(selector)), name) for selector, name in _CONTROLS]
    return ", ".join(f"{count} {name}{'s' if count > 1 else ''}" for count, name in counts if count)
