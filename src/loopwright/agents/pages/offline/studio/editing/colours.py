"""Edits of colour: a part gets a colour, with ink that can be read on it."""

import re

from loopwright.agents.pages.offline.studio.colour import fill_and_ink
from loopwright.agents.pages.offline.studio.editing.parts import Part, named_part
from loopwright.agents.pages.offline.studio.editing.source import Source
from loopwright.agents.pages.offline.studio.editing.stylesheet import with_rule
from loopwright.agents.pages.offline.studio.editing.wish import Change
from loopwright.agents.pages.offline.studio.theme import colors_in

_WISH = re.compile(r"\b(?:make|change|turn|set|paint|colou?r|use|give|switch|want|should be|be)\b|#[0-9a-f]{3,6}", re.I)
_SHADE = re.compile(r"\b(?P<way>darker|lighter|dark|light)\b", re.I)


def recolour(html: str, text: str) -> Change | None:
    """The wish for a colour, carried out; None when the text is no such wish."""
    colours = colors_in(text)
    part = named_part(text)
    if not colours:
        return _shade(html, text, part)
    if part is None:
        if not _WISH.search(text):
            return None
        part = Part("accent", (), (":root",), "token")
    colour = colours[0]
    if part.kind == "token":
        fill, ink = fill_and_ink(colour)
        declarations = {f"--color-{name}": fill for name in ("brand", "primary")}
        declarations |= {f"--color-on-{name}": ink for name in ("brand", "primary")}
        return Change(with_rule(html, ":root", declarations), f"the accent colour is {fill} now")
    selector = part.selector_on(Source(html))
    if selector is None:
        return Change(html, f"this page has no {part.name}")
    if part.kind == "text":
        return Change(with_rule(html, selector, {"color": colour}), f"{part.name}: text in {colour}")
    fill, ink = (colour, _ink(colour)) if part.kind == "page" else fill_and_ink(colour)
    new = with_rule(html, selector, {"background": fill, "color": ink})
    if part.kind == "ground":
        new = _inherit_ink(new, selector)
    return Change(new, f"the {part.name} {'are' if part.name.endswith('s') else 'is'} {fill} now, with {ink} on it")


def _ink(ground: str) -> str:
    return fill_and_ink(ground)[1]


def _inherit_ink(html: str, selector: str) -> str:
    """Text inside takes the new ink too, unless it stands on a ground of its own."""
    inner = f"{selector} :is(h1, h2, h3, p, a, span, small):not([class*=btn])"
    return (
        with_rule(html, inner, {"color": "inherit"}) if selector in (".app-bar", ".hero", "header", "footer") else html
    )


def _shade(html: str, text: str, part: Part | None) -> Change | None:
    match = _SHADE.search(text)
    if match is None or part is None or part.kind not in ("page", "ground"):
        return None
    selector = part.selector_on(Source(html))
    if selector is None:
        return Change(html, f"this page has no {part.name}")
    dark = match["way"].lower().startswith("dark")
    ground, ink = ("#16181D", "#F4F5F7") if dark else ("#FBFBFC", "#1A1C20")
    tokens = {
        "--color-bg": ground,
        "--color-text": ink,
        "--color-surface": "#20232A" if dark else "#FFFFFF",
        "--color-surface-2": "#2A2E36" if dark else "#F1F2F4",
        "--color-muted": "#B4BAC4" if dark else "#575D68",
        "--color-border": "#383D47" if dark else "#DDE0E5",
    }
    declarations = {**tokens, "background": ground, "color": ink}
    return Change(with_rule(html, selector, declarations), f"the {part.name} is {'dark' if dark else 'light'} now")
