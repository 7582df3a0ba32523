"""Texts and the grounds they stand on, as the cascade has them: what a contrast is measured between."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict
from selectolax.lexbor import LexborNode

from loopwright.agents.pages.colour import nearest_shade
from loopwright.agents.pages.compliance.cascade.colours import Colour, Scheme, contrast, is_colour_token, parse_colour
from loopwright.agents.pages.compliance.cascade.computed import Cascade, element_parent
from loopwright.agents.pages.compliance.cascade.tokens import UnresolvedVariableError, parse_values, substitute, walk
from loopwright.agents.pages.design.schemes import root_properties
from loopwright.agents.pages.design.source import Block, read_source
from loopwright.agents.pages.design.tokens import Token, parts_of, read_design_system

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


# Values that keep the contrast where a change of tokens would spoil it.


class Proposal(BaseModel):
    """A value for a token that keeps every contrast it takes part in."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    token: str
    scheme: Scheme
    value: str
    instead_of: str
    keeps: str
    """Which token stays as it was asked for, where another one gives way; empty where it is the changed one itself."""


def propose(
    css: str, wanted: Mapping[str, str], schemes: Iterable[Scheme], pairs: Sequence[tuple[Scheme, TextPair]]
) -> list[Proposal]:
    """Values that would keep the contrast: of the changed token itself, and of the token that it meets.

    Args:
        css: the sheet after the change.
        wanted: the changed tokens.
        schemes: those that were changed.
        pairs: the texts and grounds that the change moves, as they are after it.
    """
    tokens = read_design_system(css).of_kind("colour")
    found: list[Proposal] = []
    together = _together(css)
    for scheme in schemes:
        failing = [pair for side, pair in pairs if side == scheme and pair.ratio < pair.required]
        if not failing:
            continue
        moved = [pair for side, pair in pairs if side == scheme]
        for token in tokens:
            colour = token.colour(scheme)
            if token.name in wanted and colour is not None and colour.is_opaque:
                found += _own(token, colour, scheme, failing, moved)
        found += _partners(tokens, wanted, scheme, failing, moved, together)
    return list(dict.fromkeys(found))


def _own(
    token: Token, colour: Colour, scheme: Scheme, failing: Sequence[TextPair], moved: Sequence[TextPair]
) -> list[Proposal]:
    """The nearest shade of the changed token with which every pair that it is part of can be read."""
    if not _partners_of(colour, failing):
        return []
    shade = nearest_shade(colour, _partners_of(colour, moved))
    if shade is None:
        return []
    value = token.value(scheme) or ""
    return [Proposal(token=token.name, scheme=scheme, value=shade.css, instead_of=value, keeps="")]


def _partners(
    tokens: Sequence[Token],
    wanted: Mapping[str, str],
    scheme: Scheme,
    failing: Sequence[TextPair],
    moved: Sequence[TextPair],
    together: Mapping[str, set[str]],
) -> list[Proposal]:
    """Shades of the text tokens that stand on the changed ones, so that these may stay as they were asked for."""
    changed = {colour: token.name for token in tokens if token.name in wanted and (colour := token.colour(scheme))}
    needed: dict[str, tuple[Token, Colour, str]] = {}
    for pair in failing:
        keeps = next((changed[ground] for ground in pair.grounds if ground in changed), None)
        if keeps is None:
            continue
        meets = [token for token in tokens if token.name not in wanted and token.colour(scheme) == pair.text]
        # Of several tokens of that colour, those that the sheet sets beside the changed one.
        beside = [token for token in meets if token.name in together[keeps]]
        for token in beside or meets[:1]:
            needed.setdefault(token.name, (token, pair.text, keeps))
    found = []
    for token, colour, keeps in needed.values():
        shade = nearest_shade(colour, _partners_of(colour, moved))
        if shade is not None and shade != colour:
            value = token.value(scheme) or ""
            found.append(Proposal(token=token.name, scheme=scheme, value=shade.css, instead_of=value, keeps=keeps))
    return found


def _partners_of(colour: Colour, pairs: Iterable[TextPair]) -> list[tuple[Colour, float]]:
    """The colours that a colour meets as text or as ground, with the contrast that is needed."""
    met: dict[Colour, float] = defaultdict(float)
    for pair in pairs:
        if pair.text == colour:
            for ground in pair.grounds:
                met[ground] = max(met[ground], pair.required)
        elif colour in pair.grounds and pair.text.is_opaque:
            met[pair.text] = max(met[pair.text], pair.required)
    return list(met.items())


def _together(css: str) -> defaultdict[str, set[str]]:
    """For each variable the others that some rule refers to beside it."""
    rules: dict[Block, set[str]] = defaultdict(set)
    for each in read_source(css).declarations:
        if each.blocks and "var(" in each.value and not each.name.startswith("--"):
            rules[each.blocks[-1]].update(part.name for part in parts_of(each.value) if part.kind == "reference")
    found: defaultdict[str, set[str]] = defaultdict(set)
    for names in rules.values():
        for name in names:
            found[name] |= names - {name}
    return found


# Texts on grounds that a sheet's own rules declare together: states too, which no page shows at rest.

_GROUNDS = ("background", "background-color")


def pairs_in_rules(css: str, scheme: Scheme) -> dict[str, TextPair]:
    """Selectors of the rules that set both a text colour and an opaque ground, with the pair they make."""
    properties = root_properties(css, scheme)
    rules: dict[Block, dict[str, str]] = defaultdict(dict)
    for each in read_source(css).declarations:
        if each.blocks and each.selectors and not each.conditions and each.name in ("color", *_GROUNDS):
            name = "color" if each.name == "color" else "background"
            rules[each.blocks[-1]][name] = each.value
    found: dict[str, TextPair] = {}
    for block, values in rules.items():
        if len(values) == 2:
            text = _colours(values["color"], properties, scheme)
            grounds = tuple(each for each in _colours(values["background"], properties, scheme) if each.is_opaque)
            if len(text) == 1 and grounds:
                found[block.prelude] = TextPair(text[0], grounds, large=False)
    return found


def rule_pairs(before: str, after: str, scheme: Scheme) -> Iterator[tuple[str, TextPair, TextPair]]:
    """The pairs of rules that differ between two sheets, with their selectors."""
    later = pairs_in_rules(after, scheme)
    for selector, pair in pairs_in_rules(before, scheme).items():
        if selector in later and later[selector] != pair:
            yield selector, pair, later[selector]


def _colours(value: str, properties: dict[str, str], scheme: Scheme) -> list[Colour]:
    """The colours of a value; none where one of its references is worth nothing."""
    try:
        text = substitute(value, properties.get)
    except UnresolvedVariableError:
        return []
    tokens = [token for token in walk(parse_values(text)) if is_colour_token(token)]
    nested = {id(child) for token in tokens for child in walk(token.children)}
    colours = [parse_colour(token.text, scheme=scheme) for token in tokens if id(token) not in nested]
    return [colour for colour in colours if colour is not None]
