"""Texts and the grounds they stand on, as the cascade has them: what a contrast is measured between."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from selectolax.lexbor import LexborNode

from loopwright.agents.pages.compliance.cascade.colours import Colour, Scheme, contrast, is_colour_token, parse_colour
from loopwright.agents.pages.compliance.cascade.computed import Cascade, element_parent
from loopwright.agents.pages.compliance.cascade.tokens import parse_values, walk

READABLE = 4.5
"""Contrast of text to its ground (WCAG 2.2, 1.4.3)."""
READABLE_LARGE = 3.0
LARGE = 24.0
"""Font size in pixels from which text counts as large; from 18.66 when it is bold."""
LARGE_BOLD, BOLD = 18.66, 700.0
_NO_TEXT = frozenset({"script", "style", "template", "noscript", "head", "title", "svg", "option", "optgroup"})
_FIELDS = frozenset({"input", "select", "textarea"})
_WEIGHTS = {"normal": 400.0, "bold": 700.0, "bolder": 700.0, "lighter": 300.0}
_CANVAS: dict[Scheme, Colour] = {"light": Colour(1.0, 1.0, 1.0), "dark": Colour.from_hex("#121212")}
_NUMBER = re.compile(r"\d+(?:\.\d+)?|\.\d+")


@dataclass(frozen=True, slots=True)
class TextPair:
    """A text on its ground; `grounds` holds several colours where the ground is a gradient."""

    text: Colour
    grounds: tuple[Colour, ...]
    large: bool

    @property
    def required(self) -> float:
        """The contrast that it needs."""
        return READABLE_LARGE if self.large else READABLE

    @property
    def worst(self) -> Colour:
        """The ground from which the text stands out least."""
        return min(self.grounds, key=lambda ground: contrast(self.text.over(ground), ground))

    @property
    def ratio(self) -> float:
        """The contrast to the worst ground."""
        return contrast(self.text.over(self.worst), self.worst)


def texts_of(cascade: Cascade) -> Iterator[LexborNode]:
    """The elements that show text of their own."""
    for node in cascade.document.css("body *"):
        if node.tag in _FIELDS:
            if node.attributes.get("type") not in ("hidden", "checkbox", "radio", "range", "color", "file", "image"):
                yield node
        elif node.tag not in _NO_TEXT and any(
            child.tag == "-text" and (child.text_content or "").strip() for child in node.iter(include_text=True)
        ):
            yield node


def pair_of(cascade: Cascade, node: LexborNode, scheme: Scheme) -> TextPair | None:
    """The pair of an element; None where it is not shown, or where a picture or an effect decides what is seen."""
    text = _colour(cascade, node, "color", scheme)
    layers: list[tuple[Colour, ...]] = []
    opacity = 1.0
    element: LexborNode | None = node
    while element is not None:
        if element.tag == "svg" or cascade.value(element, "display") in (None, "none"):
            return None
        own = _ground_layers(cascade, element, scheme)
        faded = _number(cascade.value(element, "opacity"), 1.0)
        if own is None or (faded < 1 and (own or layers)):
            return None
        layers += own
        if any(colour.is_opaque for colour in own[-1]) if own else False:
            break
        opacity *= faded
        element = element_parent(element)
    if text is None:
        return None
    root = cascade.document.root or node
    grounds = _composed(layers, _CANVAS[used_scheme(cascade, root, scheme)])
    return TextPair(text.faded(opacity), grounds, _is_large(cascade, node))


def _ground_layers(cascade: Cascade, element: LexborNode, scheme: Scheme) -> list[tuple[Colour, ...]] | None:
    """An element's own background from top to bottom, each layer as the colours it may show; None if not known."""
    layers: list[tuple[Colour, ...]] = []
    image = cascade.value(element, "background-image")
    if image is None or "url(" in image or "image-set(" in image:
        return None
    if image not in ("none", ""):
        current = _colour(cascade, element, "color", scheme)
        tokens = [token for token in walk(parse_values(image)) if is_colour_token(token) or token.name == "transparent"]
        colours = [parse_colour(token.text, current, scheme) for token in tokens]
        if not colours or any(colour is None for colour in colours):
            return None
        layers.append(tuple(colour for colour in colours if colour is not None))
    ground = _colour(cascade, element, "background-color", scheme)
    if ground is None:
        return None
    return [*layers, (ground,)] if ground.alpha > 0 else layers


def _composed(layers: list[tuple[Colour, ...]], canvas: Colour) -> tuple[Colour, ...]:
    """What is seen of layers from top to bottom: every combination, the number of which stays small."""
    seen: tuple[Colour, ...] = (canvas,)
    for layer in reversed(layers):
        seen = tuple(dict.fromkeys(colour.over(ground) for colour in layer for ground in seen))[:16]
    return seen


def _colour(cascade: Cascade, node: LexborNode, name: str, scheme: Scheme) -> Colour | None:
    value = cascade.value(node, name)
    if value is None:
        return None
    current = None if name == "color" else _colour(cascade, node, "color", scheme)
    return parse_colour(value, current, used_scheme(cascade, node, scheme))


def used_scheme(cascade: Cascade, node: LexborNode, scheme: Scheme) -> Scheme:
    """The scheme of system colours and `light-dark()` on an element: what is preferred, where the page allows it."""
    allowed = (cascade.value(node, "color-scheme") or "normal").split()
    if scheme in allowed:
        return scheme
    return "dark" if "dark" in allowed and "light" not in allowed else "light"


def _is_large(cascade: Cascade, node: LexborNode) -> bool:
    size = cascade.font_size(node)
    if size is None:
        return False
    value = cascade.value(node, "font-weight") or ""
    weight = _WEIGHTS.get(value, _number(value, 400.0))
    return size >= LARGE or (size >= LARGE_BOLD and weight >= BOLD)


def _number(value: str | None, otherwise: float) -> float:
    if value is None or not _NUMBER.fullmatch(value.removesuffix("%")):
        return otherwise
    return float(value.removesuffix("%")) / (100 if value.endswith("%") else 1)
