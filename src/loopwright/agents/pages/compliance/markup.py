"""A scanner over HTML source that remembers where everything stands.

A DOM parser answers *what* a page contains; repairing a page without disturbing it needs to know *where*.  This scanner
follows the tokenisation of the HTML standard (section 13.2.5) closely enough for that: comments, quoted attributes and
raw-text elements (script, style, title, ...) never yield false tags.
"""

import html as html_entities
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
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
