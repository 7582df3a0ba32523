"""A stylesheet laid out flat: every style rule with its place in the cascade.

Nested rules are written out, conditions are answered, layers are ordered (CSS Cascading Level 5, section 6.4).
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from loopwright.agents.pages.compliance.cascade.media import PHONE, Environment, media_applies, supports_applies
from loopwright.agents.pages.compliance.cascade.selectors import Selector, nest, parse_selectors
from loopwright.agents.pages.compliance.cascade.tokens import (
    AtBlock,
    CssToken,
    Declaration,
    Item,
    StyleBlock,
    parse_stylesheet,
    parse_values,
    split_on,
    text_of,
    walk,
)

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
