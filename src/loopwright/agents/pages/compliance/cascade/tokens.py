"""CSS text as typed tokens: the one place that knows tinycss2.

Parsing follows CSS Syntax Level 3, which never fails: what makes no sense becomes an `other` token or is dropped.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

import tinycss2  # type: ignore[import-untyped]

MAXIMUM_DEPTH = 24
"""Brackets and nested rules deeper than this are treated as empty, so hostile CSS cannot exhaust the stack."""

TokenKind = Literal[
    "ident", "number", "dimension", "percentage", "function", "parentheses", "brackets", "string", "url", "hash",
    "literal", "space", "other",
]  # fmt: skip

_KINDS: dict[str, TokenKind] = {
    "ident": "ident",
    "at-keyword": "other",
    "number": "number",
    "dimension": "dimension",
    "percentage": "percentage",
    "function": "function",
    "() block": "parentheses",
    "[] block": "brackets",
    "string": "string",
    "url": "url",
    "hash": "hash",
    "literal": "literal",
    "whitespace": "space",
}


@dataclass(frozen=True, slots=True)
class CssToken:
    """One component value."""

    kind: TokenKind
    text: str
    """The token as CSS text, brackets and arguments included."""
    name: str = ""
    """Lower-case identifier, function name or unit; the exact value of strings, urls and hashes; a literal's sign."""
    number: float = 0.0
    children: tuple["CssToken", ...] = ()


@dataclass(frozen=True, slots=True)
class Declaration:
    """`name: value`, the name in lower case except for custom properties."""

    name: str
    value: str
    important: bool


@dataclass(frozen=True, slots=True)
class StyleBlock:
    """A style rule with what it declares and the rules nested in it."""

    prelude: tuple[CssToken, ...]
    content: tuple["Item", ...]


@dataclass(frozen=True, slots=True)
class AtBlock:
    """An at-rule such as `@media`; `content` is None when it ends in a semicolon."""

    keyword: str
    prelude: tuple[CssToken, ...]
    content: tuple["Item", ...] | None


Item = Declaration | StyleBlock | AtBlock


@lru_cache(maxsize=8192)
def parse_values(text: str) -> tuple[CssToken, ...]:
    """The component values of a declaration's value or of a selector."""
    return _tokens(tinycss2.parse_component_value_list(text, skip_comments=True))


@lru_cache(maxsize=8)
def parse_stylesheet(text: str) -> tuple[Item, ...]:
    """The rules of a stylesheet in order."""
    return _items(tinycss2.parse_stylesheet(text, skip_comments=True, skip_whitespace=True))


@lru_cache(maxsize=1024)
def parse_declarations(text: str) -> tuple[Declaration, ...]:
    """The declarations of a `style` attribute."""
    items = _items(tinycss2.parse_blocks_contents(text, skip_comments=True, skip_whitespace=True))
    return tuple(item for item in items if isinstance(item, Declaration))


def text_of(tokens: Iterable[CssToken]) -> str:
    """The CSS text of a sequence of tokens."""
    return "".join(token.text for token in tokens)


def split_on(tokens: Sequence[CssToken], sign: str) -> list[tuple[CssToken, ...]]:
    """Split at every top-level occurrence of a literal such as a comma, and trim the spaces of each part."""
    parts: list[list[CssToken]] = [[]]
    for token in tokens:
        if token.kind == "literal" and token.name == sign:
            parts.append([])
        else:
            parts[-1].append(token)
    return [trim(part) for part in parts]


def trim(tokens: Sequence[CssToken]) -> tuple[CssToken, ...]:
    """The tokens without leading and trailing spaces."""
    start, end = 0, len(tokens)
    while start < end and tokens[start].kind == "space":
        start += 1
    while end > start and tokens[end - 1].kind == "space":
        end -= 1
    return tuple(tokens[start:end])


def words(value: str) -> list[CssToken]:
    """The tokens of a value without its spaces."""
    return [token for token in parse_values(value) if token.kind != "space"]


def walk(tokens: Iterable[CssToken]) -> Iterator[CssToken]:
    """Every token and, after it, what its brackets hold."""
    for token in tokens:
        yield token
        yield from walk(token.children)


def _tokens(nodes: Iterable[Any], depth: int = 0) -> tuple[CssToken, ...]:
    return tuple(_token(node, depth) for node in nodes if node.type != "comment")


def _token(node: Any, depth: int) -> CssToken:
    kind = _KINDS.get(node.type, "other")
    if kind in ("function", "parentheses", "brackets"):
        inner = node.arguments if kind == "function" else node.content
        children = _tokens(inner, depth + 1) if depth < MAXIMUM_DEPTH else ()
        name = node.lower_name if kind == "function" else ""
        opening, closing = ("[", "]") if kind == "brackets" else ("(", ")")
        shown = node.name if kind == "function" else ""
        return CssToken(kind, f"{shown}{opening}{text_of(children)}{closing}", name, 0.0, children)
    if node.type == "{} block":
        return CssToken("other", "{}")
    text = node.serialize()
    if kind in ("number", "percentage", "dimension"):
        return CssToken(kind, text, node.lower_unit if kind == "dimension" else "", float(node.value))
    if kind == "ident":
        return CssToken(kind, text, node.value if node.value.startswith("--") else node.lower_value)
    return CssToken(kind, text, str(node.value) if kind != "other" else "")


def _items(nodes: Iterable[Any], depth: int = 0) -> tuple[Item, ...]:
    items = (_item(node, depth) for node in nodes)
    return tuple(item for item in items if item is not None)


def _item(node: Any, depth: int) -> Item | None:
    if depth > MAXIMUM_DEPTH:
        return None
    if node.type == "declaration":
        name = node.name if node.name.startswith("--") else node.lower_name
        return Declaration(name, text_of(_tokens(node.value)).strip(), bool(node.important))
    if node.type == "qualified-rule":
        return StyleBlock(trim(_tokens(node.prelude)), _content(node.content, depth))
    if node.type == "at-rule":
        content = None if node.content is None else _content(node.content, depth)
        return AtBlock(node.lower_at_keyword, trim(_tokens(node.prelude)), content)
    return None


def _content(nodes: Sequence[Any], depth: int) -> tuple[Item, ...]:
    parsed = tinycss2.parse_blocks_contents(nodes, skip_comments=True, skip_whitespace=True)
    return _items(parsed, depth + 1)
