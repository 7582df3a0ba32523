"""One line about each page, made of the page itself: it is true after every edit."""

from functools import lru_cache

MAX_LENGTH = 200
_CONTROLS = (("form", "form"), ("input, select, textarea", "field"), ("button", "button"), ("img, svg", "picture"))


@lru_cache(maxsize=64)
def summarise_page(html: str) -> str:
    """The headings of a page and what it is made of: `Our menu; Coffee; Pastries · 2 fields, 12 buttons`."""
    from selectolax.lexbor import LexborHTMLParser

    document = LexborHTMLParser(html)
    headings = [" ".join(node.text(separator=" ").split()) for node in document.css("h1, h2")]
    parts = ["; ".join(dict.fromkeys(text for text in headings if text)) or "no headings"]
    counts = [(len(document.css(selector)), name) for selector, name in _CONTROLS]
    made_of = ", ".join(f"{count} {name}{'s' if count > 1 else ''}" for count, name in counts if count)
    text = " · ".join([*parts, *([made_of] if made_of else [])])
    return text if len(text) <= MAX_LENGTH else text[: MAX_LENGTH - 1] + "…"
