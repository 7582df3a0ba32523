"""A scanner over HTML source that remembers where everything stands.

A DOM parser answers *what* a page contains; repairing a page without disturbing it needs to know *where*.  This scanner
follows the tokenisation of the HTML standard (section 13.2.5) closely enough for that: comments, quoted attributes and
raw-text elements (script, style, title, ...) never yield false tags.
"""

import html as html_entities
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

RAW_TEXT_ELEMENTS = frozenset({"script", "style", "title", "textarea", "xmp", "iframe", "noembed", "noframes"})
FOREIGN_ROOTS = frozenset({"svg", "math"})

_TAG_NAME = re.compile(r"[a-zA-Z][^ \t\n\f\r/>]*")
_ATTRIBUTE = re.compile(
    r"[ \t\n\f\r/]*(?P<name>[^ \t\n\f\r/>][^ \t\n\f\r/>=]*)"
    r"(?:[ \t\n\f\r]*=[ \t\n\f\r]*"
    r"(?:\"(?P<double>[^\"]*)\"|'(?P<single>[^']*)'|(?P<bare>[^ \t\n\f\r>\"'][^ \t\n\f\r>]*)))?"
)
_OPEN_QUOTE = re.compile(r"[ \t\n\f\r]*=[ \t\n\f\r]*[\"']")
_BLANKS_AND_SLASHES = re.compile(r"[ \t\n\f\r/]*")

TokenKind = Literal["doctype", "comment", "start", "end", "text", "unfinished"]


@dataclass(frozen=True, slots=True)
class Attribute:
    """One attribute of a tag: its lower-case name, its decoded value and where both stand in the source."""

    name: str
    value: str
    start: int
    end: int
    value_start: int
    value_end: int
    """Span of the raw value without its quotes; empty at `end` when the attribute has no value."""
    quote: str
    """The quote character around the value, or an empty string."""


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of the source, `html[start:end]`."""

    kind: TokenKind
    start: int
    end: int
    name: str = ""
    """Lower-case tag name of `start` and `end` tokens; of `text`, the raw-text element it is the content of."""
    attributes: tuple[Attribute, ...] = ()

    def attribute(self, name: str) -> Attribute | None:
        """The first attribute called `name` (duplicates are ignored, as browsers do)."""
        return next((attribute for attribute in self.attributes if attribute.name == name), None)

    def value(self, name: str) -> str | None:
        """The decoded value of an attribute, or None when the tag does not carry it."""
        attribute = self.attribute(name)
        return None if attribute is None else attribute.value


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace `html[start:end]` by `text`; an insertion has `start == end`."""

    start: int
    end: int
    text: str


def apply_edits(source: str, edits: Sequence[Edit]) -> str:
    """Apply non-overlapping edits; insertions at one place keep their order."""
    pieces: list[str] = []
    position = 0
    for edit in sorted(edits, key=lambda edit: edit.start):
        pieces += (source[position : edit.start], edit.text)
        position = edit.end
    pieces.append(source[position:])
    return "".join(pieces)


def scan(html: str) -> Iterator[Token]:
    """Yield the tokens of a page in source order; together they cover every character.

    Markup that never ends (an open comment, a tag cut off by the end of the text) is yielded last, as `unfinished`:
    browsers show nothing of it, and whatever is appended to the page would become part of it.
    """
    position, text_start, foreign_depth = 0, 0, 0
    length = len(html)
    while position < length:
        position = html.find("<", position)
        if position < 0:
            break
        token = _read_markup(html, position)
        if token is None:
            position += 1
            continue
        if text_start < position:
            yield Token("text", text_start, position)
        yield token
        position = text_start = token.end
        if token.kind == "end" and token.name in FOREIGN_ROOTS:
            foreign_depth = max(0, foreign_depth - 1)
        if token.kind != "start":
            continue
        if token.name in FOREIGN_ROOTS and not _is_self_closing(html, token):
            foreign_depth += 1
        if token.name in RAW_TEXT_ELEMENTS and not (foreign_depth and _is_self_closing(html, token)):
            position = text_start = _end_of_raw_text(html, token.name, token.end)
            if position > token.end:
                yield Token("text", token.end, position, token.name)
    if text_start < length:
        yield Token("text", text_start, length)


def _is_self_closing(html: str, token: Token) -> bool:
    """Whether a tag is written `<name ... />`; only SVG and MathML give that a meaning."""
    return html[token.start : token.end].endswith("/>")


def _read_markup(html: str, start: int) -> Token | None:
    """The token that begins with the `<` at `start`; None when that `<` is plain text."""
    following = html[start + 1 : start + 2]
    if following == "!":
        return _read_declaration(html, start)
    if following == "?":
        return _closed_by(html, start, "comment", ">")
    if following == "/":
        if _TAG_NAME.match(html, start + 2):
            return _read_tag(html, start, start + 2, "end")
        # `</>` and `</ ...>` are bogus comments.
        return _closed_by(html, start, "comment", ">") if len(html) > start + 2 else None
    return _read_tag(html, start, start + 1, "start") if _TAG_NAME.match(html, start + 1) else None


def _read_declaration(html: str, start: int) -> Token:
    if html.startswith(("<!-->", "<!--->"), start):
        return Token("comment", start, html.index(">", start) + 1)
    if html.startswith("<!--", start):
        return _closed_by(html, start, "comment", "--!?>")
    kind: TokenKind = "doctype" if html[start + 2 : start + 9].lower() == "doctype" else "comment"
    return _closed_by(html, start, kind, ">")


def _closed_by(html: str, start: int, kind: TokenKind, closing: str) -> Token:
    """A piece of markup up to the first match of the pattern `closing`, or unfinished without one."""
    match = re.compile(closing).search(html, start + 4 if closing != ">" else start)
    return Token(kind, start, match.end()) if match else Token("unfinished", start, len(html))


def _read_tag(html: str, start: int, name_start: int, kind: TokenKind) -> Token:
    position = _end_of(_TAG_NAME, html, name_start)
    name = html[name_start:position].lower()
    attributes: list[Attribute] = []
    while match := _ATTRIBUTE.match(html, position):
        attributes.append(_attribute(match))
        position = match.end()
        if match.lastgroup == "name" and _OPEN_QUOTE.match(html, position):
            return Token("unfinished", start, len(html))  # an open quote swallows the rest of the page
    position = _end_of(_BLANKS_AND_SLASHES, html, position)
    if not html.startswith(">", position):
        return Token("unfinished", start, len(html))
    return Token(kind, start, position + 1, name, tuple(attributes))


def _end_of(pattern: re.Pattern[str], html: str, position: int) -> int:
    """Where a match of `pattern` at `position` ends; `position` itself when there is none."""
    match = pattern.match(html, position)
    return match.end() if match else position


def _attribute(match: re.Match[str]) -> Attribute:
    group = match.lastgroup or "name"
    start, end = match.span("name")
    if group == "name":
        return Attribute(match["name"].lower(), "", start, end, end, end, "")
    quote = {"double": '"', "single": "'"}.get(group, "")
    value = html_entities.unescape(match[group])
    return Attribute(match["name"].lower(), value, start, match.end(), *match.span(group), quote)


def _end_of_raw_text(html: str, name: str, start: int) -> int:
    """Where the text of a raw-text element ends: at its own end tag, or at the end of the page."""
    match = re.compile(rf"</{name}(?=[ \t\n\f\r/>])", re.IGNORECASE).search(html, start)
    return match.start() if match else len(html)


# Where the head and the body of a page stand in its source.

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


# Taking the HTML document out of a model's answer.

DOCUMENT_START = re.compile(r"<!doctype\s+html|<html(?=[\s>])", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ExtractedHtml:
    """The HTML document found in a model's answer."""

    status: Literal["complete", "truncated", "absent"]
    """`truncated`: a document begins and its `</html>` never comes, so the answer was cut off."""
    html: str | None = None
    """The document; only a complete one is given."""


def extract_html(model_text: str) -> ExtractedHtml:
    """Take one whole HTML document out of a model's answer.

    Chatter before and after, code fences (closed or not) and a leading block of thoughts are left behind.  When the
    answer holds several whole documents, the longest is taken.
    """
    answer = model_text.rpartition("</think>")[2]
    starts = [match.start() for match in DOCUMENT_START.finditer(answer)]
    documents = []
    for position, start in enumerate(starts):
        following = starts[position + 1 :]
        document = _document_at(answer, start)
        if document is not None and not _holds_a_second_document(document, start, following, answer):
            documents.append(document)
    if documents:
        return ExtractedHtml("complete", max(documents, key=len))
    return ExtractedHtml("truncated" if starts else "absent")


def _document_at(answer: str, start: int) -> str | None:
    """The document from `start` to the `</html>` that is markup, not part of a script or comment."""
    rest = answer[start:]
    for token in scan(rest):
        if token.kind == "end" and token.name == "html":
            return rest[: token.end]
    return None


def _holds_a_second_document(document: str, start: int, following: list[int], answer: str) -> bool:
    """Whether another document begins inside: the first start was then only mentioned in the chatter."""
    inside = [answer[later : later + 5].lower() for later in following if later < start + len(document)]
    own_html_tag = 1 if document[:9].lower() == "<!doctype" else 0
    return "<!doc" in inside or inside.count("<html") > own_html_tag
