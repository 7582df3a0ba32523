"""The pages as their source and their styles say they look, where there is no browser: no scripts, no exact places."""

import re
from collections.abc import Sequence

from selectolax.lexbor import LexborHTMLParser, LexborNode

from loopwright.agents.pages.account.looks import Element, Look, Looks
from loopwright.agents.pages.compliance.cascade.colours import parse_colour
from loopwright.agents.pages.compliance.cascade.computed import Cascade, element_parent
from loopwright.agents.pages.requests.app import App

LINE, WIDTH, HEIGHT = 24, 300, 48
"""CSS pixels that an element is taken to need, since nothing is laid out: the order of the source is what is known."""

_MONEY = re.compile(r"(?:[$€£¥₹]|CHF|EUR|USD|GBP|元)\s?\d|\d[\d.,]*\s?(?:[$€£¥₹]|CHF|EUR|USD|GBP|元)")
_SILENT = frozenset({"script", "style", "template", "noscript", "head", "title", "meta", "link", "option"})
_KINDS = {
    "button": ("button", "[role=button]", "input[type=submit]", "a.btn", "a.button"),
    "menu": ("nav",), "menu item": ("nav a[href]",), "header": ("header",), "footer": ("footer",),
    "section": ("section", "article", "form", "aside"), "form": ("form",), "row": ("li", "tr"),
    "heading": ("h1", "h2", "h3", "h4"), "headline": ("h1",), "card": ("article", ".card", "[class*=card]"),
    "image": ("img", "picture", "video"), "field": ("input", "select", "textarea"), "link": ("a[href]",),
    "page": ("body",), "rating": ("[class*=rating]", "[aria-label*=' out of ']"),
}  # fmt: skip


def read_looks(app: App) -> Looks:
    """The look of each page, as far as files tell it."""
    return {slug: _read(slug, html, app.css) for slug, html in app.pages.items()}


def _read(slug: str, html: str, css: str) -> Look:
    document = LexborHTMLParser(html)
    own = [node.text() for node in document.css("style")]
    cascade = Cascade(document, [css, *own])
    kinds: dict[int, list[str]] = {}
    for kind, selectors in _KINDS.items():
        for node in document.css(", ".join(selectors)):
            kinds.setdefault(node.mem_id, []).append(kind)
    found: list[Element] = []
    if document.body is not None:
        _walk(document.body, cascade, kinds, found, -1)
    title, root = document.css_first("title"), document.root
    lang = (root.attributes.get("lang") or "") if root is not None else ""
    return Look(slug, _words(title.text()) if title else "", lang, wide=False, elements=found)


def _walk(node: LexborNode, cascade: Cascade, kinds: dict[int, list[str]], found: list[Element], inside: int) -> None:
    if node.tag in _SILENT or "hidden" in node.attributes or cascade.value(node, "display") == "none":
        return
    own = _words(" ".join(child.text_content or "" for child in node.iter(include_text=True) if child.is_text_node))
    mine = list(kinds.get(node.mem_id, []))
    if "button" in mine or "menu item" in mine:
        mine = [each for each in mine if each != "link" or "menu item" in mine]
    mine += ["text"] if own else []
    text = _words(node.text(separator=" "))
    mine += ["price"] if own and len(text) < 40 and _MONEY.search(text) else []
    if mine or node.attributes.get("id"):
        found.append(_element(node, cascade, mine, own, text, inside, len(found)))
        inside = len(found) - 1
    for child in node.iter():
        _walk(child, cascade, kinds, found, inside)


def _element(
    node: LexborNode, cascade: Cascade, kinds: Sequence[str], own: str, text: str, inside: int, place: int
) -> Element:
    given = node.attributes
    names = (given.get(name) for name in ("aria-label", "placeholder", "alt", "title"))
    radius = cascade.length(node, "border-top-left-radius")
    font = cascade.value(node, "font-family") or ""
    return Element(
        tag=node.tag or "",
        kinds=kinds,
        text=text[:2000],
        own=own,
        label=_words(" ".join(filter(None, names))),
        href=given.get("href") or "",
        classes=(given.get("class") or "").split(),
        path=_path(node),
        inside=inside,
        x=0,
        y=place * LINE,
        width=WIDTH,
        height=HEIGHT,
        fixed=cascade.value(node, "position") in ("fixed", "sticky"),
        colour=_colour(node, cascade, "color") or "rgb(0, 0, 0)",
        ground=_ground(node, cascade),
        size=cascade.font_size(node) or 16.0,
        weight=float(_number(cascade.value(node, "font-weight"), 400)),
        font=font,
        radius=min(radius if isinstance(radius, int | float) else 0.0, HEIGHT / 2),
        align=cascade.value(node, "text-align") or "",
        padding=sum(_number(str(cascade.length(node, f"padding-{side}")), 0) for side in ("top", "left")),
        mono=bool(re.search(r"mono|courier|consol", font)),
    )


def _number(value: str | None, default: float) -> float:
    found = re.match(r"-?\d+(?:\.\d+)?", value or "")
    return float(found[0]) if found else default


def _colour(node: LexborNode, cascade: Cascade, name: str) -> str | None:
    colour = parse_colour(cascade.value(node, name) or "")
    if colour is None or colour.alpha == 0:
        return None
    red, green, blue = (round(part * 255) for part in (colour.red, colour.green, colour.blue))
    return f"rgb({red}, {green}, {blue})"


def _ground(node: LexborNode, cascade: Cascade) -> str:
    current: LexborNode | None = node
    while current is not None:
        if colour := _colour(current, cascade, "background-color"):
            return colour
        current = element_parent(current)
    return "rgb(255, 255, 255)"


def _path(node: LexborNode) -> str:
    steps: list[str] = []
    current: LexborNode | None = node
    while current is not None and current.tag not in (None, "body", "html"):
        if name := current.attributes.get("id"):
            steps.append(f"#{name}")
            break
        number, sibling = 1, current.prev
        while sibling is not None:
            number += sibling.is_element_node and sibling.tag == current.tag
            sibling = sibling.prev
        steps.append(f"{current.tag}:nth-of-type({number})")
        current = current.parent
    return " > ".join(reversed(steps))


def _words(text: str | None) -> str:
    return " ".join((text or "").split())
