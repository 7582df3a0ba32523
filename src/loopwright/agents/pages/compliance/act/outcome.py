"""What an ACT rule says of a page (W3C Accessibility Conformance Testing Rules Format 1.1, section 5; EARL 1.0)."""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from typing import Literal

from selectolax.lexbor import LexborNode

from loopwright.agents.pages.compliance.accessibility.detection import has_known_language, is_in_language
from loopwright.agents.pages.compliance.accessibility.roles import (
    IMAGE_BUTTON_DEFAULT,
    Visibility,
    inherits_from,
    input_type,
    is_disabled_for_all,
    tab_index,
)
from loopwright.agents.pages.compliance.accessibility.tree import AccessibilityTree
from loopwright.agents.pages.compliance.cascade.media import Orientation
from loopwright.agents.pages.compliance.contrast.measure import ContrastMeter
from loopwright.agents.pages.compliance.page import Page

# The page that ACT rules are asked about.

_XML_ROOT = re.compile(r"\s*(?:<\?xml.*?\?>|<!--.*?-->|\s)*<(svg|math)\b", re.DOTALL)
_CHANGES = re.compile(
    r"attachShadow|document\s*\.\s*write|"
    r"\.\s*(?:innerHTML|outerHTML|textContent|innerText|className|hidden|alt|title|lang|id|value|disabled)\s*\+?=[^=]|"
    r"\.\s*style\b|\.\s*(?:append|appendChild|prepend|before|after|remove|removeChild|replaceWith|replaceChildren|"
    r"insertBefore|insertAdjacent\w+|setAttribute\w*|removeAttribute|toggleAttribute|classList|showModal|show|focus)\b"
)
"""What a script does to a page that a reader of its source would not see."""
_BRACES = re.compile(r"\{[^{}]*\}")
_STRINGS = re.compile(r"'(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\"|`(?:[^`\\]|\\.)*`", re.DOTALL)
MAXIMUM_NESTING = 200


@dataclass
class Subject:
    """A page with its accessibility tree, read once for all rules."""

    page: Page
    """The page on a phone held upright."""

    @classmethod
    def read(cls, html: str, css: str = "") -> "Subject":
        """Parse a page; `css` is its design system, as if linked first."""
        return cls(Page.read(html, css=css))

    @property
    def html(self) -> str:
        """Its source."""
        return self.page.source

    @property
    def tree(self) -> AccessibilityTree:
        """What assistive technologies are given of it."""
        return self.page.once(AccessibilityTree)

    @property
    def visibility(self) -> Visibility:
        """What can be seen of it."""
        return self.page.once(Visibility)

    @property
    def meter(self) -> ContrastMeter:
        """How well its texts stand out."""
        return self.page.once(ContrastMeter)

    def held(self, orientation: Orientation) -> Page:
        """The same page with the phone held in one way or the other."""
        return Page.read(self.html, css=self.page.css, orientation=orientation)

    @cached_property
    def is_html(self) -> bool:
        """Whether this is an HTML document, and not an SVG or MathML document read as if it were one."""
        root = _XML_ROOT.match(self.html)
        return root is None or not self.html.rstrip().endswith(f"</{root[1]}>")

    @cached_property
    def scripts_change_it(self) -> bool:
        """Whether a script changes the page while it loads, so that its source is not what people get.

        Only statements outside functions are looked at: what waits for an event has not happened yet.
        """
        return any(_CHANGES.search(_outside_functions(node.text())) for node in self.page.find("script"))


def _outside_functions(script: str) -> str:
    script = _STRINGS.sub("''", script)
    for _ in range(MAXIMUM_NESTING):
        shorter = _BRACES.sub(" ", script)
        if shorter == script:
            break
        script = shorter
    return script


Outcome = Literal["passed", "failed", "inapplicable", "cantTell"]
Coverage = Literal["full", "partial"]
"""`full`: the rule is decided from the page alone.  `partial`: what the rule asks is a matter of judgement (does a
heading describe what follows?) or lies outside the page, so beyond its clear cases the answer is `cantTell`."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What a rule found on one element."""

    outcome: Literal["passed", "failed", "cantTell"]
    node: LexborNode | None
    """The test target; None when it is the page as a whole."""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ActRule:
    """One W3C rule and how far it is covered here."""

    id: str
    """The identifier the W3C gave it: https://www.w3.org/WAI/standards-guidelines/act/rules/ID/."""
    name: str
    criteria: tuple[str, ...]
    """WCAG success criteria it tests."""
    coverage: Coverage
    rules: tuple[str, ...]
    """Rules of `validate_page` that report what it finds."""
    check: Callable[[Subject], Iterable[Finding]]
    """Findings, one for each test target; none when the rule does not apply."""
    depends_on_css: bool = True
    """Whether a stylesheet that is not known leaves the outcome open."""


@dataclass(frozen=True, slots=True)
class ActResult:
    """The outcome of one rule on one page."""

    rule: ActRule
    outcome: Outcome
    selector: str | None = None
    """Where the element stands that decided the outcome."""
    reason: str = ""


def combine(findings: Iterable[Finding]) -> tuple[Outcome, Finding | None]:
    """The outcome of a page from those of its elements, with the one that decided it: the worst."""
    worst: dict[str, Finding] = {}
    for finding in findings:
        worst.setdefault(finding.outcome, finding)
    for outcome in ("failed", "cantTell", "passed"):
        if outcome in worst:
            return worst[outcome].outcome, worst[outcome]
    return "inapplicable", None


# Elements that need a name: buttons, links, headings, fields, picture buttons, frames.

FIELD_ROLES = frozenset(
    ["checkbox", "combobox", "listbox", "menuitemcheckbox", "menuitemradio", "radio", "searchbox", "slider",
     "spinbutton", "switch", "textbox"]
)  # fmt: skip
"""Roles of form fields: those that inherit from input, menuitem or select and can be filled in."""


def check_button(subject: Subject) -> Iterator[Finding]:
    """97a4e1: elements with the role button, except picture buttons."""
    for node in _exposed(subject):
        if subject.tree.role(node) == "button" and not _is_image_button(node):
            yield _named(subject, node)


def check_link(subject: Subject) -> Iterator[Finding]:
    """c487ae: elements with the role link or one that inherits from it."""
    for node in _exposed(subject):
        if inherits_from(subject.tree.role(node), "link"):
            yield _named(subject, node)


def check_heading(subject: Subject) -> Iterator[Finding]:
    """ffd0e9: elements with the role heading."""
    for node in _exposed(subject):
        if subject.tree.role(node) == "heading":
            yield _named(subject, node)


def check_field(subject: Subject) -> Iterator[Finding]:
    """e086e5: form fields, disabled ones too."""
    for node in _exposed(subject):
        if subject.tree.role(node) in FIELD_ROLES:
            yield _named(subject, node)


def check_image_button(subject: Subject) -> Iterator[Finding]:
    """59796f: picture buttons; the name that browsers make up does not count."""
    for node in subject.page.find("input"):
        if not _is_image_button(node) or not subject.tree.includes(node):
            continue
        name = subject.tree.name(node)
        if name and name != IMAGE_BUTTON_DEFAULT:
            yield Finding("passed", node, f"named '{name}'")
        else:
            yield Finding("failed", node, "the picture button has no name")


def check_frame(subject: Subject) -> Iterator[Finding]:
    """cae760: frames, except those taken out of the tab order and those declared to be decoration."""
    for node in subject.page.find("iframe"):
        index = tab_index(node)
        role = (node.attributes.get("role") or "").strip().lower()
        decorative = role in ("none", "presentation")
        if subject.tree.is_hidden(node) or (index is not None and index < 0) or decorative:
            continue
        yield _named(subject, node)


def _exposed(subject: Subject) -> Iterator[LexborNode]:
    return (node for node in subject.page.find("*") if subject.tree.includes(node))


def _is_image_button(node: LexborNode) -> bool:
    return node.tag == "input" and input_type(node) == "image"


def _named(subject: Subject, node: LexborNode) -> Finding:
    name = subject.tree.name(node)
    if name:
        return Finding("passed", node, f"named '{name[:80]}'")
    if subject.tree.names.is_exhausted:
        return Finding("cantTell", node, "the page refers to too much to work out its names")
    if any(subject.tree.is_hidden(label) for label in subject.tree.names.labels.of(node)):
        return Finding("cantTell", node, "its only label is hidden, which counts by the standard but not in browsers")
    return Finding("failed", node, "has no accessible name")


# The language of a page and of its parts.

_SPOKEN_ATTRIBUTES = ("alt", "aria-label", "aria-description", "title", "placeholder")


def check_page_has_language(subject: Subject) -> Iterator[Finding]:
    """b5c3f8: the root element says a language."""
    root = subject.page.document.root
    if subject.is_html and root is not None:
        language = root.attributes.get("lang") or ""
        yield Finding("passed" if language.strip() else "failed", root, f"lang is '{language}'")


def check_page_language(subject: Subject) -> Iterator[Finding]:
    """bf051a: the language of the page is one."""
    root = subject.page.document.root
    language = "" if root is None else root.attributes.get("lang") or ""
    if subject.is_html and language.strip():
        yield Finding("passed" if has_known_language(language) else "failed", root, f"lang is '{language[:40]}'")


def check_element_language(subject: Subject) -> Iterator[Finding]:
    """de46e4: the language of each part of the page is one."""
    for node in subject.page.find("body[lang], body [lang]"):
        language = node.attributes["lang"] or ""
        if language and own_text(subject, node).strip():
            yield Finding("passed" if has_known_language(language) else "failed", node, f"lang is '{language[:40]}'")


def check_page_language_fits(subject: Subject) -> Iterator[Finding]:
    """ucwvc8: the language of the page is the one most of its words are in."""
    root = subject.page.document.root
    language = "" if root is None else root.attributes.get("lang") or ""
    if subject.is_html and root is not None and has_known_language(language):
        title = next((node.text() for node in subject.page.find("head title, body title")), "")
        text = f"{title}\n{own_text(subject, root)}"
        if any(character.isalpha() for character in text):
            yield _fits(text, language, root)


def check_element_language_fits(subject: Subject) -> Iterator[Finding]:
    """off6ek: the language of each part is the one most of its words are in."""
    for node in subject.page.find("body[lang], body [lang]"):
        language = node.attributes["lang"] or ""
        text = own_text(subject, node) if has_known_language(language) else ""
        if text.strip():
            yield _fits(text, language, node)


def _fits(text: str, language: str, node: LexborNode) -> Finding:
    fits = is_in_language(text, language)
    if fits is None:
        return Finding("cantTell", node, "the words do not clearly belong to one language")
    return Finding("passed" if fits else "failed", node, f"lang is '{language[:40]}'")


def own_text(subject: Subject, node: LexborNode) -> str:
    """All text that is in the language of an element: what can be seen or heard, and no part has another language."""
    pieces: list[str] = []
    pending = [node]
    while pending:
        element = pending.pop()
        exposed = not subject.tree.is_hidden(element)
        if exposed or subject.visibility.of(element) is not False:
            pieces += [child.text_content or "" for child in element.iter(include_text=True) if child.is_text_node]
        if exposed and subject.tree.role(element) != "none":
            pieces += _spoken(subject, element)
        children = [child for child in element.iter() if not (child.attributes.get("lang") or "")]
        pending += reversed(children)
    return "\n".join(pieces)


def _spoken(subject: Subject, element: LexborNode) -> list[str]:
    """The name of an element where it comes from an attribute or from elsewhere on the page."""
    if not any(name in element.attributes for name in (*_SPOKEN_ATTRIBUTES, "aria-labelledby", "value")):
        return []
    return [subject.tree.name(element)]


# What `autocomplete` may say (HTML standard, section 4.10.18.7.1, autofill detail tokens).

_WITHOUT_TEXT = frozenset({"button", "checkbox", "file", "image", "radio", "reset", "submit", "hidden"})


def is_valid_autocomplete(value: str) -> bool:
    """Whether a value of `autocomplete`, other than `on` and `off`, follows the grammar.

    Optional `section-…`, optional `shipping` or `billing`, optional kind of contact before a contact field, the field,
    optional `webauthn`.
    """
    tokens = value.lower().split()
    if tokens and tokens[-1] == "webauthn":
        tokens.pop()
    if tokens and tokens[0].startswith("section-"):
        tokens.pop(0)
    if tokens and tokens[0] in ("shipping", "billing"):
        tokens.pop(0)
    fields = autofill_fields()
    if len(tokens) == 2 and tokens[0] in fields["contact_kinds"]:
        return tokens[1] in fields["contact"]
    return len(tokens) == 1 and tokens[0] in fields["plain"] | fields["contact"]


@cache
def autofill_fields() -> dict[str, frozenset[str]]:
    """The names of the fields: `plain` ones, those of a `contact`, and the kinds of contact."""
    data = json.loads(files(__package__).joinpath("autofill_fields.json").read_text(encoding="utf-8"))
    return {key: frozenset(names) for key, names in data.items()}


def check_autocomplete(subject: Subject) -> Iterator[Finding]:
    """73f2c2: fields that people can use and that say what they are for say it correctly."""
    for node in subject.page.find("input[autocomplete], select[autocomplete], textarea[autocomplete]"):
        value = node.attributes["autocomplete"] or ""
        if value.split() and value.strip().lower() not in ("on", "off") and _is_used(subject, node):
            good = is_valid_autocomplete(value)
            yield Finding("passed" if good else "failed", node, f"autocomplete is '{value[:80]}'")


def _is_used(subject: Subject, node: LexborNode) -> bool:
    if node.tag == "input" and input_type(node) in _WITHOUT_TEXT:
        return False
    if is_disabled_for_all(node):
        return False
    if subject.tree.is_hidden(node) and subject.visibility.of(node) is False:
        return False
    is_static = not subject.tree.is_in_tab_order(node) and not inherits_from(subject.tree.role(node), "widget")
    # A field without a role of its own, such as one for passwords, is still a field.
    return not (is_static and subject.tree.role(node))
