"""What can be seen of a page, as far as CSS alone tells.

The ACT rules call content visible when making it transparent would change a pixel that can be scrolled to.
"""

from selectolax.lexbor import LexborNode

from loopwright.agents.pages.compliance.cascade.ancestors import from_root_down
from loopwright.agents.pages.compliance.cascade.computed import element_parent
from loopwright.agents.pages.compliance.cascade.media import VIEWPORT_WIDTH
from loopwright.agents.pages.compliance.page import Page

FAR_AWAY = 999.0
"""Pixels to the left or above from where nothing can be scrolled into view; authors write 999 or more for hiding."""
_CLIPPED_AWAY = (
    "rect(0", "rect(1px", "inset(50%", "inset(100%", "circle(0", "polygon(0 0, 0 0", "polygon(0px 0px, 0px",
)  # fmt: skip


class Visibility:
    """Tells visible elements from invisible ones; answers are kept."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self._whole: dict[int, bool | None] = {}

    def of(self, node: LexborNode) -> bool | None:
        """Whether the content of an element can be seen; None when that cannot be told."""
        if self.page.cascade.value(node, "visibility") not in ("visible", None):
            return False
        return self._place(node)

    def _place(self, node: LexborNode) -> bool | None:
        """Whether nothing from the root down to the element takes it out of sight."""
        return from_root_down(node, self._whole, True, self._goes_on)

    def _goes_on(self, around: bool | None, node: LexborNode) -> bool | None:
        own = around if around is False else self._shows(node)
        return around if own is True else own

    def _shows(self, node: LexborNode) -> bool | None:
        parent = element_parent(node)
        if parent is not None and parent.tag == "details" and "open" not in parent.attributes and node.tag != "summary":
            return False
        value = self.page.cascade.value
        display, opacity = value(node, "display"), value(node, "opacity")
        if display == "none" or _is_zero(opacity):
            return False
        answers = [
            None if display is None or opacity is None else True,
            self._is_in_reach(node),
            self._has_room(node),
            self._is_unclipped(node),
        ]
        return False if False in answers else None if None in answers else True

    def _is_in_reach(self, node: LexborNode) -> bool | None:
        """Not moved out to the left or to the top, where nobody can scroll."""
        cascade = self.page.cascade
        names = ["margin-left", "margin-top", "text-indent"]
        if cascade.value(node, "position") in ("absolute", "fixed", "relative"):
            names += ["left", "top"]
        answer: bool | None = True
        for name in names:
            length = cascade.length(node, name, percent_of=VIEWPORT_WIDTH)
            if length is None and cascade.value(node, name) is None:
                answer = None
            elif isinstance(length, float) and length <= -FAR_AWAY:
                return False
            elif isinstance(length, float) and length < 0 and name in ("left", "top"):
                answer = None  # how much of it stays in view depends on its size
        return answer if self._is_moved(node) is not True else None

    def _is_moved(self, node: LexborNode) -> bool:
        value = self.page.cascade.value
        return any(value(node, name) != "none" for name in ("transform", "translate", "scale"))

    def _has_room(self, node: LexborNode) -> bool | None:
        """Not a box of a pixel or less that cuts off what it holds, and text of a size to be seen."""
        cascade = self.page.cascade
        if cascade.font_size(node) == 0:
            return False
        cuts = cascade.value(node, "overflow-x") in ("hidden", "clip") or node.tag in ("iframe", "img", "canvas")
        if not cuts:
            return True
        sizes = [cascade.length(node, name, percent_of=VIEWPORT_WIDTH) for name in ("width", "height")]
        return not any(isinstance(size, float) and size <= 1 for size in sizes)

    def _is_unclipped(self, node: LexborNode) -> bool | None:
        value = self.page.cascade.value
        clips = [value(node, "clip-path")]
        if value(node, "position") in ("absolute", "fixed"):
            clips.append(value(node, "clip"))
        if any(clip is not None and clip.startswith(_CLIPPED_AWAY) for clip in clips):
            return False
        return True if all(clip in ("none", "auto") for clip in clips) else None


def _is_zero(text: str | None) -> bool:
    try:
        return text is not None and float(text) == 0
    except ValueError:
        return text == "0%"
