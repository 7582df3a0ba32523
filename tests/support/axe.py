"""axe-core in the shared Chromium: what people with assistive technology would stumble over, in both colour schemes.

The engine is Deque's axe-core (MPL-2.0), the file that the package `axe-playwright-python` ships; for tests only.
"""

from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.async_api import Page

TAGS = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa", "best-practice")
"""WCAG 2.0 to 2.2 at levels A and AA, and what Deque holds to be good practice."""

OPTIONS = {
    "runOnly": {"type": "tag", "values": list(TAGS)},
    # Our own probe demands 44 px instead of 24, and axe takes what a fixed bar covers before one scrolls for too small.
    # A control has to be called what it shows (WCAG 2.5.3); axe holds the rule to be experimental and skips it.
    "rules": {"target-size": {"enabled": False}, "label-content-name-mismatch": {"enabled": True}},
    "resultTypes": ["violations"],
    "iframes": False,
}
CONTRAST_ONLY = {"runOnly": {"type": "rule", "values": ["color-contrast"]}, "resultTypes": ["violations"]}
"""Nothing but colours differs between the schemes, so the second look is at contrast alone."""

RUN = """async (options) => {
  const found = await axe.run(document, options);
  return found.violations.flatMap((rule) => rule.nodes.map((node) => ({
    rule: rule.id, impact: node.impact, selector: node.target.flat().join(" "),
    summary: [...node.any, ...node.all, ...node.none].map((check) => check.message).join("; ") || rule.help,
  })));
}"""
SWITCH = "(mode) => document.documentElement.setAttribute('data-mode', mode)"


@dataclass(frozen=True, slots=True)
class Violation:
    """One element that breaks one rule of axe-core; `scheme` is the colour scheme in which it was seen."""

    scheme: str
    rule: str
    impact: str | None
    selector: str
    summary: str

    def __str__(self) -> str:
        return f"axe {self.rule} ({self.scheme}): {self.selector}: {self.summary}"


async def violations_on(page: "Page") -> list[Violation]:
    """What axe-core finds on a loaded page: all rules in the scheme it shows, contrast in the other one as well.

    The page must follow `data-mode` on its root element, as the design systems do.  Has to run on the browser's loop.
    """
    await page.evaluate(engine())
    shown = str(await page.evaluate("() => getComputedStyle(document.documentElement).colorScheme"))
    scheme, other = ("dark", "light") if "dark" in shown and "light" not in shown else ("light", "dark")
    found = await _run(page, OPTIONS, scheme)
    await page.evaluate(SWITCH, other)
    found += await _run(page, CONTRAST_ONLY, other)
    await page.evaluate(SWITCH, scheme)
    return found


async def _run(page: "Page", options: dict[str, Any], scheme: str) -> list[Violation]:
    return [Violation(scheme=scheme, **each) for each in await page.evaluate(RUN, options)]


@lru_cache(maxsize=1)
def engine() -> str:
    """The source of axe-core."""
    return (resources.files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
