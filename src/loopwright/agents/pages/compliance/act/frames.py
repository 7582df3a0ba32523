"""Frames: what is in them can be reached, and one name stands for one thing."""

from collections.abc import Iterator
from urllib.parse import unquote, urljoin, urlsplit

from selectolax.lexbor import LexborNode

from loopwright.agents.pages.compliance.accessibility.focus import tab_index
from loopwright.agents.pages.compliance.act.outcome import Finding
from loopwright.agents.pages.compliance.act.subject import Subject
from loopwright.agents.pages.compliance.cascade.lengths import AUTO

_HERE = "https://page.invalid/"
"""Where the page is taken to lie, so that addresses relative to it can be compared."""
_DATA_PAGE = "data:text/html"
DEFAULT_SIZE = {"width": 300.0, "height": 150.0}
SMALLEST_SIZE = 2.0
"""Pixels; nothing can be seen or aimed at in a frame smaller than this."""
MAXIMUM_DEPTH = 5
"""Frames inside frames that are followed."""


def check_tab_order(subject: Subject) -> Iterator[Finding]:
    """akn7bn: a frame with something to operate in it is not taken out of the tab order."""
    for node in subject.page.find("iframe"):
        if subject.visibility.of(node) is False or not _has_size(subject, node) or not _is_live(subject, node):
            continue
        index = tab_index(node)
        excluded = index is not None and index < 0
        inside = embedded_page(node)
        if inside is None:
            if not excluded:
                yield Finding("passed", node, "the frame is in the tab order")
            elif (node.attributes.get("src") or "").strip() not in ("", "about:blank"):
                yield Finding("cantTell", node, "the page in the frame is not known")
        elif _can_be_operated(Subject.read(inside)):
            yield Finding("failed" if excluded else "passed", node, "there is something to operate in the frame")


def check_same_name(subject: Subject) -> Iterator[Finding]:
    """4b1c6c: frames with the same name show the same thing.

    Frames with the same address do.  Whether different addresses lead to the same is not to be seen on the page.
    """
    groups: dict[str, list[tuple[LexborNode, str]]] = {}
    for node, name, address in _named_frames(subject, 0):
        groups.setdefault(name.lower(), []).append((node, address))
    for frames in groups.values():
        if len(frames) < 2:
            continue
        same = len({address for _, address in frames}) == 1
        reason = "the frames show the same" if same else "whether the frames show the same is not to be seen here"
        yield Finding("passed" if same else "cantTell", frames[1][0] if not same else frames[0][0], reason)


def embedded_page(node: LexborNode) -> str | None:
    """The source of the page in a frame, when the frame carries it itself."""
    if "srcdoc" in node.attributes:
        return node.attributes["srcdoc"] or ""
    address = (node.attributes.get("src") or "").strip()
    head, comma, body = address.partition(",")
    if comma and head.lower().startswith(_DATA_PAGE) and not head.lower().endswith(";base64"):
        return unquote(body)
    return None


def _named_frames(subject: Subject, depth: int) -> Iterator[tuple[LexborNode, str, str]]:
    """Every frame that has a name, with what it shows; frames inside frames are given by the one that holds them."""
    for node in subject.page.find("iframe"):
        if subject.tree.is_hidden(node):
            continue
        name = subject.tree.name(node)
        inside = embedded_page(node)
        if name:
            yield node, name, _address(node) if inside is None else f"page:{inside}"
        if inside is not None and depth < MAXIMUM_DEPTH:
            yield from ((node, inner, address) for _, inner, address in _named_frames(Subject.read(inside), depth + 1))


def _address(node: LexborNode) -> str:
    parts = urlsplit(urljoin(_HERE, (node.attributes.get("src") or "").strip()))
    return parts._replace(scheme=parts.scheme.lower(), netloc=parts.netloc.lower()).geturl()


def _has_size(subject: Subject, node: LexborNode) -> bool:
    for name, usual in DEFAULT_SIZE.items():
        length = subject.page.cascade.length(node, name, percent_of=usual)
        size = usual if length is AUTO or length is None else float(length)
        if size < SMALLEST_SIZE:
            return False
    return True


def _is_live(subject: Subject, node: LexborNode) -> bool:
    """Whether neither the frame nor anything around it is inert."""
    return subject.tree.is_focusable(node)


def _can_be_operated(inside: Subject) -> bool:
    return any(
        inside.tree.is_in_tab_order(node) and inside.visibility.of(node) is not False
        for node in inside.page.find("body *")
    )
