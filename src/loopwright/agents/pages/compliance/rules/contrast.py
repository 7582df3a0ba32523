"""Text stands out from its ground, in the light scheme and in the dark one (WCAG 1.4.3)."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from selectolax.lexbor import LexborNode

from loopwright.agents.pages.compliance.accessibility.disabled import DisabledText
from loopwright.agents.pages.compliance.accessibility.tree import AccessibilityTree
from loopwright.agents.pages.compliance.accessibility.visibility import Visibility
from loopwright.agents.pages.compliance.cascade.colours import Colour, Scheme, contrast
from loopwright.agents.pages.compliance.contrast import ContrastMeter, TextContrast, written_texts
from loopwright.agents.pages.compliance.contrast.texts import is_large
from loopwright.agents.pages.compliance.page import Page
from loopwright.agents.pages.compliance.report import Issue
from loopwright.agents.pages.compliance.rules.rule import Rule
from loopwright.agents.pages.compliance.states import states_of

REQUIRED = {False: 4.5, True: 3.0}
"""The least ratio for text, and for large text."""
ROUNDING = 0.005
_SWITCH = re.compile(r"\[\s*(data-[a-z-]*(?:mode|theme|scheme))\s*[~|^$*]?=\s*[\"']?(light|dark)\b", re.IGNORECASE)
"""How stylesheets let a script choose the scheme: an attribute of the root element."""


@dataclass(frozen=True, slots=True)
class _Faint:
    """A text that certainly does not stand out enough."""

    node: LexborNode
    measured: TextContrast
    required: float


@dataclass(frozen=True, slots=True)
class _Scheme:
    """A colour scheme that a page has: what the phone's owner prefers, and what a script sets on the root element."""

    name: Scheme
    preferred: Scheme
    root_attributes: Mapping[str, str]


def check_contrast(page: Page) -> Iterator[Issue]:
    """Report the texts that certainly do not stand out enough; each element once, in the scheme where it is worst."""
    if page.css_is_complete:
        yield from (issue for _, (_, issue) in sorted(page.once(_faint_at_rest).items()))


def _faint_at_rest(page: Page) -> dict[int, tuple[float, Issue]]:
    """The faint texts of the page as it loads, by their places in the document, with their ratios."""
    worst: dict[int, tuple[float, Issue]] = {}
    elements = page.find("*")
    for number, scheme in enumerate(_schemes(page)):
        look = page.variant(scheme=scheme.preferred, root_attributes=scheme.root_attributes) if number else page
        places = {node.mem_id: place for place, node in enumerate(look.find("*"))}
        for faint in _faint_texts(look):
            place = places[faint.node.mem_id]
            if place not in worst or faint.measured.highest < worst[place][0]:
                issue = _issue(page.selector_of(elements[place]), faint, f"In the {scheme.name} scheme")
                worst[place] = (faint.measured.highest, issue)
    return worst


def check_states(page: Page) -> Iterator[Issue]:
    """Report the texts that do not stand out enough in a state that scripts or taps can bring about; each once."""
    if not page.css_is_complete:
        return
    said = {issue.selector for _, issue in page.once(_faint_at_rest).values()}
    for state in states_of(page):
        for scheme in _schemes(page):
            look = page.variant(scheme=scheme.preferred, root_attributes=scheme.root_attributes, change=state.change)
            for faint in _faint_texts(look):
                written = state.written_selector(faint.node)
                selector = written or look.selector_of(faint.node)
                if selector not in said:
                    said.add(selector)
                    yield _issue(selector, faint, _where(scheme, written, state.label_of(faint.node)), "state-contrast")


def _where(scheme: _Scheme, written: str | None, label: str) -> str:
    """The scheme and the state in which a text is faint."""
    state = "as a script writes it" if written else f"in the state {label}" if label else "once it is shown"
    return f"In the {scheme.name} scheme, {state},"


def _schemes(page: Page) -> Iterator[_Scheme]:
    """The scheme in which a page loads, and the other one where its stylesheets have it."""
    shown = page.once(ContrastMeter).scheme(page.document.root)
    yield _Scheme(shown, page.cascade.scheme, {})
    other: Scheme = "light" if shown == "dark" else "dark"
    css = page.css + page.source
    switches = {match[1].lower() for match in _SWITCH.finditer(css) if match[2].lower() == other}
    if switches or "prefers-color-scheme" in css:
        yield _Scheme(other, other, dict.fromkeys(switches, other))


def _faint_texts(page: Page) -> Iterator[_Faint]:
    """The faint texts of a page in document order."""
    meter, seen = page.once(ContrastMeter), page.once(Visibility)
    disabled = DisabledText(page, page.once(AccessibilityTree))
    for text in written_texts(page):
        node = text.node
        says_something = text.is_typed or any(character.isalnum() for character in text.words)
        if not says_something or seen.of(node) is not True or not page.is_rendered(node):
            continue
        measured, large = meter.measure(node, text.words), is_large(page, node)
        if measured is None or large is None or measured.highest >= REQUIRED[large] - ROUNDING:
            continue
        if not disabled.holds(node):
            yield _Faint(node, measured, REQUIRED[large])


def _issue(selector: str, faint: _Faint, where: str, rule: str = "contrast") -> Issue:
    measured, required = faint.measured, faint.required
    better = readable(measured.text, measured.ground, required)
    advice = f"Use {better.hex} or more contrast still" if better else "Change the ground"
    if rule == "state-contrast":
        advice += ", and set text and ground of a state in one rule"
    return Issue(
        rule=rule,
        severity="error",
        message=f"{where} the text {measured.text.hex} is hard to read on {measured.ground.hex}. {advice}.",
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


CONTRAST_RULES = (
    Rule("contrast", "Text stands out from its ground.", check_contrast),
    Rule("state-contrast", "Text stands out in each state that scripts and taps bring about.", check_states),
)
