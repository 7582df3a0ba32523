"""CSS source with the place of every declaration, so that one can be replaced and all else stays byte for byte.

A parser answers *what* a sheet says; changing one value without disturbing the rest needs to know *where*. The scanner
follows CSS Syntax Level 3: comments, strings, escapes and brackets never yield false ends, and no text makes it fail.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from loopwright.agents.pages.compliance.markup import FOREIGN_ROOTS, Token, scan
from loopwright.agents.pages.runtime import runtime_file, runtime_path

_PIECE = re.compile(
    r"/\*.*?(?:\*/|\Z)"  # a comment, up to the end of the sheet where it is left open
    r"|\"(?:[^\"\\\n]|\\.)*\"?|'(?:[^'\\\n]|\\.)*'?"  # a string ends with its line at the latest
    r"|url\(\s*(?![\"'\s])[^\"'()\\\n]*\)"  # an unquoted address, where `//` and `;` mean nothing
    r"|\\.|[{}()\[\];:!]",
    re.DOTALL | re.IGNORECASE,
)
_CUSTOM_PROPERTY = re.compile(r"\s*--[^\s:;{}]*\s*:")
_NAME = re.compile(r"(?:/\*.*?\*/|\s)*(?P<name>\*?-{0,2}[^\s:;{}()\[\]!/\"']+)\s*(?:/\*.*?\*/\s*)*:", re.DOTALL)
_IMPORTANT = re.compile(r"\s*!\s*important\s*\Z", re.IGNORECASE)
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_OPENING = {"(": ")", "[": "]", "{": "}"}
MAXIMUM_DEPTH = 24
"""Blocks nested deeper than this are passed over, as the cascade does."""


@dataclass(frozen=True, slots=True)
class Block:
    """A rule: its prelude (selectors, or an at-keyword with its condition) and the place of its content."""

    prelude: str
    start: int
    """Where the prelude begins."""
    content_start: int
    """After the opening brace."""
    content_end: int
    """At the closing brace, or at the end of the sheet."""


@dataclass(frozen=True, slots=True)
class SourceDeclaration:
    """`name: value` and where it stands in the sheet; `blocks` are the rules around it, the outermost first."""

    name: str
    value: str
    """Trimmed, without `!important`."""
    important: bool
    start: int
    end: int
    """After the value and its `!important`, before the semicolon."""
    value_start: int
    value_end: int
    blocks: tuple[Block, ...]

    @property
    def selectors(self) -> str:
        """The selectors of the innermost style rule; empty for what stands in no style rule."""
        return next((block.prelude for block in reversed(self.blocks) if not block.prelude.startswith("@")), "")

    @property
    def conditions(self) -> tuple[str, ...]:
        """The preludes of the at-rules around it."""
        return tuple(block.prelude for block in self.blocks if block.prelude.startswith("@"))


@dataclass(frozen=True, slots=True)
class Statement:
    """An at-rule without a block, such as `@import`."""

    text: str
    start: int
    end: int
    """After its semicolon."""


@dataclass(frozen=True, slots=True)
class CssSource:
    """Everything of a sheet that has a place."""

    declarations: tuple[SourceDeclaration, ...]
    blocks: tuple[Block, ...]
    statements: tuple[Statement, ...]


@dataclass(slots=True)
class _Open:
    """A block whose end has not come yet."""

    prelude: str
    start: int
    content_start: int
    declarations: list[tuple[int, int]] = field(default_factory=list)


@lru_cache(maxsize=64)
def read_source(css: str) -> CssSource:
    """The declarations, blocks and statements of a sheet, or of the content of a `style` attribute."""
    return _Scanner(css).read()


class _Scanner:
    def __init__(self, css: str) -> None:
        self.css = css
        self.stack: list[_Open] = []
        self.found: list[tuple[tuple[int, int], tuple[_Open, ...]]] = []
        self.closed: dict[int, Block] = {}
        self.statements: list[Statement] = []
        self.start = 0
        """Where the statement in hand begins."""

    def read(self) -> CssSource:
        brackets: list[str] = []
        for match in _PIECE.finditer(self.css):
            piece = match[0]
            # An open bracket swallows everything up to its own end, braces and semicolons included.
            if brackets and piece == brackets[-1]:
                brackets.pop()
            elif piece in "([" or (piece == "{" and (brackets or self._in_custom_property(match.start()))):
                brackets.append(_OPENING[piece])
            elif not brackets and piece in "{};":
                self._end_statement(piece, match.start(), match.end())
        self._finish_statement(len(self.css))
        while self.stack:
            self._close(len(self.css))
        declarations = tuple(
            declaration for span, around in self.found if (declaration := self._declaration(span, around)) is not None
        )
        blocks = tuple(self.closed[start] for start in sorted(self.closed))
        return CssSource(declarations, blocks, tuple(self.statements))

    def _in_custom_property(self, position: int) -> bool:
        return bool(self.stack) and _CUSTOM_PROPERTY.match(_bare(self.css[self.start : position])) is not None

    def _end_statement(self, sign: str, start: int, end: int) -> None:
        if sign == "{":
            prelude = " ".join(_COMMENT.sub(" ", self.css[self.start : start]).split())
            self.stack.append(_Open(prelude, self._first_sign(self.start, start), end))
        else:
            self._finish_statement(start, end)
            if sign == "}" and self.stack:
                self._close(start)
        self.start = end

    def _finish_statement(self, end: int, after: int | None = None) -> None:
        text = _bare(self.css[self.start : end])
        if not text.strip():
            return
        if text.lstrip().startswith("@"):
            start = self._first_sign(self.start, end)
            self.statements.append(Statement(self.css[start:end].strip(), start, end if after is None else after))
        elif len(self.stack) <= MAXIMUM_DEPTH:
            self.found.append(((self.start, end), tuple(self.stack)))

    def _close(self, end: int) -> None:
        block = self.stack.pop()
        self.closed[block.content_start] = Block(block.prelude, block.start, block.content_start, end)

    def _first_sign(self, start: int, end: int) -> int:
        """Where the first character stands that is neither space nor comment."""
        position = start
        while position < end:
            comment = _COMMENT.match(self.css, position)
            if comment:
                position = comment.end()
            elif self.css[position].isspace():
                position += 1
            else:
                break
        return min(position, end)

    def _declaration(self, span: tuple[int, int], around: tuple[_Open, ...]) -> SourceDeclaration | None:
        start, end = span
        match = _NAME.match(self.css, start, end)
        if match is None:
            return None
        important = _IMPORTANT.search(self.css, match.end(), end)
        value_end = important.start() if important else end
        raw = _without_last_comment(self.css[match.end() : value_end])
        value_start = match.end() + len(raw) - len(raw.lstrip())
        value_end = match.end() + len(raw.rstrip())
        name = match["name"]
        return SourceDeclaration(
            name if name.startswith("--") else name.lower(),
            self.css[value_start:value_end],
            important is not None,
            match.start("name"),
            important.end() if important else max(value_start, value_end),
            value_start,
            max(value_start, value_end),
            tuple(self.closed[block.content_start] for block in around),
        )


def _without_last_comment(text: str) -> str:
    """A value without the comments after it, which are no part of what is replaced."""
    while text.rstrip().endswith("*/") and "/*" in text:
        text = text[: text.rindex("/*")]
    return text


def _bare(text: str) -> str:
    return _COMMENT.sub("", text) if "/*" in text else text


# The styles that a page brings itself, each with its place in the page's source.

_CLASS = re.compile(r"\.(-?[_a-zA-Z][\w-]*)")
_VARIABLE = re.compile(r"--[a-zA-Z_][\w-]*")
_SCRIPT_WORD = re.compile(r"[a-zA-Z_-][\w-]*")
_VOID_IN_SVG = "/>"


@dataclass(frozen=True, slots=True)
class PageDeclaration:
    """A declaration of a `<style>` block or a `style` attribute; `offset` leads from its places to the page's."""

    declaration: SourceDeclaration
    offset: int
    where: str
    """The selectors of its rule, or the element whose attribute it is."""
    inline: bool
    editable: bool
    """False where the attribute holds character references, so that places in it are not those of the source."""


@dataclass(frozen=True, slots=True)
class Carrier:
    """An element with classes; `is_shell` for the one that holds the whole page, whose classes name the page."""

    where: str
    classes: tuple[str, ...]
    is_shell: bool


@dataclass(frozen=True, slots=True)
class PageStyles:
    """What a page says about its looks."""

    declarations: tuple[PageDeclaration, ...]
    used_classes: dict[str, "Carrier"]
    """Each class on the page, with the first element that carries it."""
    own_classes: frozenset[str]
    """Classes that the page's own styles speak of, and the shared style sheet where the page links it."""
    scripted: frozenset[str]
    """Words of the page's scripts, the shared one among them: what they name may be a hook of theirs."""
    own_variables: frozenset[str]
    """Custom properties that the page sets: in styles, or by a script."""


@lru_cache(maxsize=64)
def read_page_styles(html: str) -> PageStyles:
    """Read a page's own styles; drawings (what stands in `<svg>`) are left out, since their colours are content."""
    declarations: list[PageDeclaration] = []
    used: dict[str, Carrier] = {}
    own: set[str] = set()
    words: set[str] = set()
    variables: set[str] = set()
    for token, in_drawing in _outside_drawings(html):
        if token.kind == "text" and token.name == "style":
            css = html[token.start : token.end]
            source = read_source(css)
            own |= _classes_of(source)
            declarations += [
                PageDeclaration(each, token.start, each.selectors, inline=False, editable=True)
                for each in source.declarations
            ]
        elif token.kind == "text" and token.name == "script":
            text = html[token.start : token.end]
            words.update(_SCRIPT_WORD.findall(text))
            variables.update(_VARIABLE.findall(text))
        elif token.kind == "start" and not in_drawing:
            shared = _shared_by(token)
            own |= shared.classes
            words |= shared.words
            variables |= shared.variables
            classes = tuple((token.value("class") or "").split())
            carrier = Carrier(describe(token), classes, token.name == "body" or token.value("id") == "app")
            for name in classes:
                used.setdefault(name, carrier)
            declarations += _inline(token, html)
    variables.update(each.declaration.name for each in declarations if each.declaration.name.startswith("--"))
    return PageStyles(tuple(declarations), used, frozenset(own), frozenset(words), frozenset(variables))


@dataclass(frozen=True, slots=True)
class _Shared:
    """What a shared file makes known on each page that links it."""

    classes: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()
    variables: frozenset[str] = frozenset()


def _shared_by(token: Token) -> _Shared:
    """What the shared style sheet or script that a tag links makes known."""
    if token.name not in ("link", "script"):
        return _Shared()
    path = runtime_path(token.value("href" if token.name == "link" else "src") or "")
    return _Shared() if path is None else _shared(path, is_style=token.name == "link")


@lru_cache(maxsize=8)
def _shared(path: str, *, is_style: bool) -> _Shared:
    text = runtime_file(path) or ""
    variables = frozenset(_VARIABLE.findall(text))
    if is_style:
        return _Shared(classes=_classes_of(read_source(text)), variables=variables)
    return _Shared(words=frozenset(_SCRIPT_WORD.findall(text)), variables=variables)


def _classes_of(source: CssSource) -> frozenset[str]:
    return frozenset(name for block in source.blocks for name in _CLASS.findall(block.prelude))


def describe(token: Token) -> str:
    """A start tag in the words of a selector."""
    identifier = token.value("id")
    first = (token.value("class") or "").split()[:1]
    return token.name + (f"#{identifier}" if identifier else "".join(f".{name}" for name in first))


def _inline(token: Token, html: str) -> Iterator[PageDeclaration]:
    attribute = token.attribute("style")
    if attribute is None:
        return
    raw = html[attribute.value_start : attribute.value_end]
    editable = raw == attribute.value
    for each in read_source(attribute.value).declarations:
        yield PageDeclaration(each, attribute.value_start, f"{describe(token)}[style]", inline=True, editable=editable)


def _outside_drawings(html: str) -> Iterator[tuple[Token, bool]]:
    """Every token, and whether it stands in a drawing; the drawing's own tag belongs to the page."""
    depth = 0
    for token in scan(html):
        if token.kind == "end" and token.name in FOREIGN_ROOTS:
            depth = max(0, depth - 1)
        yield token, depth > 0
        if token.kind == "start" and token.name in FOREIGN_ROOTS:
            depth += not html[token.start : token.end].endswith(_VOID_IN_SVG)
