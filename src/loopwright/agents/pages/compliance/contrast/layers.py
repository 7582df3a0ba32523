"""Which boxes may lie between a text and the backgrounds around it, and where on them it stands."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from selectolax.lexbor import LexborNode

from loopwright.agents.pages.compliance.accessibility.roles import input_type
from loopwright.agents.pages.compliance.cascade.box import text_width
from loopwright.agents.pages.compliance.cascade.computed import element_parent
from loopwright.agents.pages.compliance.cascade.lengths import AUTO
from loopwright.agents.pages.compliance.page import Page

# Which elements text is written in, and how large it is.

LARGE = 24.0
"""CSS pixels, 18 points: from here on text is large (WCAG 2.2, "large scale")."""
LARGE_WHEN_BOLD = 56 / 3
"""CSS pixels, 14 points."""
BOLD = 700
_ROUNDING = 0.01
_NO_TEXT = frozenset({"script", "style", "template", "title", "noscript", "head", "textarea", "option", "optgroup"})
_BUTTONS = frozenset({"button", "submit", "reset"})
_TYPED = frozenset({"text", "search", "tel", "url", "email", "password", "number", "date", "time", "month", "week"})


@dataclass(frozen=True, slots=True)
class Text:
    """Words that stand directly in an element."""

    node: LexborNode
    words: str
    is_typed: bool = False
    """Whether they are, or will be, the value of a field, and so no text of the page's source."""


def written_texts(page: Page) -> Iterator[Text]:
    """The texts of a page in document order, drawings left out, whether or not they are shown."""
    drawn = {node.mem_id for node in page.find("svg, svg *, math, math *")}
    for node in page.find("body, body *"):
        if node.mem_id in drawn:
            continue
        if node.tag in ("input", "select", "textarea"):
            yield from _typed(node)
        elif node.tag not in _NO_TEXT:
            words = "".join(child.text_content or "" for child in node.iter(include_text=True) if child.is_text_node)
            if words.strip():
                yield Text(node, " ".join(words.split()))


def _typed(node: LexborNode) -> Iterator[Text]:
    if node.tag != "input":
        yield Text(node, " ".join(node.text(deep=True).split()), is_typed=True)
        return
    kind = input_type(node)
    if kind in _BUTTONS | _TYPED:
        yield Text(node, (node.attributes.get("value") or "").strip(), is_typed=True)


def is_large(page: Page, node: LexborNode) -> bool | None:
    """Whether text counts as large: 24 pixels, or 18.66 when bold; None when its size is not known."""
    size = page.cascade.font_size(node)
    if size is None:
        return None
    if size >= LARGE - _ROUNDING:
        return True
    if size < LARGE_WHEN_BOLD - _ROUNDING:
        return False
    weight = font_weight(page, node)
    return None if weight is None else weight >= BOLD


def font_weight(page: Page, node: LexborNode) -> int | None:
    """The weight as a number; None when not known."""
    value = page.cascade.value(node, "font-weight")
    if value in ("bold", "bolder"):
        return BOLD
    if value in ("normal", "lighter"):
        return 400
    return int(float(value)) if value is not None and value.replace(".", "", 1).isdigit() else None


NARROWEST_SHARE = 0.4
"""Width of a text, at least, as a share of the upper bound that is known of it."""
_PICTURES = frozenset({"img", "picture", "video", "canvas", "iframe", "embed", "object", "svg"})
_OUT_OF_FLOW = ("absolute", "fixed", "sticky")


class LayerModel:
    """Boxes that are taken out of the flow and may cover, or lie under, the texts around them."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self._covering: dict[int, list[LexborNode]] = {}
        """The covering boxes by the element they are laid out in; 0 for the whole screen."""
        value = page.cascade.value
        for node in page.find("body *"):
            if value(node, "position") == "absolute" and self._is_wide(node) and self._holds_paint(node):
                owner = self._containing_block(node)
                self._covering.setdefault(0 if owner is None else owner.mem_id, []).append(node)
        self._painted_counts: dict[int, int] = {}
        self._painted_ids: set[int] = set()
        self._decorated = {
            node.mem_id
            for rule, node in page.cascade.pseudo_elements
            if rule.selector.pseudo_element in ("before", "after")
            and any(each.name == "position" for each in rule.declarations)
            and any(each.name.startswith("background") for each in rule.declarations)
        }

    def may_be_covered(self, chain: Sequence[LexborNode]) -> bool:
        """Whether some other box may lie between a text and what the elements around it paint.

        Args:
            chain: the elements from the root down to the one that holds the text.
        """
        inside = {node.mem_id for node in chain} if self._covering else set()
        for position in range(len(chain) - 1, -1, -1):
            node = chain[position]
            if node.mem_id in self._decorated or self._is_covered_in(node.mem_id, inside):
                return True
            if self._is_opaque(node):
                return False
            if self.page.cascade.value(node, "position") in _OUT_OF_FLOW and self._has_other_paint(chain, position):
                return True
        return self._is_covered_in(0, inside)

    def certain_share(
        self, element: LexborNode, node: LexborNode, words: str, direction: float | None
    ) -> tuple[float, float] | None:
        """The part of a gradient, from its beginning (0) to its end (1), that the words certainly stand on.

        None when nothing is certain: the gradient is that of an element further out, or runs some other way.
        """
        if element.mem_id != node.mem_id or direction is None:
            return None
        if direction in (0.0, 180.0):
            return 0.45, 0.55  # the lines of a box lie around its middle
        size = self.page.cascade.font_size(node)
        starts_left = self.page.cascade.value(node, "text-align") in ("start", "left")
        if size is None or not starts_left or direction not in (90.0, 270.0):
            return None
        length = self.page.cascade.length(node, "width", percent_of=self.page.boxes.available_width(node))
        width = self.page.boxes.available_width(node) if length is AUTO or length is None else float(length)
        share = min(1.0, NARROWEST_SHARE * text_width(node, size) / max(width, 1.0)) if words else 0.0
        return (0.0, share) if direction == 90.0 else (1.0 - share, 1.0)

    def _is_covered_in(self, owner: int, inside: set[int]) -> bool:
        return any(node.mem_id not in inside for node in self._covering.get(owner, ()))

    def _is_wide(self, node: LexborNode) -> bool:
        """Whether a box is stretched between two sides or as large as what it lies in."""
        value = self.page.cascade.value
        sides = [value(node, side) for side in ("top", "right", "bottom", "left")]
        if None in sides or value(node, "display") == "none":
            return None in sides
        stretched = ("auto" not in (sides[0], sides[2])) or ("auto" not in (sides[1], sides[3]))
        return stretched or "100%" in (value(node, "width"), value(node, "height"))

    def _is_painted(self, node: LexborNode) -> bool:
        value = self.page.cascade.value
        if not self.page.is_rendered(node) or value(node, "opacity") == "0":
            return False
        own = value(node, "background-color") != "transparent" or value(node, "background-image") != "none"
        return own or node.tag in _PICTURES

    def _holds_paint(self, node: LexborNode) -> bool:
        """Whether a box or a picture in it paints something."""
        if self._is_painted(node):
            return True
        return self.page.is_rendered(node) and any(map(self._is_painted, node.css(", ".join(sorted(_PICTURES)))))

    def _containing_block(self, node: LexborNode) -> LexborNode | None:
        parent = element_parent(node)
        while parent is not None and self.page.cascade.value(parent, "position") == "static":
            parent = element_parent(parent)
        return parent

    def _is_opaque(self, node: LexborNode) -> bool:
        """A first look only: a colour that is written without any transparency."""
        colour = self.page.cascade.value(node, "background-color") or ""
        return colour not in ("", "transparent") and not any(sign in colour for sign in ("rgba", "hsla", "/", "mix"))

    def _has_other_paint(self, chain: Sequence[LexborNode], position: int) -> bool:
        """Whether anything but the elements of the chain paints something that could lie behind a positioned one."""
        node = chain[position]
        is_fixed = self.page.cascade.value(node, "position") == "fixed"
        outer = 0 if is_fixed else max(0, position - 1)
        around = self._painted_below(chain[outer]) - self._painted_below(node)
        return around > sum(element.mem_id in self._painted_ids for element in chain[outer:position])

    def _painted_below(self, node: LexborNode) -> int:
        """How many elements paint something, an element and all it holds counted."""
        if not self._painted_counts:
            for element in reversed(self.page.find("*")):  # what an element holds comes before it this way round
                is_painted = self._is_painted(element)
                if is_painted:
                    self._painted_ids.add(element.mem_id)
                count = self._painted_counts.get(element.mem_id, 0) + is_painted
                self._painted_counts[element.mem_id] = count
                parent = element_parent(element)
                if parent is not None:
                    self._painted_counts[parent.mem_id] = self._painted_counts.get(parent.mem_id, 0) + count
        return self._painted_counts[node.mem_id]
