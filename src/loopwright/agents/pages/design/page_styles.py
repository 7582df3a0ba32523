"""The styles that a page brings itself, each with its place in the page's source."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from loopwright.agents.pages.compliance.markup import FOREIGN_ROOTS, Token, scan
from loopwright.agents.pages.design.source import SourceDeclaration, read_source

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
    """Classes that the page's own styles speak of."""
    scripted: frozenset[str]
    """Words of the page's scripts: what they name may be a hook of theirs."""
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
            own.update(name for block in source.blocks for name in _CLASS.findall(block.prelude))
            declarations += [
                PageDeclaration(each, token.start, each.selectors, inline=False, editable=True)
                for each in source.declarations
            ]
        elif token.kind == "text" and token.name == "script":
            text = html[token.start : token.end]
            words.update(_SCRIPT_WORD.findall(text))
            variables.update(_VARIABLE.findall(text))
        elif token.kind == "start" and not in_drawing:
            classes = tuple((token.value("class") or "").split())
            carrier = Carrier(describe(token), classes, token.name == "body" or token.value("id") == "app")
            for name in classes:
                used.setdefault(name, carrier)
            declarations += _inline(token, html)
    variables.update(each.declaration.name for each in declarations if each.declaration.name.startswith("--"))
    return PageStyles(tuple(declarations), used, frozenset(own), frozenset(words), frozenset(variables))


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
