"""The page that ACT rules are asked about."""

import re
from dataclasses import dataclass
from functools import cached_property

from loopwright.agents.pages.compliance.accessibility.tree import AccessibilityTree
from loopwright.agents.pages.compliance.accessibility.visibility import Visibility
from loopwright.agents.pages.compliance.cascade.media import Orientation
from loopwright.agents.pages.compliance.contrast.measure import ContrastMeter
from loopwright.agents.pages.compliance.page import Page

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
