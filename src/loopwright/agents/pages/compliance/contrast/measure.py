"""The contrast of a text with its ground.

What is painted under a text is followed from the canvas down: the backgrounds of the elements around it, gradients,
translucent colours and opacity.  Other boxes that may lie in between, pictures, filters and blend modes cannot be
followed and leave the answer open.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from selectolax.lexbor import LexborNode

from loopwright.agents.pages.compliance.cascade.colours import Colour, Scheme, contrast, parse_colour
from loopwright.agents.pages.compliance.cascade.computed import element_parent
from loopwright.agents.pages.compliance.cascade.tokens import parse_values, split_on, text_of
from loopwright.agents.pages.compliance.contrast.gradients import Gradient, parse_gradient
from loopwright.agents.pages.compliance.contrast.layers import LayerModel
from loopwright.agents.pages.compliance.contrast.shadows import Shadow, under_shadows
from loopwright.agents.pages.compliance.contrast.text_contrast import TextContrast
from loopwright.agents.pages.compliance.page import Page

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
