"""How large an element can at most become: enough layout to judge a touch target without a browser.

The figures are upper bounds, so an element that is reported as too small is too small.  What would need a real layout
(an image without a size, a percentage of an unknown height) is infinite.  The one approximation is `line-height:
normal`, which depends on the font: 1.2 is what the system fonts of phones have (Roboto 1.17, San Francisco 1.19).
"""

import math
from collections.abc import Iterator

from selectolax.lexbor import LexborNode

from loopwright.agents.pages.compliance.cascade.computed import Cascade, element_parent, from_root_down
from loopwright.agents.pages.compliance.cascade.lengths import AUTO
from loopwright.agents.pages.compliance.cascade.media import VIEWPORT_WIDTH

# How much space a piece of text takes at most, roughly, without a font.

WIDE_CHARACTER = 1.4
"""Width in em of pictographs and East Asian characters, an upper bound."""
BROAD_CHARACTER = 1.0
"""Width in em of capitals, signs and the broad letters m and w, an upper bound."""
PLAIN_CHARACTER = 0.65
"""Width in em of digits and of the other small letters, an upper bound (Verdana, a wide font, has 0.64)."""
SPACE = 0.35
_FIRST_WIDE_CODE_POINT = 0x2190


def text_width(node: LexborNode, font_size: float, *, deep: bool = False) -> float:
    """The width in pixels of an element's text on one line, an upper bound in practice.

    Parameters: `deep` takes the text of the descendants in; otherwise only that which stands directly in the element.
    """
    text = " ".join(node.text(deep=deep, strip=False).split())
    if not text:
        return 0.0
    return sum(_width(character) for character in text) * font_size


def _width(character: str) -> float:
    if character == " ":
        return SPACE
    if ord(character) >= _FIRST_WIDE_CODE_POINT:
        return WIDE_CHARACTER
    is_plain = character.isdigit() or (character.islower() and character not in "mw")
    return PLAIN_CHARACTER if is_plain else BROAD_CHARACTER


def line_count(width: float, available: float, white_space: str | None) -> int:
    """How many lines a text may need at most; none for no text."""
    if width == 0:
        return 0
    if white_space in ("nowrap", "pre"):
        return 1
    # Lines break at words, so each may stay a good deal emptier than it could be.
    return 1 if width <= available else math.ceil(width / max(available * 0.6, 24.0))


NORMAL_LINE_HEIGHT = 1.2
MAXIMUM_DEPTH = 40
"""Content nested deeper than this counts as of unknown size."""
UNKNOWN = math.inf

EMBEDDED = frozenset({"img", "svg", "canvas", "video", "iframe", "embed", "object", "picture", "audio", "math"})
_BLOCK_DISPLAYS = frozenset({"block", "flow-root", "list-item", "flex", "grid", "table"})
_FLEX = frozenset({"flex", "inline-flex"})
_GRID = frozenset({"grid", "inline-grid"})
_HEIGHT, _WIDTH = ("top", "bottom"), ("left", "right")
_UNSIZED_INPUTS = frozenset({"file", "image", "date", "time", "datetime-local", "month", "week"})


class BoxModel:
    """Upper bounds of border boxes, in CSS pixels on a 430 pixel wide screen."""

    def __init__(self, cascade: Cascade) -> None:
        self.cascade = cascade
        self._intrinsic: dict[int, float] = {}
        self._available: dict[int, float] = {}
        self._columns: dict[int, int] = {}
        self._tallest: dict[int, float] = {}

    def display(self, node: LexborNode) -> str | None:
        """The computed display: items and taken-out boxes count as blocks (CSS Display 3, section 2.7)."""
        display = self.cascade.value(node, "display")
        if display is None or not display.startswith("inline"):
            return display
        parent = element_parent(node)
        parent_display = None if parent is None else self.cascade.value(parent, "display")
        is_item = parent_display in _FLEX | _GRID
        if not is_item and not self.is_out_of_flow(node) and self.cascade.value(node, "float") == "none":
            return display
        return {"inline": "block", "inline-block": "block"}.get(display, display.removeprefix("inline-"))

    def is_out_of_flow(self, node: LexborNode) -> bool:
        """Whether an element is positioned absolutely or fixed."""
        return self.cascade.value(node, "position") in ("absolute", "fixed")

    def height_at_most(self, node: LexborNode, depth: int = 0) -> float:
        """The largest height the border box can have."""
        if depth > MAXIMUM_DEPTH or self._is_scaled(node):
            return UNKNOWN
        if self.display(node) == "inline" and node.tag not in EMBEDDED:
            return self.intrinsic_height(node)
        explicit = self._sized(node, "height", _HEIGHT)
        bound = self.intrinsic_height(node)
        if explicit is not None:
            bound = explicit
        elif self.cascade.value(node, "aspect-ratio") != "auto":
            bound = UNKNOWN
        else:
            bound = max(bound, self._stretched(node, depth))
        minimum, maximum = self._sized(node, "min-height", _HEIGHT), self._sized(node, "max-height", _HEIGHT)
        bound = bound if maximum is None else min(bound, maximum)
        return bound if minimum is None else max(bound, minimum)

    def width_at_most(self, node: LexborNode) -> float:
        """The largest width the border box can have; infinite where the layout decides."""
        display = self.display(node)
        if self._is_scaled(node) or display is None:
            return UNKNOWN
        explicit = None if display == "inline" and node.tag not in EMBEDDED else self._sized(node, "width", _WIDTH)
        bound = self._shrunk_width(node, display) if explicit is None else explicit
        if explicit is not None and self._may_grow(node):
            bound = UNKNOWN
        if display == "inline":
            return bound
        minimum, maximum = self._sized(node, "min-width", _WIDTH), self._sized(node, "max-width", _WIDTH)
        bound = bound if maximum is None else min(bound, maximum)
        return bound if minimum is None else max(bound, minimum)

    def edges(self, node: LexborNode, sides: tuple[str, str]) -> float:
        """Padding and border of two opposite sides together."""
        return sum(self._length(node, f"padding-{side}") + self.border(node, side) for side in sides)

    def border(self, node: LexborNode, side: str) -> float:
        """The used width of one border."""
        if self.cascade.value(node, f"border-{side}-style") in ("none", "hidden"):
            return 0.0
        value = self.cascade.value(node, f"border-{side}-width") or ""
        named = {"thin": 1.0, "medium": 3.0, "thick": 5.0}.get(value)
        return self._length(node, f"border-{side}-width") if named is None else named

    def intrinsic_height(self, node: LexborNode, depth: int = 0) -> float:
        """The largest height that the content alone gives the border box."""
        key = node.mem_id
        if key not in self._intrinsic:
            self._intrinsic[key] = self._content_height(node, depth) + self.edges(node, _HEIGHT)
        return self._intrinsic[key]

    def children(self, node: LexborNode) -> Iterator[LexborNode]:
        """The child elements that take part in the layout of their parent."""
        for child in node.iter():
            if self.cascade.value(child, "display") != "none" and not self.is_out_of_flow(child):
                yield child

    def _content_height(self, node: LexborNode, depth: int) -> float:
        if depth > MAXIMUM_DEPTH or self.cascade.value(node, "display") is None:
            return UNKNOWN
        if node.tag in EMBEDDED:
            return UNKNOWN  # its explicit size, if any, is dealt with by the caller
        line = self.cascade.line_height(node, NORMAL_LINE_HEIGHT)
        if line is None:
            return UNKNOWN
        if node.tag == "input":
            return UNKNOWN if (node.attributes.get("type") or "").lower() in _UNSIZED_INPUTS else line
        if node.tag == "select":
            return UNKNOWN if "multiple" in node.attributes or "size" in node.attributes else line
        if node.tag == "textarea":
            rows = node.attributes.get("rows") or ""
            return line * (int(rows) if rows.isdigit() else 2)
        return self._flow_height(node, line, depth)

    def _flow_height(self, node: LexborNode, line: float, depth: int) -> float:
        display = self.display(node) or ""
        heights = [self._outer_height(child, depth + 1) for child in self.children(node)]
        own_text = text_width(node, self.cascade.font_size(node) or 0.0)
        if display == "inline":
            # The box of an inline element is as tall as its font, plus a line for each time it wraps.
            font_size = self.cascade.font_size(node) or 0.0
            whole = text_width(node, font_size, deep=True)
            lines = line_count(whole, self.available_width(node), self.cascade.value(node, "white-space"))
            return max([font_size * NORMAL_LINE_HEIGHT + line * max(0, lines - 1), *heights])
        if display in _FLEX and not (self.cascade.value(node, "flex-direction") or "column").startswith("column"):
            wraps = self.cascade.value(node, "flex-wrap") != "nowrap"
            text = line if own_text else 0.0
            return sum(heights) + text if wraps else max([text, *heights], default=0.0)
        gaps = self._length(node, "row-gap") * max(0, len(heights) - 1) if display in _FLEX | _GRID else 0.0
        if display in _GRID and not self._rows_are_automatic(node):
            return UNKNOWN
        if display not in _FLEX | _GRID and all(self._is_text_level(child) for child in self.children(node)):
            whole = text_width(node, self.cascade.font_size(node) or 0.0, deep=True)
            lines = line_count(whole, self.available_width(node), self.cascade.value(node, "white-space"))
            return max([line, *heights]) * max(lines, 1) if lines or heights else 0.0
        text = line * line_count(own_text, self.available_width(node), self.cascade.value(node, "white-space"))
        return text + sum(heights) + gaps

    def _outer_height(self, node: LexborNode, depth: int) -> float:
        if depth > MAXIMUM_DEPTH:
            return UNKNOWN
        explicit = self._sized(node, "height", _HEIGHT)
        bound = explicit if explicit is not None else self.intrinsic_height(node, depth)
        if self.display(node) != "inline":
            minimum, maximum = self._sized(node, "min-height", _HEIGHT), self._sized(node, "max-height", _HEIGHT)
            bound = bound if maximum is None else min(bound, maximum)
            bound = bound if minimum is None else max(bound, minimum)
        return bound + sum(max(0.0, self._length(node, f"margin-{side}")) for side in _HEIGHT)

    def _is_text_level(self, node: LexborNode) -> bool:
        return (self.display(node) or "").startswith("inline")

    def _rows_are_automatic(self, node: LexborNode) -> bool:
        names = ("grid-template-rows", "grid-auto-rows", "grid-template", "grid")
        return all(self.cascade.value(node, name) in ("", "none", "auto") for name in names)

    def _stretched(self, node: LexborNode, depth: int) -> float:
        """How tall the parent's layout may make an element beyond its content."""
        if self.is_out_of_flow(node):
            both = all(self.cascade.value(node, side) != "auto" for side in _HEIGHT)
            return UNKNOWN if both else 0.0
        parent = element_parent(node)
        display = "" if parent is None else self.display(parent) or ""
        if parent is None or display not in _FLEX | _GRID:
            return UNKNOWN if display.startswith("table") else 0.0
        is_column = display in _FLEX and (self.cascade.value(parent, "flex-direction") or "column").startswith("column")
        if is_column:
            return 0.0 if self.cascade.value(node, "flex-grow") == "0" else self.height_at_most(parent, depth + 1)
        own = self.cascade.value(node, "align-self")
        alignment = self.cascade.value(parent, "align-items") if own == "auto" else own
        if alignment not in (None, "stretch", "normal"):
            return 0.0
        parent_bound = self.height_at_most(parent, depth + 1)
        if parent_bound > self.intrinsic_height(parent) or not self._rows_are_automatic(parent):
            return max(0.0, parent_bound - self.edges(parent, _HEIGHT))
        if parent.mem_id not in self._tallest:
            heights = (self._outer_height(child, depth + 1) for child in self.children(parent))
            self._tallest[parent.mem_id] = max(heights, default=0.0)
        return self._tallest[parent.mem_id]

    def _shrunk_width(self, node: LexborNode, display: str) -> float:
        """The width of a box that is as wide as its content; infinite for one that fills its line."""
        parent = element_parent(node)
        parent_display = None if parent is None else self.display(parent)
        fills = display in _BLOCK_DISPLAYS and not self.is_out_of_flow(node) and node.tag not in ("button", "input")
        is_row_item = (
            parent is not None
            and parent_display in _FLEX
            and not (self.cascade.value(parent, "flex-direction") or "column").startswith("column")
        )
        if (fills or parent_display in _FLEX | _GRID) and not is_row_item:
            return UNKNOWN
        if self._may_grow(node) or (
            self.is_out_of_flow(node)
            and self.cascade.value(node, "right") != "auto"
            and self.cascade.value(node, "left") != "auto"
        ):
            return UNKNOWN
        if node.tag in EMBEDDED or node.tag in ("input", "select", "textarea"):
            return UNKNOWN
        return self._content_width(node, 0) + self.edges(node, _WIDTH)

    def _content_width(self, node: LexborNode, depth: int) -> float:
        font_size = self.cascade.font_size(node)
        if font_size is None or depth > MAXIMUM_DEPTH or self.cascade.value(node, "letter-spacing") != "normal":
            return UNKNOWN
        width = text_width(node, font_size)
        children = list(self.children(node))
        for child in children:
            explicit = self._sized(child, "width", _WIDTH)
            if explicit is None:
                own = UNKNOWN if child.tag in EMBEDDED | {"input", "select", "textarea"} else 0.0
                explicit = own or self._content_width(child, depth + 1) + self.edges(child, _WIDTH)
            width += explicit + sum(max(0.0, self._length(child, f"margin-{side}")) for side in _WIDTH)
        return width + self._length(node, "column-gap") * max(0, len(children) - 1)

    def _may_grow(self, node: LexborNode) -> bool:
        """Whether a row's free space may widen the element."""
        parent = element_parent(node)
        if parent is None or self.display(parent) not in _FLEX:
            return False
        return self.cascade.value(node, "flex-grow") != "0" or self.cascade.value(node, "flex-basis") != "auto"

    def available_width(self, node: LexborNode) -> float:
        """A low guess of the width an element's text has before it wraps."""
        return from_root_down(node, self._available, VIEWPORT_WIDTH, self._narrowed)

    def _narrowed(self, around: float, node: LexborNode) -> float:
        """The width for text in an element, given what its parent has."""
        parent = element_parent(node)
        width = around if parent is None else around / self._columns_of(parent)
        sizes = (self._sized(node, name, _WIDTH) for name in ("width", "max-width"))
        width = min(width, *(size for size in sizes if size is not None), UNKNOWN) - self.edges(node, _WIDTH)
        return max(0.0, width - sum(max(0.0, self._length(node, f"margin-{side}")) for side in _WIDTH))

    def _columns_of(self, parent: LexborNode) -> int:
        if parent.mem_id not in self._columns:
            self._columns[parent.mem_id] = self._count_columns(parent)
        return self._columns[parent.mem_id]

    def _count_columns(self, parent: LexborNode) -> int:
        """Among how many columns a container shares its width, at most."""
        display = self.display(parent)
        if display == "table-row":
            return max(1, sum(1 for _ in self.children(parent)))
        is_row = display in _FLEX and (self.cascade.value(parent, "flex-direction") or "").startswith("row")
        if not is_row and (display not in _GRID or self.cascade.value(parent, "grid-template-columns") == "none"):
            return 1
        return max(1, sum(1 for _ in self.children(parent)))

    def _sized(self, node: LexborNode, name: str, sides: tuple[str, str]) -> float | None:
        """An explicit size as a border box; None when automatic, infinite when not known."""
        length = self.cascade.length(node, name)
        if length is AUTO:
            return None
        if length is None:
            return UNKNOWN
        is_border_box = self.cascade.value(node, "box-sizing") == "border-box"
        return float(length) if is_border_box else float(length) + self.edges(node, sides)

    def _length(self, node: LexborNode, name: str) -> float:
        length = self.cascade.length(node, name, percent_of=VIEWPORT_WIDTH)
        if length is AUTO:
            return 0.0
        return UNKNOWN if length is None else float(length)

    def _is_scaled(self, node: LexborNode) -> bool:
        transform = self.cascade.value(node, "transform")
        is_zoomed = self.cascade.value(node, "zoom") != "1"
        return is_zoomed or transform is None or "scale" in transform or "matrix" in transform
