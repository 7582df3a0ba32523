"""How a style sheet changes between light and dark: by the phone's preference, by a mark on the html element, or both.

A mark is an attribute such as `data-mode="dark"` or a class such as `dark`.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field
from selectolax.lexbor import LexborHTMLParser

from loopwright.agents.pages.compliance.cascade.colours import Scheme, parse_colour
from loopwright.agents.pages.compliance.cascade.computed import Cascade
from loopwright.agents.pages.design.source import SourceDeclaration, read_source

# What is told of a page's drift: findings with their weights, and the score.

DriftRule = Literal[
    "unknown-variable", "redefined-token", "raw-colour", "raw-font", "raw-size", "raw-space", "raw-radius",
    "raw-shadow", "unknown-class", "inline-style", "important",
]  # fmt: skip

WEIGHTS: dict[DriftRule, int] = {
    "unknown-variable": 4,
    "redefined-token": 4,
    "raw-colour": 2,
    "raw-font": 2,
    "important": 2,
    "raw-size": 1,
    "raw-space": 1,
    "raw-radius": 1,
    "raw-shadow": 1,
    "unknown-class": 1,
    "inline-style": 1,
}
"""What is broken or undoes the system weighs most, then what a change of tokens would leave behind for all to see."""

WORDS: dict[DriftRule, str] = {
    "unknown-variable": "invented variable",
    "redefined-token": "redefined token",
    "raw-colour": "raw colour",
    "raw-font": "raw font",
    "raw-size": "raw font size",
    "raw-space": "raw space",
    "raw-radius": "raw radius",
    "raw-shadow": "raw shadow",
    "unknown-class": "unknown class",
    "inline-style": "inline style",
    "important": "!important",
}


class DriftFinding(BaseModel):
    """One decision that goes past the design system."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    rule: DriftRule
    where: str
    """The selectors of the rule, or the element."""
    property: str = ""
    found: str
    token: str | None = None
    """The nearest token, or the class beside an unknown one, where there is one."""
    auto_fixable: bool = False
    """Whether `fix_drift` puts the token in its place."""
    start: int = Field(default=-1, exclude=True)
    """Place in the page's source; -1 for what has none."""
    end: int = Field(default=-1, exclude=True)


class DriftReport(BaseModel):
    """How far a page has drifted from its design system."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    score: int
    """0 (not at all) to 100."""
    findings: tuple[DriftFinding, ...] = ()
    followed: int = 0
    """Decisions that follow the system: U of the formula."""

    def line(self) -> str:
        """The report in one line."""
        if not self.findings:
            return "Design drift 0 of 100: only the design system's tokens and classes are used."
        counts = Counter(finding.rule for finding in self.findings)
        parts = [f"{count} {_plural(WORDS[rule], count)}" for rule, count in counts.most_common()]
        return f"Design drift {self.score} of 100: {', '.join(parts)}.{self._invented()}"

    def _invented(self) -> str:
        """Variables that nobody sets, named: what refers to them has no value at all."""
        invented = [finding for finding in self.findings if finding.rule == "unknown-variable"]
        names = dict.fromkeys(f"{each.found} ({each.where} {{ {each.property} }})" for each in invented)
        if not names:
            return ""
        return f"\nError: no sheet sets {', '.join(list(names)[:5])}. Use the design system's variables."


def _plural(word: str, count: int) -> str:
    if count == 1 or word.startswith("!"):
        return word
    return f"{word}es" if word.endswith("s") and not word.endswith("us") else f"{word}s"


SCHEMES: tuple[Scheme, Scheme] = ("light", "dark")
DARK_GROUND = 0.18
"""Luminance of middle grey: a ground below it is dark."""
_ROOTS = r"(?::root|html|body|\*)?"
_ATTRIBUTE = re.compile(
    rf"{_ROOTS}\[(?P<name>data-[\w-]+|class|theme|mode)(?:[~|^$*]?=)[\"']?(?P<value>[\w-]+)[\"']?\](?:\s+(?::root|body))?"
)
_CLASS = re.compile(rf"{_ROOTS}\.(?P<value>(?:[\w-]+-)?(?:dark|light|night|day)(?:-[\w-]+)?)(?:\s+(?::root|body))?")
_PREFERENCE = re.compile(r"prefers-color-scheme\s*:\s*(light|dark)", re.IGNORECASE)
_PLAIN_ROOT = re.compile(r"(?::root|html|body|\*|:host|:is\(:root\)|:where\((?::root|html)\))\Z", re.IGNORECASE)
_NOT = re.compile(r":not\([^()]*\)")
_DARK_WORDS, _LIGHT_WORDS = ("dark", "night"), ("light", "day")
PROBE = '<!doctype html><html><head></head><body><div id="app" class="page"><p>A</p></div></body></html>'


@dataclass(frozen=True, slots=True)
class Mark:
    """An attribute of the html element that decides the scheme; `class` holds several words."""

    attribute: str
    value: str


@dataclass(frozen=True, slots=True)
class SchemeSwitch:
    """What decides between light and dark in a sheet."""

    by_preference: bool
    """Whether the sheet follows `prefers-color-scheme`."""
    light: Mark | None
    dark: Mark | None

    def mark(self, scheme: Scheme) -> Mark | None:
        """What is set on the html element for a scheme; None where the sheet knows no such mark."""
        return self.dark if scheme == "dark" else self.light

    @property
    def exists(self) -> bool:
        """Whether there is any way from one scheme to the other."""
        return self.by_preference or self.light is not None or self.dark is not None


@lru_cache(maxsize=64)
def find_switch(css: str) -> SchemeSwitch:
    """How the sheet tells light from dark: looked for where custom properties or grounds are set on the root."""
    marks: dict[Scheme, Mark] = {}
    by_preference = False
    for declaration in read_source(css).declarations:
        if not (declaration.name.startswith("--") or declaration.name in _GROUND_PROPERTIES):
            continue
        by_preference = by_preference or any(_PREFERENCE.search(text) for text in declaration.conditions)
        by_preference = by_preference or "light-dark(" in declaration.value.lower()
        for selector in declaration.selectors.split(","):
            mark = _mark_in(_NOT.sub("", selector).strip())
            if mark is not None:
                marks.setdefault(_scheme_of_word(mark.value) or "light", mark)
    return SchemeSwitch(by_preference, marks.get("light"), marks.get("dark"))


_GROUND_PROPERTIES = frozenset({"background", "background-color", "color", "color-scheme"})


def schemes_of(declaration: SourceDeclaration) -> frozenset[Scheme]:
    """The schemes in which a root declaration may apply: both, where neither its rule nor a condition says which."""
    found = set(SCHEMES)
    for condition in declaration.conditions:
        wanted = _PREFERENCE.search(condition)
        if wanted:
            negated = re.search(r"@media\s+not\b", condition, re.IGNORECASE) is not None
            found &= {scheme for scheme in SCHEMES if (scheme == wanted[1].lower()) != negated}
    by_selector: set[Scheme] = set()
    for selector in declaration.selectors.split(","):
        mark = _mark_in(_NOT.sub("", selector).strip())
        scheme = _scheme_of_word(mark.value) if mark is not None else None
        by_selector |= set(SCHEMES) if scheme is None else {scheme}
    return frozenset(found & by_selector)


def is_on_root(declaration: SourceDeclaration) -> bool:
    """Whether a declaration sets its property for the whole page: on the root or the body, marked or not."""
    selectors = [_NOT.sub("", selector).strip() for selector in declaration.selectors.split(",")]
    return bool(declaration.selectors) and any(
        not selector or _PLAIN_ROOT.match(selector) or _mark_in(selector) for selector in selectors
    )


def show_scheme(document: LexborHTMLParser, switch: SchemeSwitch, scheme: Scheme) -> None:
    """Set the html element's marks as a page shows the scheme; those of the other scheme are taken away."""
    root = document.root
    if root is None:
        return
    other: Scheme = "light" if scheme == "dark" else "dark"
    for mark, is_set in ((switch.mark(other), False), (switch.mark(scheme), True)):
        if mark is None:
            continue
        words = [word for word in (root.attributes.get(mark.attribute) or "").split() if word != mark.value]
        words += [mark.value] if is_set else []
        if words:
            root.attrs[mark.attribute] = " ".join(words)
        elif mark.attribute in root.attributes:
            del root.attrs[mark.attribute]


def probe(css: str, scheme: Scheme, html: str = PROBE) -> Cascade:
    """The computed values of a page that has the scheme, under the sheet and the page's own styles."""
    document = LexborHTMLParser(html)
    show_scheme(document, find_switch(css), scheme)
    own = [node.text() for node in document.css("style")]
    return Cascade(document, [css, *own], scheme=scheme)


def root_properties(css: str, scheme: Scheme) -> dict[str, str]:
    """The custom properties that every element of a page has, references among them replaced."""
    return dict(_properties(css, scheme))


@lru_cache(maxsize=128)
def _properties(css: str, scheme: Scheme | None) -> Mapping[str, str]:
    """The same; without a scheme those of a page with no mark, on a phone that prefers light."""
    # Only what sets them is put to the cascade: a whole sheet takes ten times as long.
    custom = (each for each in read_source(css).declarations if each.name.startswith("--"))
    small = "\n".join(_alone(each) for each in custom)
    cascade = Cascade(LexborHTMLParser(PROBE), [small]) if scheme is None else probe(small, scheme)
    body = cascade.document.body
    return {} if body is None else cascade.custom_properties(body)


def _alone(declaration: SourceDeclaration) -> str:
    """A sheet with one declaration only, in the rules that stand around it."""
    opening = "".join(f"{block.prelude}{{" for block in declaration.blocks)
    important = "!important" if declaration.important else ""
    return f"{opening}{declaration.name}:{declaration.value}{important}{'}' * len(declaration.blocks)}"


@lru_cache(maxsize=32)
def default_scheme(css: str) -> Scheme:
    """What a page shows on a phone that prefers light, nothing being marked.

    Told by which scheme's values it then has; by the darkness of its ground where there is one scheme only.
    """
    unmarked, light, dark = (_properties(css, each) for each in (None, *SCHEMES))
    if light != dark and unmarked in (light, dark):
        return "light" if unmarked == light else "dark"
    document = LexborHTMLParser(PROBE)
    cascade = Cascade(document, [css])
    for selector in ("#app", "body", "html"):
        node = document.css_first(selector)
        value = None if node is None else cascade.value(node, "background-color")
        colour = parse_colour(value) if value else None
        if colour is not None and colour.is_opaque:
            return "dark" if colour.luminance < DARK_GROUND else "light"
    return "light"


def _mark_in(selector: str) -> Mark | None:
    match = _ATTRIBUTE.fullmatch(selector)
    if match and _scheme_of_word(match["value"]):
        return Mark(match["name"].lower(), match["value"])
    match = _CLASS.fullmatch(selector)
    return Mark("class", match["value"]) if match and _scheme_of_word(match["value"]) else None


def _scheme_of_word(word: str) -> Scheme | None:
    parts: Iterable[str] = re.split(r"[-_]", word.lower())
    for part in parts:
        if part in _DARK_WORDS:
            return "dark"
        if part in _LIGHT_WORDS:
            return "light"
    return None
