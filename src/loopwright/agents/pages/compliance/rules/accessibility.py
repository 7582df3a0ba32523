"""Rules that are W3C ACT rules at the same time: what those find failed is reported here."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from selectolax.lexbor import LexborNode

from loopwright.agents.pages.compliance.accessibility.roles import (
    IMAGE_BUTTON_DEFAULT,
    Visibility,
    inherits_from,
    input_type,
    placeholder,
)
from loopwright.agents.pages.compliance.accessibility.tree import AccessibilityTree, DisabledText
from loopwright.agents.pages.compliance.act.meta import check_orientation, check_refresh_strictly, check_zoom
from loopwright.agents.pages.compliance.act.outcome import (
    FIELD_ROLES,
    Finding,
    Subject,
    check_autocomplete,
    check_element_language,
    check_frame,
    check_heading,
    check_page_language_fits,
)
from loopwright.agents.pages.compliance.act.rules import check_tab_order
from loopwright.agents.pages.compliance.cascade.colours import Colour, Scheme, contrast
from loopwright.agents.pages.compliance.contrast import ContrastMeter, TextContrast, written_texts
from loopwright.agents.pages.compliance.contrast.layers import is_large
from loopwright.agents.pages.compliance.page import Issue, Page
from loopwright.agents.pages.compliance.rules.markup_rules import Rule
from loopwright.agents.pages.compliance.states import states_of

# Text stands out from its ground, in the light scheme and in the dark one (WCAG 1.4.3).

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


# Accessible names: pictures, fields, links and buttons can be told apart by ear.

_BUTTON_INPUTS = frozenset({"submit", "reset", "button", "image"})
_CONTROL_ROLES = frozenset({"button", "tab", "menuitem", "option", "treeitem"})
_PICTURES = "img, area[href], [role=img]"
_CONTROLS = "a, area, button, summary, input, [role]"
_FIELDS = "input, select, textarea, [role]"


def check_images(page: Page) -> Iterator[Issue]:
    """Every picture has a text for those who do not see it; an empty one says it is decoration (WCAG 1.1.1)."""
    tree = page.once(AccessibilityTree)
    for node in page.find(_PICTURES):
        if not tree.includes(node) or (node.tag == "img" and "alt" in node.attributes) or tree.name(node):
            continue
        message = 'The picture has no alternative text. Add alt="what it shows", or alt="" if it is decoration.'
        if node.tag not in ("img", "area"):
            message = "The picture has no name. Add aria-label, or aria-hidden if it is decoration."
        yield Issue(rule="image-alt", severity="error", message=message, selector=page.selector_of(node))


def check_fields(page: Page) -> Iterator[Issue]:
    """Every field has a label (WCAG 1.3.1, 4.1.2)."""
    tree = page.once(AccessibilityTree)
    for node in page.rendered(_FIELDS):
        if not _is_field(tree, node) or tree.is_hidden(node):
            continue
        name, hint = tree.name(node), placeholder(node)
        selector = page.selector_of(node)
        if not name:
            message = "The field has no label. Add a <label for> with its id, or aria-label."
            yield Issue(rule="field-label", severity="error", message=message, selector=selector)
        elif hint and name == " ".join(hint.split()) and not _is_named_otherwise(tree, node):
            message = "The field has only a placeholder, which vanishes while typing. Add a <label for> or aria-label."
            yield Issue(rule="field-label", severity="warning", message=message, selector=selector)


def check_controls(page: Page) -> Iterator[Issue]:
    """Every link and button says what it does (WCAG 2.4.4, 4.1.2)."""
    tree = page.once(AccessibilityTree)
    for node in page.rendered(_CONTROLS):
        is_link = inherits_from(tree.role(node), "link") and node.tag != "area"
        if not (is_link or tree.role(node) in _CONTROL_ROLES or node.tag == "summary") or tree.is_hidden(node):
            continue
        name = tree.name(node)
        if not name or (name == IMAGE_BUTTON_DEFAULT and node.tag == "input"):
            kind = "link" if is_link else "button"
            message = f"The {kind} has no name. Give it text, or aria-label where it holds only an icon."
            yield Issue(rule="control-name", severity="error", message=message, selector=page.selector_of(node))


def _is_field(tree: AccessibilityTree, node: LexborNode) -> bool:
    """Whether an element is filled in; fields for dates, colours, files and passwords have no role but are."""
    if tree.role(node) in FIELD_ROLES:
        return True
    kind = input_type(node) if node.tag == "input" else "hidden"
    return kind not in _BUTTON_INPUTS | {"hidden"} and not tree.role(node)


def _is_named_otherwise(tree: AccessibilityTree, node: LexborNode) -> bool:
    """Whether something other than the placeholder says the same."""
    attributes = any((node.attributes.get(name) or "").strip() for name in ("aria-label", "aria-labelledby", "title"))
    return attributes or any(not tree.is_hidden(label) for label in tree.names.labels.of(node))


NAME_RULES = (
    Rule("image-alt", "Every picture has an alternative text.", check_images),
    Rule("field-label", "Every field has a label.", check_fields),
    Rule("control-name", "Every link and button has a name.", check_controls),
)


_Check = Callable[[Page], Iterable[Issue]]


def _reports(
    rule: str, check: Callable[[Subject], Iterable[Finding]], severity: Literal["error", "warning"], message: str
) -> _Check:
    """A check that turns what an ACT rule finds failed into issues."""

    def report(page: Page) -> Iterator[Issue]:
        for finding in check(page.once(Subject)):
            if finding.outcome == "failed" and finding.node is not None:
                yield Issue(
                    rule=rule,
                    severity=severity,
                    message=message,
                    selector=page.selector_of(finding.node),
                    measured=finding.reason,
                )

    return report


ACCESSIBILITY_RULES = (
    Rule(
        "heading-name",
        "Every heading has words.",
        _reports(
            "heading-name",
            check_heading,
            "warning",
            "The heading is empty. Give it words, or hide it until a script fills it.",
        ),
    ),
    Rule(
        "frame-name",
        "Every frame has a name.",
        _reports("frame-name", check_frame, "error", "The frame has no name. Give the iframe a title."),
    ),
    Rule(
        "frame-tab-order",
        "Frames with something to operate are in the tab order.",
        _reports(
            "frame-tab-order",
            check_tab_order,
            "error",
            "The frame holds links or fields that the keyboard cannot reach. Remove its tabindex.",
        ),
    ),
    Rule(
        "element-lang",
        "The language of every part is one.",
        _reports(
            "element-lang",
            check_element_language,
            "error",
            'The lang attribute names no language. Write a code such as "en", "de" or "zh".',
        ),
    ),
    Rule(
        "page-language",
        "The page is in the language it says.",
        _reports(
            "page-language",
            check_page_language_fits,
            "warning",
            "The words of the page are in another language than its lang attribute says. Correct <html lang>.",
        ),
    ),
    Rule(
        "autocomplete",
        "What autocomplete says is understood.",
        _reports(
            "autocomplete",
            check_autocomplete,
            "warning",
            'The value of autocomplete is none that browsers know. Write one such as "email", "name" or "tel".',
        ),
    ),
    Rule(
        "meta-refresh",
        "The page does not reload by itself after a while.",
        _reports(
            "meta-refresh",
            check_refresh_strictly,
            "error",
            "The page reloads by itself while somebody reads it. Remove the meta refresh.",
        ),
    ),
    Rule(
        "viewport-zoom",
        "People can enlarge the page.",
        _reports(
            "viewport-zoom",
            check_zoom,
            "warning",
            "The viewport keeps people from enlarging the page. Remove user-scalable and maximum-scale.",
        ),
    ),
    Rule(
        "orientation-lock",
        "The page does not turn itself when the phone is turned.",
        _reports(
            "orientation-lock",
            check_orientation,
            "error",
            "The element is turned back when the phone is turned. Remove the rotation under the orientation query.",
        ),
    ),
)
