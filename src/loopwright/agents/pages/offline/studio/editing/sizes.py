"""Edits of size and shape: bigger headings, rounder corners, more space."""

import re

from loopwright.agents.pages.offline.studio.editing.parts import named_part
from loopwright.agents.pages.offline.studio.editing.source import Source
from loopwright.agents.pages.offline.studio.editing.stylesheet import with_rule
from loopwright.agents.pages.offline.studio.editing.wish import Change

_BIGGER = re.compile(r"\b(?:bigger|larger|increase|enlarge|taller|huge|big|large)\b", re.I)
_SMALLER = re.compile(r"\b(?:smaller|decrease|reduce|shrink|tiny|small)\b", re.I)
_ROUNDER = re.compile(
    r"\b(?:rounder|round(?:ed)?|pill|softer)\b.*\b(?:corners?|buttons?|cards?|edges?)\b|\bround(?:er|ed)\b", re.I
)
_SHARPER = re.compile(r"\b(?:sharp(?:er)?|square[dr]?|no rounded|angular)\b", re.I)
_AIRIER = re.compile(r"\bmore\s+(?:white\s?space|space|spacing|padding|room|air)\b|\bairier\b", re.I)
_TIGHTER = re.compile(r"\b(?:less\s+(?:white\s?space|space|spacing|padding)|tighter|denser|more compact)\b", re.I)
_BOLD = re.compile(r"\b(?:bold(?:er)?|heavier|stronger)\b", re.I)

_TYPE = {
    True: {"h1": "2.25rem", "h2": "1.6rem", "text": "1.125rem"},
    False: {"h1": "1.375rem", "h2": "1.125rem", "text": "0.9375rem"},
}
_RADII = ("--radius-s", "--radius-m", "--radius-l")


def resize(html: str, text: str) -> Change | None:
    """The wish for another size or shape, carried out; None when the text is no such wish."""
    if _SHARPER.search(text):
        return Change(with_rule(html, ":root", dict.fromkeys(_RADII, "0px")), "corners are square now")
    if _ROUNDER.search(text):
        radii = dict(zip(_RADII, ("12px", "20px", "28px"), strict=True))
        return Change(with_rule(html, ":root", radii), "corners are rounder now")
    if _AIRIER.search(text) or _TIGHTER.search(text):
        return _space(html, wide=_AIRIER.search(text) is not None)
    if _BIGGER.search(text) or _SMALLER.search(text):
        return _scale(html, text, bigger=_BIGGER.search(text) is not None)
    part = named_part(text)
    if _BOLD.search(text) and part is not None and (selector := part.selector_on(Source(html))):
        return Change(with_rule(html, selector, {"font-weight": "800"}), f"the {part.name} is bold now")
    return None


def _space(html: str, *, wide: bool) -> Change:
    spaces = ("20px", "26px", "34px", "44px") if wide else ("12px", "14px", "18px", "24px")
    tokens = dict(zip(("--space-4", "--space-5", "--space-6", "--space-7"), spaces, strict=True))
    return Change(with_rule(html, ":root", tokens), f"there is {'more' if wide else 'less'} space now")


def _scale(html: str, text: str, *, bigger: bool) -> Change | None:
    part = named_part(text)
    if part is None:
        return None
    selector = part.selector_on(Source(html))
    if selector is None:
        return Change(html, f"this page has no {part.name}")
    told = f"the {part.name} {'are' if part.name.endswith('s') else 'is'} {'bigger' if bigger else 'smaller'} now"
    if part.name == "buttons":
        rule = {"min-height": "56px" if bigger else "44px", "font-size": "1.125rem" if bigger else "0.9375rem"}
        return Change(with_rule(html, selector, rule), told)
    if part.name in ("hero", "cards"):
        return Change(with_rule(html, selector, {"padding": "32px" if bigger else "12px"}), told)
    if part.name in ("header", "bottom navigation"):
        return Change(with_rule(html, selector, {"min-height": "76px" if bigger else "52px"}), told)
    size = _TYPE[bigger][selector if selector in ("h1", "h2") else "text"]
    return Change(with_rule(html, selector, {"font-size": size}), told)
