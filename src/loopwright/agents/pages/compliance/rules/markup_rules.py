"""Touch targets: everything that can be tapped is at least 44 by 44 CSS pixels.

WCAG 2.5.5 (Target Size, Enhanced) with its exception for links in a sentence, which are as tall as the line.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from selectolax.lexbor import LexborNode

from loopwright.agents.pages.compliance.accessibility.detection import has_known_language
from loopwright.agents.pages.compliance.accessibility.tree import LabelIndex
from loopwright.agents.pages.compliance.cascade.computed import element_parent
from loopwright.agents.pages.compliance.page import Issue, Link, Page
from loopwright.agents.pages.compliance.shell import viewport_is_mobile

# What a rule is.


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule of the table."""

    id: str
    """Identifier carried by its issues."""
    summary: str
    """What a page has to be like, in one sentence."""
    check: Callable[[Page], Iterable[Issue]]
    """Finds what breaks the rule; yields nothing for what cannot be judged."""


# Rules about the document as a whole: doctype, language, character set, title, viewport, unique ids.


def check_doctype(page: Page) -> Iterator[Issue]:
    """Without a doctype browsers fall into quirks mode, where sizes are computed differently."""
    if page.skeleton.doctype is None:
        message = "The page has no doctype. Begin it with <!doctype html>."
        yield Issue(rule="doctype", severity="error", message=message, auto_fixable=True)


def check_language(page: Page) -> Iterator[Issue]:
    """A screen reader picks its voice by the page's language (WCAG 3.1.1)."""
    language = (page.skeleton.html.value("lang") or "").strip() if page.skeleton.html else ""
    if has_known_language(language):
        return
    problem = f"'{language}' names no language" if language else "The page does not say its language"
    yield Issue(
        rule="html-lang",
        severity="error",
        message=f'{problem}. Write <html lang="en"> or the language of the text.',
        selector="html",
        measured=language or None,
        auto_fixable=not language,
    )


def check_charset(page: Page) -> Iterator[Issue]:
    """Pages are stored as UTF-8, and a browser that is not told guesses."""
    metas = [token for token in page.skeleton.head_tags if token.name == "meta"]
    declared = [token.value("charset") or "" for token in metas if token.attribute("charset")]
    declared += [token.value("content") or "" for token in metas if token.attribute("http-equiv")]
    if not any(re.search(r"utf-?8", text, re.IGNORECASE) for text in declared):
        message = 'The page does not declare UTF-8. Add <meta charset="utf-8"> first in the head.'
        yield Issue(rule="charset", severity="warning", message=message, auto_fixable=True)


def check_title(page: Page) -> Iterator[Issue]:
    """A page needs a title that says what it is (WCAG 2.4.2)."""
    if not page.skeleton.title_text.strip():
        message = "The page has no title. Put <title> with the name of the screen into the head."
        yield Issue(rule="title", severity="error", message=message, selector="title", auto_fixable=True)


def check_viewport(page: Page) -> Iterator[Issue]:
    """Without the viewport meta a phone lays the page out 980 pixels wide and shrinks it."""
    meta = page.skeleton.meta("viewport")
    content = "" if meta is None else meta.value("content") or ""
    required = "width=device-width, initial-scale=1"
    if not viewport_is_mobile(content):
        problem = "The viewport is wrong for phones" if content else "The page has no viewport"
        yield Issue(
            rule="viewport",
            severity="error",
            message=f'{problem}. Put <meta name="viewport" content="{required}"> into the head.',
            selector='meta[name="viewport"]' if meta else None,
            measured=content or None,
            required=required,
            auto_fixable=True,
        )


def check_unique_ids(page: Page) -> Iterator[Issue]:
    """An id names one element: labels, links and scripts find only the first of several."""
    counts = Counter(node.attributes.get("id") or "" for node in page.find("[id]"))
    for identifier, count in counts.items():
        if count > 1 and identifier:
            yield Issue(
                rule="duplicate-id",
                severity="error",
                message=f"The id '{identifier}' is used more than once. Give each element an id of its own.",
                selector=f'[id="{identifier}"]',
                measured=f"{count} elements",
                required="1 element",
            )


DOCUMENT_RULES = (
    Rule("doctype", "The page begins with <!doctype html>.", check_doctype),
    Rule("html-lang", "The html element says the language of the page.", check_language),
    Rule("charset", "The page declares UTF-8.", check_charset),
    Rule("title", "The page has a title.", check_title),
    Rule("viewport", "The viewport is as wide as the device, at scale 1.", check_viewport),
    Rule("duplicate-id", "No two elements share an id.", check_unique_ids),
)


MINIMUM_TARGET = 44.0
MAXIMUM_DEPTH = 20
"""How deep inline elements are followed in search of words."""
ROUNDING = 0.5
"""Pixels by which a target may fall short, so that fractions of a line height are not reported."""
TARGETS = (
    "a[href], button, input, select, textarea, summary, [role=button], [role=link], [role=tab], [role=switch], "
    "[role=checkbox], [role=radio], [role=menuitem]"
)


def check_touch_targets(page: Page) -> Iterator[Issue]:
    """Report the targets that are certainly too small."""
    if not page.css_is_complete:
        return
    inside_pictures = {node.mem_id for node in page.find("svg *")}  # sized by the picture, not by CSS boxes
    targets = [node for node in page.rendered(TARGETS) if node.mem_id not in inside_pictures]
    lines = _Lines(page, {node.mem_id for node in targets})
    for node in targets:
        if lines.hold_a_sentence_around(node) or _is_hidden_by_position(page, node):
            continue
        areas = [node, *_labels(page, node)]
        height = max(page.boxes.height_at_most(area) for area in areas)
        width = max(page.boxes.width_at_most(area) for area in areas)
        if min(height, width) < MINIMUM_TARGET - ROUNDING:
            yield _too_small(page, node, width, height)


class _Lines:
    """The lines of text that targets stand on; each block is read once, however many targets it holds."""

    def __init__(self, page: Page, targets: set[int]) -> None:
        self.page = page
        self.targets = targets
        self._has_words: dict[int, bool] = {}

    def hold_a_sentence_around(self, node: LexborNode) -> bool:
        """Whether a link stands in running text: it is inline, and its block has words besides the targets."""
        is_link = node.tag == "a" or node.attributes.get("role") == "link"
        if not is_link or self.page.boxes.display(node) != "inline":
            return False
        block = element_parent(node)
        while block is not None and self.page.boxes.display(block) == "inline":
            block = element_parent(block)
        if block is None:
            return False
        if block.mem_id not in self._has_words:
            self._has_words[block.mem_id] = self._find_words(block, 0)
        return self._has_words[block.mem_id]

    def _find_words(self, node: LexborNode, depth: int) -> bool:
        """Whether words stand on an element's own lines, outside the targets on them."""
        if depth > MAXIMUM_DEPTH:
            return False
        return any(self._is_wordy(child, depth) for child in node.iter(include_text=True))

    def _is_wordy(self, child: LexborNode, depth: int) -> bool:
        if child.is_text_node:
            return any(character.isalnum() for character in child.text_content or "")
        if not child.is_element_node or child.mem_id in self.targets:
            return False
        return self.page.boxes.display(child) == "inline" and self._find_words(child, depth + 1)


def _labels(page: Page, node: LexborNode) -> list[LexborNode]:
    """The labels of a form control: tapping one is tapping the control."""
    labels = page.once(LabelIndex).of(node) if node.tag == "input" else []
    return [label for label in labels if page.is_rendered(label)]


def _is_hidden_by_position(page: Page, node: LexborNode) -> bool:
    """Whether an element is moved off the screen or clipped away until it gets the focus, or may be."""
    if not page.boxes.is_out_of_flow(node):
        return False
    if any(page.cascade.value(node, name) not in ("auto", "none") for name in ("clip", "clip-path")):
        return True
    offsets = (page.cascade.length(node, side, percent_of=1.0) for side in ("top", "left", "right", "bottom"))
    moved = any(isinstance(offset, float) and offset < -MINIMUM_TARGET / 2 for offset in offsets)
    return moved or page.cascade.value(node, "transform") != "none"


def _too_small(page: Page, node: LexborNode, width: float, height: float) -> Issue:
    too_low, too_narrow = height < MINIMUM_TARGET - ROUNDING, width < MINIMUM_TARGET - ROUNDING
    parts = [f"{height:.0f}px high"] if too_low else []
    parts += [f"{width:.0f}px wide"] if too_narrow else []
    advice = " and ".join(
        text for wanted, text in ((too_low, "min-height: 44px"), (too_narrow, "min-width: 44px")) if wanted
    )
    if page.boxes.display(node) == "inline":
        advice += " with display: inline-flex (an inline element ignores its height)"
    name = {"a": "link", "input": "field", "select": "field", "textarea": "field"}.get(node.tag or "", "button")
    return Issue(
        rule="touch-target",
        severity="error",
        message=f"The {name} is too small to tap. Give it {advice}.",
        selector=page.selector_of(node),
        measured=" and ".join(parts),
        required="44px by 44px",
    )


TOUCH_RULES = (Rule("touch-target", "Everything that can be tapped is at least 44 by 44 pixels.", check_touch_targets),)


# Links: every internal one leads to a page or an element that exists.

_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.\-]*:")


def check_links(page: Page) -> Iterator[Issue]:
    """Report links to unknown pages and to missing ids."""
    identifiers = {node.attributes.get(name) or "" for name in ("id", "name") for node in page.find(f"[{name}]")}
    for link in page.links:
        issue = _judge_fragment(link, identifiers) if link.kind == "fragment" else _judge_page(page, link)
        if issue is not None:
            yield issue


def check_empty_links(page: Page) -> Iterator[Issue]:
    """Report links to nowhere; scripts often take them over, so it is not certain that they do nothing."""
    for link in page.links:
        if link.kind == "fragment" and link.href in ("", "#"):
            message = "The link leads nowhere. Point it to a page, or use a <button> if a script handles it."
            yield _issue(link, "empty-link", message, severity_is_error=False)


def _judge_fragment(link: Link, identifiers: set[str]) -> Issue | None:
    # `#top` needs no element: HTML standard, section 7.4.6.4.
    if not link.fragment or link.fragment in identifiers or link.fragment.lower() == "top":
        return None
    message = f"No element has the id '{link.fragment}'. Give the target that id, or correct the link."
    return _issue(link, "broken-link", message)


def _judge_page(page: Page, link: Link) -> Issue | None:
    if link.kind == "other" and page.known_slugs is not None and not _SCHEME.match(link.href):
        # What the user has uploaded lies beside the pages; nothing else does.
        message = "There is no such file beside the page. Lead to a page, or put the content into one."
        return None if "uploads/" in link.href else _issue(link, "broken-link", message)
    if link.kind != "page" or link.slug is None or page.known_slugs is None:
        return None
    if link.slug not in page.known_slugs:
        pages = ", ".join(f"{slug}.html" for slug in sorted(page.known_slugs))
        return _issue(link, "broken-link", f"There is no page '{link.slug}'. Pages are: {pages}.")
    address = f"{link.slug}.html"
    if link.href.partition("?")[0].partition("#")[0] not in (address, f"./{address}"):
        message = f"The link works only on a server. Write {address}: pages lie side by side."
        return _issue(link, "broken-link", message, auto_fixable=True)
    return None


def _issue(link: Link, rule: str, message: str, *, severity_is_error: bool = True, auto_fixable: bool = False) -> Issue:
    quoted = link.href.replace('"', '\\"')
    return Issue(
        rule=rule,
        severity="error" if severity_is_error else "warning",
        message=message,
        selector=f'[href="{quoted}"]',
        measured=link.href or None,
        auto_fixable=auto_fixable,
    )


LINK_RULES = (
    Rule("broken-link", "Every internal link leads to something that exists.", check_links),
    Rule("empty-link", "Every link leads somewhere.", check_empty_links),
)


# Headings: one main heading, and levels that do not jump.


def check_main_heading(page: Page) -> Iterator[Issue]:
    """A page shows exactly one h1: it says which screen this is."""
    shown = list(page.rendered("h1"))
    if len(shown) == 1:
        return
    where = page.selector_of(shown[1]) if shown else None
    message = (
        "The page has more than one h1. Keep the name of the screen as h1 and make the others h2."
        if shown
        else "The page has no h1. Make the name of the screen an h1."
    )
    measured = f"{len(shown)} shown"
    yield Issue(rule="main-heading", severity="error", message=message, selector=where, measured=measured, required="1")


def check_heading_order(page: Page) -> Iterator[Issue]:
    """Going down, heading levels take one step at a time, or the outline read aloud has holes."""
    previous = 0
    for node in page.rendered("h1, h2, h3, h4, h5, h6"):
        level = int((node.tag or "h1")[1])
        if previous and level > previous + 1:
            yield Issue(
                rule="heading-order",
                severity="warning",
                message=f"An h{level} follows an h{previous}. Use h{previous + 1}, and set its size in CSS.",
                selector=page.selector_of(node),
                measured=f"h{level}",
                required=f"h{previous + 1} or higher",
            )
        previous = level


HEADING_RULES = (
    Rule("main-heading", "The page shows exactly one h1.", check_main_heading),
    Rule("heading-order", "Heading levels do not jump.", check_heading_order),
)


# Rules about the size of text: readable everywhere, and 16 pixels where a phone would otherwise zoom in.

BODY_MINIMUM = 16.0
FIELD_MINIMUM = 16.0
"""Safari on iOS zooms into a field with smaller text as soon as it gets the focus."""
TEXT_MINIMUM = 12.0
_NOT_TYPED_INTO = frozenset(
    ["hidden", "checkbox", "radio", "range", "color", "file", "button", "submit", "reset", "image"]
)
_ROUNDING = 0.05


def check_body_text(page: Page) -> Iterator[Issue]:
    """Running text has 16 pixels: the size of the body, from which the rest is inherited."""
    body = page.document.body
    if page.css_is_complete and body is not None:
        yield from _smaller_than(
            page, body, BODY_MINIMUM, "body-text-size", "The body text is too small. Set body { font-size: 16px }."
        )


def check_fields(page: Page) -> Iterator[Issue]:
    """Fields that are typed into have at least 16 pixels."""
    if not page.css_is_complete:
        return
    for node in page.rendered("input, select, textarea"):
        if node.tag == "input" and (node.attributes.get("type") or "text").strip().lower() in _NOT_TYPED_INTO:
            continue
        message = "The text of the field is so small that iPhones zoom in. Set font-size: 16px."
        yield from _smaller_than(page, node, FIELD_MINIMUM, "field-text-size", message)


def check_smallest_text(page: Page) -> Iterator[Issue]:
    """No text is below 12 pixels."""
    if not page.css_is_complete:
        return
    for node in page.rendered("body, body *:not(script):not(style):not(svg *)"):
        if node.text(deep=False, strip=True):
            message = "The text is too small to read on a phone. Use at least 12px."
            yield from _smaller_than(page, node, TEXT_MINIMUM, "text-size", message)


def _smaller_than(page: Page, node: LexborNode, minimum: float, rule: str, message: str) -> Iterator[Issue]:
    size = page.cascade.font_size(node)
    if size is not None and size < minimum - _ROUNDING:
        yield Issue(
            rule=rule,
            severity="error",
            message=message,
            selector=page.selector_of(node),
            measured=f"{size:.3g}px",
            required=f"{minimum:.0f}px",
            auto_fixable=True,
        )


TYPOGRAPHY_RULES = (
    Rule("body-text-size", "The body text has at least 16 pixels.", check_body_text),
    Rule("field-text-size", "Fields have text of at least 16 pixels.", check_fields),
    Rule("text-size", "No text is below 12 pixels.", check_smallest_text),
)
