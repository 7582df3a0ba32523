"""Text stands out from its ground, in the light scheme and in the dark one (WCAG 1.4.3)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from loopwright.agents.pages.compliance.accessibility.disabled import DisabledText
from loopwright.agents.pages.compliance.accessibility.tree import AccessibilityTree
from loopwright.agents.pages.compliance.accessibility.visibility import Visibility
from loopwright.agents.pages.compliance.cascade.colours import Colour, Scheme, contrast
from loopwright.agents.pages.compliance.contrast import ContrastMeter, TextContrast, written_texts
from loopwright.agents.pages.compliance.contrast.texts import is_large
from loopwright.agents.pages.compliance.page import Page
from loopwright.agents.pages.compliance.report import Issue
from loopwright.agents.pages.compliance.rules.rule import Rule

REQUIRED = {False: 4.5, True: 3.0}
"""The least ratio for text, and for large text."""
ROUNDING = 0.005
_SWITCH = re.compile(r"\[\s*(data-[a-z-]*(?:mode|theme|scheme))\s*[~|^$*]?=\s*[\"']?(light|dark)\b", re.IGNORECASE)
"""How stylesheets let a script choose the scheme: an attribute of the root element."""


@dataclass(frozen=True, slots=True)
class _Look:
    """The page in one colour scheme."""

    page: Page
    scheme: Scheme


def check_contrast(page: Page) -> Iterator[Issue]:
    """Report the texts that certainly do not stand out enough; each element once, in the scheme where it is worst."""
    if not page.css_is_complete:
        return
    worst: dict[int, tuple[float, Issue]] = {}
    for look in _looks(page):
        for place, ratio, issue in _faint_texts(page, look):
            if place not in worst or ratio < worst[place][0]:
                worst[place] = (ratio, issue)
    yield from (issue for _, (_, issue) in sorted(worst.items()))


def _looks(page: Page) -> Iterator[_Look]:
    """The page as it loads, and in the other scheme where its stylesheets have one."""
    shown = page.once(ContrastMeter).scheme(page.document.root)
    yield _Look(page, shown)
    other: Scheme = "light" if shown == "dark" else "dark"
    css = page.css + page.source
    switches = {match[1].lower() for match in _SWITCH.finditer(css) if match[2].lower() == other}
    if switches:
        yield _Look(page.variant(scheme=other, root_attributes=dict.fromkeys(switches, other)), other)
    elif "prefers-color-scheme" in css:
        yield _Look(page.variant(scheme=other, root_attributes={}), other)


def _faint_texts(page: Page, look: _Look) -> Iterator[tuple[int, float, Issue]]:
    """The faint texts of one look, each with its place in the document and its ratio."""
    meter, seen = look.page.once(ContrastMeter), look.page.once(Visibility)
    disabled = DisabledText(look.page, look.page.once(AccessibilityTree))
    places = {node.mem_id: place for place, node in enumerate(look.page.find("*"))}
    originals = page.find("*") if look.page is not page else []
    for text in written_texts(look.page):
        node = text.node
        says_something = text.is_typed or any(character.isalnum() for character in text.words)
        if not says_something or seen.of(node) is not True or not look.page.is_rendered(node):
            continue
        measured, large = meter.measure(node, text.words), is_large(look.page, node)
        if measured is None or large is None or measured.highest >= REQUIRED[large] - ROUNDING:
            continue
        if disabled.holds(node):
            continue
        place = places[node.mem_id]
        selector = page.selector_of(originals[place] if originals else node)
        yield place, measured.highest, _issue(selector, measured, REQUIRED[large], look.scheme)


def _issue(selector: str, measured: TextContrast, required: float, scheme: str) -> Issue:
    better = readable(measured.text, measured.ground, required)
    advice = f"Use {better.hex} or more contrast still" if better else "Change the ground"
    return Issue(
        rule="contrast",
        severity="error",
        message=f"In the {scheme} scheme the text {measured.text.hex} is hard to read on {measured.ground.hex}. "
        f"{advice}.",
        selector=selector,
        measured=f"{measured.highest:.2f}:1",
        required=f"{required:g}:1",
    )


def readable(text: Colour, ground: Colour, required: float) -> Colour | None:
    """The colour nearest to a text's own, on the way to black or white, that stands out enough; None for none."""
    found = []
    for end in (Colour(0.0, 0.0, 0.0), Colour(1.0, 1.0, 1.0)):
        for step in range(1, 101):
            colour = Colour.from_hex(end.faded(step / 100).over(text).hex)
            if contrast(colour, ground) >= required:
                found.append((step, colour))
                break
    return min(found, key=lambda entry: entry[0])[1] if found else None


CONTRAST_RULES = (Rule("contrast", "Text stands out from its ground.", check_contrast),)
