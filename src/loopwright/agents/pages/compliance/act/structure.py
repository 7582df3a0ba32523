"""Headings that lead past what all pages share."""

from collections.abc import Iterator

from selectolax.lexbor import LexborNode

from loopwright.agents.pages.compliance.accessibility.roles import inherits_from
from loopwright.agents.pages.compliance.act.outcome import Finding
from loopwright.agents.pages.compliance.act.subject import Subject
from loopwright.agents.pages.compliance.cascade.computed import element_parent

_SHARED = ("banner", "complementary", "contentinfo", "navigation", "search")
"""Landmarks for what the pages of a site have in common (WAI-ARIA 1.2, section 5.3.4)."""
_PERCEIVED = frozenset({"img", "svg", "canvas", "video", "audio", "iframe", "input", "select", "textarea", "button"})


def check_heading_after_repeated_content(subject: Subject) -> Iterator[Finding]:
    """047fe0: after what other pages repeat comes a heading.

    One page does not show what others repeat.  Landmarks that hold links to other pages are taken as repeated, and
    what a page says outside of them as its own.  Where links stand in no landmark, a page without a heading is left
    open.
    """
    root = subject.page.document.root
    if root is None or not subject.is_html:
        return
    in_landmarks, elsewhere = _links(subject)
    own = list(_after(subject, in_landmarks[0])) if in_landmarks else []
    if any(_is_heading(subject, node) for node in own):
        yield Finding("passed", root, "a heading leads to the page's own content")
    elif in_landmarks and any(_is_content(subject, node) for node in own):
        yield Finding("failed", root, "no heading leads past the repeated content")
    elif elsewhere and not any(_is_heading(subject, node) for node in _after(subject, elsewhere[0])):
        yield Finding("cantTell", root, "whether other pages repeat the links is not to be seen here")
    else:
        yield Finding("passed", root, "nothing is repeated before the page's own content")


def _links(subject: Subject) -> tuple[list[LexborNode], list[LexborNode]]:
    """The links to other pages, in landmarks and elsewhere."""
    in_landmarks: list[LexborNode] = []
    elsewhere: list[LexborNode] = []
    for node in subject.page.find("a[href], area[href]"):
        address = (node.attributes["href"] or "").strip()
        if address and not address.startswith("#"):
            (in_landmarks if _shared_landmark(subject, node) else elsewhere).append(node)
    return in_landmarks, elsewhere


def _shared_landmark(subject: Subject, node: LexborNode) -> LexborNode | None:
    current: LexborNode | None = node
    while current is not None:
        role = subject.tree.role(current)
        if any(inherits_from(role, shared) for shared in _SHARED):
            return current
        current = element_parent(current)
    return None


def _after(subject: Subject, start: LexborNode) -> Iterator[LexborNode]:
    """The elements behind another one in the source that stand in no shared landmark."""
    seen = False
    for node in subject.page.find("body *"):
        if seen and _shared_landmark(subject, node) is None:
            yield node
        seen = seen or node.mem_id == start.mem_id


def _is_heading(subject: Subject, node: LexborNode) -> bool:
    is_heading = subject.tree.role(node) == "heading" and subject.tree.includes(node)
    return is_heading and subject.visibility.of(node) is not False and bool(subject.tree.name(node))


def _is_content(subject: Subject, node: LexborNode) -> bool:
    """Whether an element says or shows something by itself."""
    if subject.visibility.of(node) is False and subject.tree.is_hidden(node):
        return False
    texts = (child.text_content or "" for child in node.iter(include_text=True) if child.is_text_node)
    return node.tag in _PERCEIVED or (node.tag not in ("script", "style") and any(text.strip() for text in texts))
