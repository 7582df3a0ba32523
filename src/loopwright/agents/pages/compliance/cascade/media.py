"""Conditions of at-rules, answered for the phone that pages are made for.

Media Queries Level 4, for a 430 by 932 CSS pixel colour screen with touch and no reduced motion; how it is held and
which colour scheme its owner prefers are up to the one who asks.
"""

import operator
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from loopwright.agents.pages.compliance.cascade.colours import Scheme
from loopwright.agents.pages.compliance.cascade.tokens import (
    AtBlock,
    CssToken,
    Declaration,
    Item,
    Selector,
    StyleBlock,
    nest,
    parse_selectors,
    parse_stylesheet,
    parse_values,
    split_on,
    text_of,
    walk,
    words,
)

VIEWPORT_WIDTH = 430.0
VIEWPORT_HEIGHT = 932.0

Orientation = Literal["portrait", "landscape"]


@dataclass(frozen=True, slots=True)
class Environment:
    """What may differ from one look at a page to the next."""

    scheme: Scheme = "light"
    """Answers `prefers-color-scheme`."""
    orientation: Orientation = "portrait"
    """Answers `orientation`, and nothing else: the width stays, so that a difference is the orientation's alone."""

    @property
    def keywords(self) -> Mapping[str, str]:
        """The media features that take keywords, with their values."""
        return _KEYWORD_FEATURES | {"prefers-color-scheme": self.scheme, "orientation": self.orientation}


PHONE = Environment()

_KEYWORD_FEATURES = {
    "hover": "none",
    "any-hover": "none",
    "pointer": "coarse",
    "any-pointer": "coarse",
    "prefers-reduced-motion": "no-preference",
    "prefers-contrast": "no-preference",
    "prefers-reduced-transparency": "no-preference",
    "forced-colors": "none",
    "display-mode": "browser",
    "scripting": "enabled",
    "update": "fast",
}
_LENGTH_FEATURES = {"width": VIEWPORT_WIDTH, "height": VIEWPORT_HEIGHT}
_PIXELS_PER_UNIT = {"px": 1.0, "em": 16.0, "rem": 16.0, "in": 96.0, "cm": 96 / 2.54}
_COMPARISONS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "=": operator.eq}
_RANGE = re.compile(r"\s*(<=|>=|<|>|=)\s*")
_LENGTH = re.compile(r"(-?[\d.]+)([a-z]*)")


def media_applies(prelude: tuple[CssToken, ...], environment: Environment = PHONE) -> bool | None:
    """Whether `@media` with this prelude applies; None when it asks for something not known here."""
    answers = [_query(part, environment.keywords) for part in split_on(prelude, ",")]
    if any(answer is True for answer in answers):
        return True
    return None if any(answer is None for answer in answers) else not prelude


def supports_applies(prelude: tuple[CssToken, ...]) -> bool | None:
    """Whether `@supports` applies: a plain condition is taken as supported, anything with `not` is left open."""
    return None if any(token.name == "not" for token in prelude) else True


def _query(tokens: tuple[CssToken, ...], keywords: Mapping[str, str]) -> bool | None:
    parts = words(text_of(tokens))
    negated = bool(parts) and parts[0].name == "not"
    parts = parts[1:] if negated or (parts and parts[0].name == "only") else parts
    answers: list[bool | None] = []
    is_or = False
    for part in parts:
        if part.kind == "ident" and part.name in ("and", "or"):
            is_or = is_or or part.name == "or"
        elif part.kind == "ident":
            answers.append(part.name in ("all", "screen"))
        elif part.kind == "parentheses":
            answers.append(_feature(part, keywords))
        else:
            answers.append(None)
    combined = _any(answers) if is_or else _all(answers)
    return (None if combined is None else not combined) if negated else combined


def _all(answers: list[bool | None]) -> bool | None:
    if False in answers:
        return False
    return None if None in answers else True


def _any(answers: list[bool | None]) -> bool | None:
    if True in answers:
        return True
    return None if None in answers else False


def _feature(block: CssToken, keywords: Mapping[str, str]) -> bool | None:
    if any(token.kind == "parentheses" for token in block.children) or block.children[:1] == ():
        return _query(block.children, keywords) if block.children else None
    text = text_of(block.children).strip().lower()
    if ":" in text:
        name, _, value = (part.strip() for part in text.partition(":"))
        return _plain(name, value, keywords)
    if _RANGE.search(text):
        return _range(text)
    if text in _LENGTH_FEATURES or text in ("color", "color-gamut"):
        return True
    return keywords[text] not in ("none", "no-preference") if text in keywords else None


def _plain(name: str, value: str, keywords: Mapping[str, str]) -> bool | None:
    if name in keywords:
        return keywords[name] == value
    bound, _, feature = name.partition("-")
    if bound not in ("min", "max"):
        bound, feature = "", name
    actual, wanted = _LENGTH_FEATURES.get(feature), _pixels(value)
    if actual is None or wanted is None:
        return None
    return {"min": actual >= wanted, "max": actual <= wanted}.get(bound, actual == wanted)


def _range(text: str) -> bool | None:
    """`width >= 600px`, `400px < width <= 700px`."""
    pieces = _RANGE.split(text)
    values = [_LENGTH_FEATURES.get(piece, _pixels(piece)) for piece in pieces[::2]]
    for position, sign in enumerate(pieces[1::2]):
        left, right = values[position], values[position + 1]
        if left is None or right is None:
            return None
        if not _COMPARISONS[sign](left, right):
            return False
    return True


def _pixels(text: str) -> float | None:
    match = _LENGTH.fullmatch(text.strip())
    if match is None or (not match[2] and float(match[1] or 0) != 0):
        return None
    factor = _PIXELS_PER_UNIT.get(match[2] or "px")
    return None if factor is None else float(match[1]) * factor


# A stylesheet laid out flat: every style rule with its place in the cascade.

Origin = Literal["user-agent", "author"]

Layer = tuple[int, ...]
"""Place of a layer among all: its number among its siblings at each level, ended by LAST for the rules in it itself."""

LAST = 1_000_000
"""Rules outside every layer, or outside the inner layers of theirs, come last and so win among normal declarations."""


@dataclass(frozen=True, slots=True)
class StyleRule:
    """A style rule with one selector."""

    selector: Selector
    declarations: tuple[Declaration, ...]
    origin: Origin
    layer: Layer
    order: int
    certain: bool
    """False when it stands under a condition that could not be answered."""


@dataclass(slots=True)
class StyleSheet:
    """All rules that may apply, in order, and the addresses the CSS loads."""

    rules: list[StyleRule] = field(default_factory=list)
    addresses: list[str] = field(default_factory=list)
    layers: dict[str, int] = field(default_factory=dict)
    """Full names of the layers in order of appearance."""
    environment: Environment = PHONE
    """What media queries are answered for."""

    def add(self, css: str, origin: Origin = "author") -> None:
        """Append a stylesheet's text."""
        self._read(parse_stylesheet(css), origin, parent="", layer="", certain=True)

    def _read(self, items: Iterable[Item], origin: Origin, parent: str, layer: str, certain: bool) -> None:
        own = tuple(item for item in items if isinstance(item, Declaration))
        if own and parent:
            self._append(parent, own, origin, layer, certain)
        for item in items:
            if isinstance(item, StyleBlock):
                selectors = nest(parent, item.prelude) if parent else text_of(item.prelude)
                self._read(item.content, origin, selectors, layer, certain)
            elif isinstance(item, AtBlock):
                self._read_at_rule(item, origin, parent, layer, certain)

    def _append(
        self, selectors: str, declarations: tuple[Declaration, ...], origin: Origin, layer: str, certain: bool
    ) -> None:
        for declaration in declarations:
            if "url(" in declaration.value.lower():
                self.addresses += addresses_in(parse_values(declaration.value))
        place = self._place(layer)
        for selector in parse_selectors(parse_values(selectors)):
            order = len(self.rules)
            self.rules.append(StyleRule(selector, declarations, origin, place, order, certain))

    def _read_at_rule(self, block: AtBlock, origin: Origin, parent: str, layer: str, certain: bool) -> None:
        if block.keyword == "import":
            plain = [token.name for token in block.prelude[:1] if token.kind == "string"]
            self.addresses += plain or addresses_in(block.prelude)
        elif block.keyword == "font-face":
            for item in block.content or ():
                if isinstance(item, Declaration) and item.name == "src":
                    self.addresses += addresses_in(parse_values(item.value))
        elif block.keyword == "layer":
            self._read_layer(block, origin, parent, layer, certain)
        elif block.keyword in ("media", "supports", "container", "scope", "starting-style") and block.content:
            applies = self._condition(block)
            if applies is not False:
                self._read(block.content, origin, parent, layer, certain and applies is True)

    def _read_layer(self, block: AtBlock, origin: Origin, parent: str, layer: str, certain: bool) -> None:
        names = [text_of(part) for part in split_on(block.prelude, ",") if part]
        if not names:
            names = [f"(anonymous {len(self.layers)})"]
        full_names = [f"{layer}.{name}" if layer else name for name in names]
        for name in full_names:
            parts = name.split(".")
            for depth in range(len(parts)):
                self.layers.setdefault(".".join(parts[: depth + 1]), len(self.layers))
        if block.content is not None:
            self._read(block.content, origin, parent, full_names[0], certain)

    def _condition(self, block: AtBlock) -> bool | None:
        if block.keyword == "media":
            return media_applies(block.prelude, self.environment)
        if block.keyword == "supports":
            return supports_applies(block.prelude)
        # A page at rest has finished its starting style; containers and scopes would need a layout to answer.
        return False if block.keyword == "starting-style" else None

    def _place(self, layer: str) -> Layer:
        parts = layer.split(".") if layer else []
        return (*(self.layers[".".join(parts[: depth + 1])] for depth in range(len(parts))), LAST)


def addresses_in(tokens: Iterable[CssToken]) -> list[str]:
    """The addresses of all `url()` in a value, quoted or not."""
    found = []
    for token in walk(tokens):
        if token.kind == "url":
            found.append(token.name)
        elif token.kind == "function" and token.name in ("url", "src"):
            found += [child.name for child in token.children[:1] if child.kind == "string"]
    return found
