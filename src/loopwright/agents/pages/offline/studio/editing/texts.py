"""Edits of words: the title, and anything that is quoted or named."""

import html as entities
import re

from loopwright.agents.pages.offline.studio.editing.source import Source
from loopwright.agents.pages.offline.studio.editing.wish import Change

_QUOTES = "\"“”'‘’«»"
_NEW = rf"[{_QUOTES}]?(?P<new>[^{_QUOTES}\n]+?)[{_QUOTES}]?\s*[.!]?\s*$"
_TITLE = re.compile(
    rf"\b(?:app\s+)?(?P<what>titles?|headings?|headlines?|h1)\b(?:\s+text)?(?P<old>.*?)\b(?:to|into|say|says|read|reads|as)\b\s*:?\s*{_NEW}",
    re.IGNORECASE | re.DOTALL,
)
_RENAME = re.compile(
    rf"\b(?:rename|change|replace|turn|relabel)\b.*?[{_QUOTES}](?P<old>[^{_QUOTES}\n]+)[{_QUOTES}].*?"
    rf"\b(?:to|into|with|by|as|say)\b\s*:?\s*{_NEW}",
    re.IGNORECASE | re.DOTALL,
)
_RENAME_BARE = re.compile(
    r"\b(?:rename|replace|relabel)\s+(?:the\s+)?(?P<old>[^\n]+?)(?:\s+(?:button|link|tab|label|heading|section))?\s+"
    rf"(?:to|into|with|by|as)\s+{_NEW}",
    re.IGNORECASE,
)


def reword(html: str, text: str) -> Change | None:
    """The wish for other words, carried out; None when the text is no such wish."""
    for pattern in (_RENAME, _RENAME_BARE):
        match = pattern.search(text)
        if match is not None:
            return _replace(html, match["old"].strip(), match["new"].strip())
    title = _TITLE.search(text)
    if title is None:
        return None
    named = _replace(html, title["old"].strip(" ,:"), title["new"].strip()) if title["old"].strip(" ,:") else None
    return named if named is not None and named.html != html else _retitle(html, title["new"].strip())


def _retitle(html: str, new: str) -> Change:
    source = Source(html)
    heading = source.first("h1")
    if heading is None:
        return Change(html, "this page has no main heading")
    written = entities.escape(new, quote=False)
    edits = [(heading.tag.end, heading.content_end, written)]
    name = source.first("title")
    if name is not None:
        edits.append((name.tag.end, name.content_end, written))
    return Change(source.replaced(*edits), f"the title is “{new}” now")


def _labels(source: Source, old: str, new: str) -> list[tuple[int, int, str]]:
    """Names that stand in attributes: what a button without words is called, what an empty field shows."""
    found = (element.tag.attribute(name) for element in source.elements for name in ("aria-label", "placeholder"))
    quoted = new.replace('"', "&quot;")
    return [(a.value_start, a.value_end, quoted) for a in found if a and a.value.strip().lower() == old.lower()]


def _replace(html: str, old: str, new: str) -> Change:
    """Exact texts first, then texts that contain the old words; markup, scripts and styles are never touched."""
    source = Source(html)
    wanted, written = entities.escape(old, quote=False), entities.escape(new, quote=False)
    texts = [t for t in source.tokens if t.kind == "text" and t.name in ("", "title")]
    for exact in (True, False):
        edits = []
        for token in texts:
            piece = html[token.start : token.end]
            bare = piece.strip()
            if exact and bare.lower() == wanted.lower():
                at = token.start + piece.index(bare)
                edits.append((at, at + len(bare), written))
            elif not exact and (found := re.search(rf"(?<!\w){re.escape(wanted)}(?!\w)", piece, re.IGNORECASE)):
                edits.append((token.start + found.start(), token.start + found.end(), written))
        edits += _labels(source, wanted, written) if exact else []
        if edits:
            times = "" if len(edits) == 1 else f" ({len(edits)} times)"
            return Change(source.replaced(*edits), f"“{old}” reads “{new}” now{times}")
    return Change(html, f"“{old}” does not stand on this page")
