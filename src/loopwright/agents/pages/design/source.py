"""CSS source with the place of every declaration, so that one can be replaced and all else stays byte for byte.

A parser answers *what* a sheet says; changing one value without disturbing the rest needs to know *where*. The scanner
follows CSS Syntax Level 3: comments, strings, escapes and brackets never yield false ends, and no text makes it fail.
"""

import re
from dataclasses import dataclass, field
from functools import lru_cache

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
