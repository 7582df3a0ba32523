"""The contrast of a text with its ground.

What is painted under a text is followed from the canvas down: the backgrounds of the elements around it, gradients,
translucent colours and opacity.  Other boxes that may lie in between, pictures, filters and blend modes cannot be
followed and leave the answer open.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from selectolax.lexbor import LexborNode

from loopwright.agents.pages.compliance.cascade.colours import Colour, Scheme, contrast, is_colour_token, parse_colour
from loopwright.agents.pages.compliance.cascade.computed import element_parent
from loopwright.agents.pages.compliance.cascade.tokens import CssToken, parse_values, split_on, text_of
from loopwright.agents.pages.compliance.contrast.layers import LayerModel
from loopwright.agents.pages.compliance.page import Page

# What was measured of one text.


@dataclass(frozen=True, slots=True)
class TextContrast:
    """How a text stands out from its ground, as ratios from 1 to 21."""

    text: Colour
    ground: Colour
    """The ground where the text stands out most."""
    highest: float
    """The most that any part of the ground gives."""
    certain: float
    """The most that a part gives on which the text certainly stands; below `highest` only on gradients."""


# The colours of a gradient (CSS Images Level 3, section 3), from its beginning to its end.

STEPS = 16
"""Colours taken from a gradient; between two of them nothing changes that could be read."""
MAXIMUM_STOPS = 64
_ANGLES = {"deg": 1.0, "grad": 0.9, "rad": 180 / math.pi, "turn": 360.0}
_SIDES = {"to right": 90.0, "to left": 270.0, "to top": 0.0, "to bottom": 180.0}
_PLAIN = frozenset({"transparent", "currentcolor"})


@dataclass(frozen=True, slots=True)
class Gradient:
    """A gradient as colours at equal distances."""

    colours: tuple[Colour, ...]
    direction: float | None
    """Degrees clockwise from the top in which it runs; None for gradients that do not run along a line."""


@dataclass(frozen=True, slots=True)
class _Stop:
    colour: Colour
    place: float | None
    """Share of the way, 0 to 1; None where it is left to the browser."""


def parse_gradient(text: str, current: Colour | None, scheme: Scheme) -> Gradient | None:
    """Read one gradient function; None when it is none or when a colour or a place in it is not known."""
    tokens = parse_values(text.strip())
    if len(tokens) != 1 or tokens[0].kind != "function" or not tokens[0].name.endswith("-gradient"):
        return None
    parts = split_on(tokens[0].children, ",")
    is_linear = tokens[0].name.endswith("linear-gradient")
    direction = 180.0 if is_linear else None
    if parts and not any(_is_colour(token) for token in parts[0]):
        direction = _direction(parts.pop(0)) if is_linear else None
    stops: list[_Stop] = []
    for part in parts[:MAXIMUM_STOPS]:
        read = _stops(part, current, scheme)
        if read is None:
            return None
        stops += read
    return Gradient(_sample(_placed(stops)), direction) if stops else None


def _is_colour(token: CssToken) -> bool:
    return is_colour_token(token) or (token.kind == "ident" and token.name in _PLAIN)


def _direction(part: tuple[CssToken, ...]) -> float | None:
    first = part[0] if part else None
    if first is not None and first.kind == "dimension" and first.name in _ANGLES:
        return (first.number * _ANGLES[first.name]) % 360
    return _SIDES.get(" ".join(token.name for token in part if token.kind == "ident"))


def _stops(part: tuple[CssToken, ...], current: Colour | None, scheme: Scheme) -> list[_Stop] | None:
    """One part: a colour with up to two places, or a hint of where the middle lies, which changes no colour."""
    colours = [token for token in part if _is_colour(token)]
    places = [token for token in part if token.kind in ("percentage", "dimension", "number", "function")]
    places = [token for token in places if token not in colours]
    if not colours:
        return [] if places else None
    colour = parse_colour(colours[0].text, current, scheme)
    if colour is None:
        return None
    shares = [token.number / 100 if token.kind == "percentage" else None for token in places]
    return [_Stop(colour, share) for share in shares or [None]]


def _placed(stops: list[_Stop]) -> list[tuple[float, Colour]]:
    """Every stop with its place; those without one are spread evenly, none lies before the one it follows."""
    places = [stop.place for stop in stops]
    places[0] = 0.0 if places[0] is None else places[0]
    places[-1] = 1.0 if places[-1] is None else places[-1]
    known = [position for position, place in enumerate(places) if place is not None]
    filled: list[float] = []
    for position, place in enumerate(places):
        if place is None:
            before = max(each for each in known if each < position)
            after = min(each for each in known if each > position)
            start, end = places[before] or 0.0, places[after] or 0.0
            place = start + (end - start) * (position - before) / (after - before)
        filled.append(max(place, filled[-1]) if filled else place)
    return list(zip(filled, (stop.colour for stop in stops), strict=True))


def _sample(stops: list[tuple[float, Colour]]) -> tuple[Colour, ...]:
    return tuple(_at(stops, step / (STEPS - 1)) for step in range(STEPS))


def _at(stops: list[tuple[float, Colour]], place: float) -> Colour:
    if place <= stops[0][0]:
        return stops[0][1]
    for (start, first), (end, second) in pairwise(stops):
        if place <= end:
            return first if end <= start else _mixed(first, second, (place - start) / (end - start))
    return stops[-1][1]


def _mixed(first: Colour, second: Colour, share: float) -> Colour:
    """Between two colours, in sRGB with alpha multiplied in, as gradients are drawn."""
    alpha = first.alpha + (second.alpha - first.alpha) * share
    if alpha <= 0:
        return Colour(0.0, 0.0, 0.0, 0.0)
    pairs = ((first.red, second.red), (first.green, second.green), (first.blue, second.blue))
    red, green, blue = (
        (one * first.alpha * (1 - share) + other * second.alpha * share) / alpha for one, other in pairs
    )
    return Colour(red, green, blue, alpha)


# What text shadows do to the ground around the letters (CSS Text Decoration 3, section 4).

MOST_OFFSET = 4.0
"""Pixels by which a shadow may be moved and still lie around the letters."""
LEAST_COVER, MOST_COVER = 0.35, 0.7
"""How opaque one blurred shadow is between the letters, at least and right at their edges."""
SEVERAL = 3
"""From this many shadows on they close around the letters, and the ground between is certainly tinted."""

MAXIMUM_RATIO = 21.0
"""Black on white."""
_BLACK, _WHITE = Colour(0.0, 0.0, 0.0), Colour(1.0, 1.0, 1.0)


@dataclass(frozen=True, slots=True)
class Shadow:
    """All the shadows of a text, as a tint of its ground."""

    colour: Colour | None
    """None for no shadow that matters."""
    count: int = 0

    def on(self, ground: Colour) -> Iterator[tuple[Colour, bool]]:
        """The colours next to the letters, and whether each is certainly there."""
        if self.colour is None:
            yield ground, True
            return
        least, most = 1 - (1 - LEAST_COVER) ** self.count, 1 - (1 - MOST_COVER) ** self.count
        if self.count < SEVERAL:
            yield ground, False
        yield self.colour.faded(least).over(ground), self.count >= SEVERAL
        yield self.colour.faded(most).over(ground), True

    def on_anything(self, text: Colour) -> TextContrast | None:
        """What a text certainly has where only its shadows are known, whatever they lie on; None without shadows."""
        if self.colour is None:
            return None
        cover = 1 - (1 - MOST_COVER) ** self.count
        shades = [self.colour.faded(cover).over(ground) for ground in (_BLACK, _WHITE)]
        dark, light = sorted(shades, key=lambda shade: shade.luminance)
        if dark.luminance <= text.luminance <= light.luminance:
            return None
        nearest = min(shades, key=lambda shade: contrast(text, shade))
        return TextContrast(text, nearest, MAXIMUM_RATIO, contrast(text, nearest))


def under_shadows(value: str, text: Colour, scheme: Scheme) -> Shadow | None:
    """Read `text-shadow`; None when a colour or a length in it is not known, or the shadows differ in colour."""
    if value == "none":
        return Shadow(None)
    colours: set[Colour] = set()
    count = 0
    for part in split_on(parse_values(value), ","):
        lengths = [token for token in part if token.kind in ("dimension", "number")]
        named = [token for token in part if token.kind in ("hash", "ident", "function")]
        if any(token.kind == "dimension" and token.name != "px" for token in lengths) or len(named) > 1:
            return None
        colour = parse_colour(named[0].text, text, scheme) if named else text
        if colour is None:
            return None
        blur = lengths[2].number if len(lengths) > 2 else 0.0
        is_near = all(abs(length.number) <= MOST_OFFSET for length in lengths[:2])
        if blur > 0 and is_near and colour.alpha > 0:
            colours.add(colour)
            count += 1
    if len(colours) > 1:
        return None
    return Shadow(next(iter(colours), None), count)


_ALTERING = {"filter": "none", "backdrop-filter": "none", "mix-blend-mode": "normal", "mask-image": "none"}
"""Properties that change colours in ways not followed here, with the value at which they do not."""
_OPAQUE = 0.9995
MAXIMUM_DEPTH = 128
"""Elements around a text that are followed; deeper text is not measured."""
MAXIMUM_GROUNDS = 2048
"""Combinations of grounds, one gradient on another, that are looked at."""
_MOST = 64
"""Colours of one ground that are followed; gradients on gradients are thinned out to that many."""


@dataclass(frozen=True, slots=True)
class _Ground:
    """What an element paints behind its text: colours, each of which may be the one."""

    colours: tuple[Colour, ...]
    certain: frozenset[int]
    """Which of them certainly lie behind the text."""


_NOTHING = _Ground((Colour(0.0, 0.0, 0.0, 0.0),), frozenset({0}))


class ContrastMeter:
    """Measures the texts of one page; answers are kept."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.layers = LayerModel(page)
        self._schemes: dict[str, Scheme] = {}
        self._plain: dict[int, bool] = {}
        self._grounds: dict[int, _Ground | None] = {}
        self._results: dict[tuple[object, ...], TextContrast | None] = {}
        self._canvas = parse_colour("canvas", scheme=self.scheme(page.document.root))
        self._depths: dict[int, int] = {}
        self._colours: dict[tuple[int, str], Colour | None] = {}
        self._opacities: dict[int, float | None] = {}

    def measure(self, node: LexborNode, words: str) -> TextContrast | None:
        """The contrast of the words that stand directly in an element; None when it cannot be told."""
        if self._depth(node) > MAXIMUM_DEPTH:
            return None
        chain = _chain(node)
        text = self._text_colour(node)
        if text is None or self._canvas is None or self.layers.may_be_covered(chain):
            return None
        if not all(self._is_plain(element) for element in chain):
            return None
        stack: list[tuple[_Ground, float]] = []
        for element in chain:
            ground, opacity = self._ground(element, node, words), self._opacity(element)
            if ground is None or opacity is None:
                # What is opaque and lies nearer hides it all the same.
                stack.append((_Ground((), frozenset()), 1.0))
                continue
            if ground != _NOTHING or opacity < _OPAQUE:
                stack.append((ground, opacity))
        shadow = under_shadows(self.page.cascade.value(node, "text-shadow") or "none", text, self.scheme(node))
        seen = stack[self._last_opaque(stack) :]
        key = (text, shadow, *seen)
        if key not in self._results:
            self._results[key] = self._composed(text, shadow, seen)
        return self._results[key]

    def _composed(
        self, text: Colour, shadow: Shadow | None, stack: Sequence[tuple[_Ground, float]]
    ) -> TextContrast | None:
        count = math.prod(len(ground.colours) for ground, _ in stack)
        if shadow is None or count > MAXIMUM_GROUNDS or self._canvas is None:
            return None
        if count == 0:
            return shadow.on_anything(text)
        pairs = self._paint(stack, 0, self._canvas, text, certain=True)
        best, best_certain = None, 1.0
        for written, ground, certain in pairs:
            for shade, is_sure in shadow.on(ground):
                ratio = contrast(written, shade)
                if best is None or ratio > best[0]:
                    best = (ratio, written, shade)
                if certain and is_sure:
                    best_certain = max(best_certain, ratio)
        return None if best is None else TextContrast(best[1], best[2], best[0], best_certain)

    def _paint(
        self, stack: Sequence[tuple[_Ground, float]], level: int, backdrop: Colour, text: Colour, *, certain: bool
    ) -> list[tuple[Colour, Colour, bool]]:
        """Every pair of text and ground that may be seen, opacity of each level applied from the inside out."""
        if level == len(stack):
            return [(text.over(backdrop), backdrop, certain)]
        ground, opacity = stack[level]
        found = []
        for position, colour in enumerate(ground.colours):
            sure = certain and position in ground.certain
            for written, behind, is_sure in self._paint(stack, level + 1, colour.over(backdrop), text, certain=sure):
                found.append((written.faded(opacity).over(backdrop), behind.faded(opacity).over(backdrop), is_sure))
        return found

    def _last_opaque(self, stack: Sequence[tuple[_Ground, float]]) -> int:
        """The innermost level that hides everything outside of it; opacity further out shows it again."""
        start = 0
        for level, (ground, opacity) in enumerate(stack):
            if opacity < _OPAQUE:
                break
            if ground.colours and all(colour.is_opaque for colour in ground.colours):
                start = level
        return start

    def scheme(self, node: LexborNode | None) -> Scheme:
        """The colour scheme an element is drawn in (CSS Color Adjustment 1, section 2)."""
        value = "normal" if node is None else self.page.cascade.value(node, "color-scheme") or "normal"
        if value not in self._schemes:
            words = (self._schemes_of_page() if value == "normal" else value).split()
            preferred: Scheme = self.page.cascade.scheme
            only_dark = "dark" in words and "light" not in words
            self._schemes[value] = preferred if preferred in words else "dark" if only_dark else "light"
        return self._schemes[value]

    def _schemes_of_page(self) -> str:
        metas = self.page.find("meta[name=color-scheme]")
        return (metas[0].attributes.get("content") or "").lower() if metas else "light"

    def colour(self, node: LexborNode, name: str = "color") -> Colour | None:
        """A colour property of an element as a colour; None when not known."""
        key = (node.mem_id, name)
        if key not in self._colours:
            value = self.page.cascade.value(node, name)
            parent = element_parent(node) if name == "color" else node
            current = None
            if value is not None and "currentcolor" in value:
                current = self._canvas_text() if parent is None else self.colour(parent)
            self._colours[key] = None if value is None else parse_colour(value, current, self.scheme(node))
        return self._colours[key]

    def _canvas_text(self) -> Colour | None:
        return parse_colour("canvastext", scheme=self.scheme(self.page.document.root))

    def _text_colour(self, node: LexborNode) -> Colour | None:
        fill = self.page.cascade.value(node, "-webkit-text-fill-color")
        return self.colour(node) if fill == "currentcolor" else self.colour(node, "-webkit-text-fill-color")

    def _opacity(self, node: LexborNode) -> float | None:
        if node.mem_id not in self._opacities:
            self._opacities[node.mem_id] = _share(self.page.cascade.value(node, "opacity"))
        return self._opacities[node.mem_id]

    def _depth(self, node: LexborNode) -> int:
        """How many elements lie around one, worked out from the outside in."""
        missing: list[LexborNode] = []
        current: LexborNode | None = node
        while current is not None and current.mem_id not in self._depths:
            missing.append(current)
            current = element_parent(current)
        depth = 0 if current is None else self._depths[current.mem_id]
        for element in reversed(missing):
            depth += 1
            self._depths[element.mem_id] = depth
        return depth

    def _is_plain(self, node: LexborNode) -> bool:
        if node.mem_id not in self._plain:
            value = self.page.cascade.value
            self._plain[node.mem_id] = all(value(node, name) == usual for name, usual in _ALTERING.items())
        return self._plain[node.mem_id]

    def _ground(self, element: LexborNode, node: LexborNode, words: str) -> _Ground | None:
        if element.mem_id == node.mem_id:
            return self._painted(element, node, words)
        if element.mem_id not in self._grounds:
            # Where on the ground of an outer element the words stand is never certain, so all texts share it.
            self._grounds[element.mem_id] = self._painted(element, node, words)
        return self._grounds[element.mem_id]

    def _painted(self, element: LexborNode, node: LexborNode, words: str) -> _Ground | None:
        """What one element paints: its colour with its gradients on top; None when that cannot be told."""
        if self.page.cascade.value(element, "background-clip") == "text":
            return None
        colour = self.colour(element, "background-color")
        images = self.page.cascade.value(element, "background-image")
        if colour is None or images is None:
            return None
        ground = _Ground((colour,), frozenset({0}))
        if images == "none":
            return ground
        for part in reversed(split_on(parse_values(images), ",")):
            gradient = parse_gradient(text_of(part), self.colour(element), self.scheme(element))
            if gradient is None:
                return None
            ground = _covered(ground, gradient, self.layers.certain_share(element, node, words, gradient.direction))
        return ground


def _covered(ground: _Ground, gradient: Gradient, share: tuple[float, float] | None) -> _Ground:
    """A ground under a gradient, of which the text certainly covers the given part."""
    colours: list[Colour] = []
    certain: set[int] = set()
    last = len(gradient.colours) - 1
    for position, colour in enumerate(gradient.colours):
        is_under_text = share is not None and share[0] <= position / last <= share[1]
        for number, below in enumerate(ground.colours):
            if is_under_text and number in ground.certain:
                certain.add(len(colours))
            colours.append(colour.over(below) if below.alpha > 0 else colour)
    return _Ground(tuple(dict.fromkeys(colours)), frozenset(certain)) if len(colours) <= _MOST else _thinned(colours)


def _thinned(colours: list[Colour]) -> _Ground:
    return _Ground(tuple(colours[:: len(colours) // _MOST + 1]), frozenset())


def _chain(node: LexborNode) -> list[LexborNode]:
    """The elements from the root down to this one."""
    chain: list[LexborNode] = []
    current: LexborNode | None = node
    while current is not None:
        chain.append(current)
        current = element_parent(current)
    return chain[::-1]


def _share(text: str | None) -> float | None:
    """`0.5` or `50%` as a number from 0 to 1."""
    if text is None:
        return None
    try:
        number = float(text.removesuffix("%"))
    except ValueError:
        return None
    return min(1.0, max(0.0, number / 100 if text.endswith("%") else number))
