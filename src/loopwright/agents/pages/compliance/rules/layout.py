"""Rules about the phone-wide layout: a column of at most 430 pixels, nothing wider, no visible scrollbar."""

from collections.abc import Iterator, Mapping
from typing import Any

from selectolax.lexbor import LexborNode

from loopwright.agents.pages.compliance.cascade.computed import element_parent, rank
from loopwright.agents.pages.compliance.cascade.lengths import AUTO
from loopwright.agents.pages.compliance.cascade.media import VIEWPORT_WIDTH
from loopwright.agents.pages.compliance.page import Issue, Page
from loopwright.agents.pages.compliance.rules.markup_rules import Rule

_CONTAINER_DEPTH = 4
"""How deep below the body the column may begin."""
_SCROLLER = "html, body, #app, main, .page, .app, .app-shell, .screen"


def check_max_width(page: Page) -> Iterator[Issue]:
    """On a wide screen the app stays a phone-wide column: body or the boxes in it have a limited width."""
    if not page.css_is_complete or page.document.body is None:
        return
    culprit = _unlimited(page, page.document.body, 0)
    if culprit is not None:
        yield Issue(
            rule="max-width",
            severity="error",
            message="The content is as wide as the window. Put it into one container with max-width: 430px and "
            "margin: 0 auto.",
            selector=page.selector_of(culprit),
            measured="no limit",
            required=f"max-width of at most {VIEWPORT_WIDTH:.0f}px",
        )


def _unlimited(page: Page, node: LexborNode, depth: int) -> LexborNode | None:
    """The first box whose content may grow wider than the phone."""
    if _is_limited(page, node):
        return None
    children = [child for child in node.iter() if page.is_rendered(child) and not page.boxes.is_out_of_flow(child)]
    has_text = bool(node.text(deep=False, strip=True))
    if has_text or (depth >= _CONTAINER_DEPTH and children):
        return node
    found = (_unlimited(page, child, depth + 1) for child in children)
    if not children and node.tag not in ("body", "html", "div", "section", "span"):
        return node
    return next((culprit for culprit in found if culprit is not None), None)


def _is_limited(page: Page, node: LexborNode) -> bool:
    """Whether a box certainly or possibly has a limit; what cannot be told counts as one."""
    for name in ("max-width", "width"):
        # A wide window, so that a percentage of it is no limit and min(100%, 430px) is one.
        length = page.cascade.length(node, name, percent_of=1e6)
        if length is None or (length is not AUTO and float(length) <= VIEWPORT_WIDTH):
            return True
    return False


def check_overflow(page: Page) -> Iterator[Issue]:
    """Nothing may be wider than the screen, or the page scrolls sideways (WCAG 1.4.10)."""
    if not page.css_is_complete:
        return
    for node in page.rendered("body, body *"):
        if page.boxes.display(node) == "inline" and node.tag not in ("img", "svg", "canvas", "video", "iframe"):
            continue
        width = _least_width(page, node)
        if width > VIEWPORT_WIDTH and not _is_clipped(page, node):
            yield Issue(
                rule="overflow",
                severity="error",
                message="The element is wider than the screen. Use width: 100% and max-width, or let its container "
                "scroll with overflow-x: auto.",
                selector=page.selector_of(node),
                measured=f"{width:.0f}px",
                required=f"at most {VIEWPORT_WIDTH:.0f}px",
            )


def _least_width(page: Page, node: LexborNode) -> float:
    """The width that an element certainly takes, in pixels; 0 where the layout decides."""
    lengths = {name: page.cascade.length(node, name) for name in ("width", "min-width", "max-width")}
    width, minimum, maximum = (lengths[name] for name in ("width", "min-width", "max-width"))
    taken = float(width) if isinstance(width, float) else 0.0
    parent = element_parent(node)
    parent_display = "" if parent is None else page.boxes.display(parent) or ""
    if parent_display.endswith("flex") and page.cascade.value(node, "flex-shrink") not in ("0",):
        taken = 0.0  # a flex item shrinks from its width down to its minimum
    if page.cascade.value(node, "max-width") not in ("none", None):
        taken = min(taken, float(maximum)) if isinstance(maximum, float) else 0.0
    return max(taken, float(minimum) if isinstance(minimum, float) else 0.0)


def _is_clipped(page: Page, node: LexborNode) -> bool:
    """Whether a box around the element hides or scrolls what sticks out, or the element is placed elsewhere."""
    if page.boxes.is_out_of_flow(node):
        return True
    parent = element_parent(node)
    while parent is not None:
        if page.cascade.value(parent, "overflow-x") != "visible" or page.boxes.is_out_of_flow(parent):
            return True
        parent = element_parent(parent)
    return False


def check_scrollbar(page: Page) -> Iterator[Issue]:
    """The prototype looks like an app: it scrolls, and shows no scrollbar."""
    root = page.document.root
    if not page.css_is_complete or root is None or _window_hides_scrollbar(page, root, page.document.body):
        return
    frame = [node for node in (root, page.document.body) if node is not None]
    if any(page.cascade.value(node, "overflow-y") in ("hidden", "clip") for node in frame):
        scrollers = [node for node in page.find(_SCROLLER) if node.tag not in ("html", "body")]
        if any(_hides_scrollbar(page, node) for node in scrollers):
            return  # the page stands still, and a box in it scrolls
    yield Issue(
        rule="scrollbar",
        severity="error",
        message="The scrollbar shows. Add 'html { scrollbar-width: none } ::-webkit-scrollbar { display: none }'.",
        selector="html",
        required="scrollbar-width: none",
        auto_fixable=True,
    )


def _window_hides_scrollbar(page: Page, root: LexborNode, body: LexborNode | None) -> bool:
    """Whether the window shows none: `scrollbar-width` counts on the root, the pseudo-element on the body first."""
    if page.cascade.value(root, "scrollbar-width") in ("none", None):
        return True
    of_body = {} if body is None else _scrollbar_style(page, body)
    return _is_gone(of_body or _scrollbar_style(page, root))


def _hides_scrollbar(page: Page, node: LexborNode) -> bool:
    """Whether a box certainly or possibly hides its scrollbar."""
    return page.cascade.value(node, "scrollbar-width") in ("none", None) or _is_gone(_scrollbar_style(page, node))


def _is_gone(style: Mapping[str, str]) -> bool:
    return style.get("display") == "none" or style.get("width", "1").removesuffix("px") == "0"


def _scrollbar_style(page: Page, node: LexborNode) -> dict[str, str]:
    """The declarations that win for the `::-webkit-scrollbar` of a box."""
    winning: dict[str, tuple[Any, str]] = {}
    for rule, styled in page.cascade.pseudo_elements:
        if rule.selector.pseudo_element != "-webkit-scrollbar" or styled.mem_id != node.mem_id:
            continue
        for declaration in rule.declarations:
            place = rank(rule, declaration)
            if declaration.name not in winning or place >= winning[declaration.name][0]:
                winning[declaration.name] = (place, declaration.value.strip().lower())
    return {name: value for name, (_, value) in winning.items()}


LAYOUT_RULES = (
    Rule("max-width", "The content is a column of at most 430 pixels.", check_max_width),
    Rule("overflow", "No element is wider than the screen.", check_overflow),
    Rule("scrollbar", "The scrollbar is hidden.", check_scrollbar),
)
