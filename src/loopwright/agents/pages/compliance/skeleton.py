"""Where the head and the body of a page stand in its source.

The HTML standard lets authors leave out `<html>`, `<head>` and `<body>`; models do so often.  The skeleton finds the
places where those tags are, or where a browser would imply them.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from loopwright.agents.pages.compliance.markup import Token, scan

HEAD_ELEMENTS = frozenset({"base", "link", "meta", "noscript", "script", "style", "template", "title"})


@dataclass(slots=True)
class Skeleton:
    """Offsets and tags of the outer structure; None marks what the source leaves out."""

    source: str
    doctype: Token | None = None
    html: Token | None = None
    head: Token | None = None
    head_close: Token | None = None
    body: Token | None = None
    body_close: Token | None = None
    html_close: Token | None = None
    head_start: int = 0
    """Where the content of the head begins, whether or not `<head>` is written."""
    head_end: int = 0
    """Where the content of the head ends: at `</head>`, or where a browser would close it."""
    head_tags: list[Token] = field(default_factory=list)
    """Start tags of the elements in the head."""
    title_text: str = ""
    title: Token | None = None
    body_tags: list[Token] = field(default_factory=list)
    """Start tags of the elements in the body."""
    end: int = 0
    """Where something can be appended: the end of the source, or the start of unfinished markup there."""

    def head_values(self, name: str, attribute: str) -> list[str]:
        """The decoded values of one attribute over all head elements of one name, where present."""
        values = (token.value(attribute) for token in self.head_tags if token.name == name)
        return [value for value in values if value is not None]

    def meta(self, name: str) -> Token | None:
        """The first `<meta name=...>` of the given name in the head."""
        matching = (token for token in self.head_tags if (token.value("name") or "").strip().lower() == name)
        return next((token for token in matching if token.name == "meta"), None)

    def stylesheets(self) -> list[Token]:
        """The `<link rel=stylesheet>` tags, wherever they stand: browsers obey them in the body too."""
        links = (token for token in (*self.head_tags, *self.body_tags) if token.name == "link")
        return [token for token in links if "stylesheet" in (token.value("rel") or "").lower().split()]


def read_skeleton(html: str) -> Skeleton:
    """Find the outer structure of a page; total on any text."""
    skeleton = Skeleton(html)
    all_tokens = list(scan(html))
    is_cut_off = bool(all_tokens) and all_tokens[-1].kind == "unfinished"
    skeleton.end = all_tokens[-1].start if is_cut_off else len(html)
    tokens = iter(all_tokens)
    first_of_body = _read_head(skeleton, tokens)
    for token in _with_first(first_of_body, tokens):
        if token.kind == "start" and token is not skeleton.body:
            skeleton.body_tags.append(token)
        elif token.kind == "end" and token.name == "body":
            skeleton.body_close = token
        elif token.kind == "end" and token.name == "html":
            skeleton.html_close = token
    return skeleton


def _with_first(first: Token | None, rest: Iterator[Token]) -> Iterator[Token]:
    if first is not None:
        yield first
    yield from rest


def _read_head(skeleton: Skeleton, tokens: Iterator[Token]) -> Token | None:
    """Consume tokens up to the first that belongs to the body, and return that one."""
    open_container = ""  # inside <noscript> or <template>, whatever comes is still head
    for token in tokens:
        if token.kind == "text" and token.name == "title" and skeleton.title and token.start == skeleton.title.end:
            skeleton.title_text = skeleton.source[token.start : token.end]
        if open_container:
            open_container = "" if token.kind == "end" and token.name == open_container else open_container
            continue
        if token.kind == "start" and token.name in HEAD_ELEMENTS:
            skeleton.head_tags.append(token)
            if token.name == "title" and skeleton.title is None:
                skeleton.title = token
            open_container = token.name if token.name in ("noscript", "template") else ""
            continue
        if not _read_structure(skeleton, token):
            if skeleton.head_close is None:
                skeleton.head_end = token.start
            return token
    if skeleton.head_close is None:
        skeleton.head_end = skeleton.end
    return None


def _read_structure(skeleton: Skeleton, token: Token) -> bool:
    """Note a token of the outer structure; False when it opens the body."""
    if token.kind in ("comment", "unfinished"):
        return True
    if token.kind == "text":
        blank = not skeleton.source[token.start : token.end].strip(" \t\n\f\r\ufeff")
        return blank or token.name in HEAD_ELEMENTS
    if token.kind == "doctype":
        if skeleton.doctype is None and skeleton.html is None and not skeleton.head_tags:
            skeleton.doctype = token
            skeleton.head_start = token.end
        return True
    if token.kind == "end":
        return _read_head_end(skeleton, token)
    if token.name == "html" and skeleton.html is None:
        skeleton.html, skeleton.head_start = token, token.end
        return True
    if token.name == "head" and skeleton.head is None and skeleton.head_close is None:
        skeleton.head, skeleton.head_start = token, token.end
        return True
    if token.name == "body":
        skeleton.body = token
    return False


def _read_head_end(skeleton: Skeleton, token: Token) -> bool:
    """Note an end tag before the body: browsers ignore strays, but they belong with what follows them."""
    if token.name == "head":
        if skeleton.head_close is None:
            skeleton.head_close, skeleton.head_end = token, token.start
        return True
    return token.name in HEAD_ELEMENTS
