"""Rendering pages of a session and saying what is wrong with them, whatever the browser does meanwhile."""

import asyncio
import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from loopwright.agents.pages.browser.browser import Browser
from loopwright.agents.pages.browser.errors import ActionFailed, BrowserFailed
from loopwright.agents.pages.browser.files import project_files
from loopwright.agents.pages.browser.findings import findings_of, not_loaded
from loopwright.agents.pages.compliance.report import Issue

NO_BROWSER = "not rendered: no browser"
"""What is said where none can be had; the reason follows."""


@dataclass(frozen=True)
class Rendering:
    """What was found on each page; without a browser, `failure` says why nothing was."""

    findings: Mapping[str, tuple[Issue, ...]] = field(default_factory=dict)
    failure: str | None = None


async def render_pages(
    browser: Browser | None, pages: Mapping[str, str], css: str, slugs: Iterable[str] | None = None
) -> Rendering:
    """Open pages in the browser and measure them.

    Args:
        browser: None where none is to be used.
        pages: all pages of the session, by slug, because they lead to each other.
        css: the design system.
        slugs: the pages to look at; None means all.
    """
    if browser is None:
        return Rendering(failure=NO_BROWSER)
    if reason := browser.why_not():
        return Rendering(failure=f"{NO_BROWSER} ({reason})")
    files = project_files(pages, css)
    wanted = list(pages if slugs is None else slugs)
    try:
        found = await asyncio.gather(*(_findings(browser, files, slug) for slug in wanted))
    except BrowserFailed as error:
        return Rendering(failure=f"not rendered: {error.message}")
    return Rendering(dict(zip(wanted, found, strict=True)))


async def _findings(browser: Browser, files: Mapping[str, str], slug: str) -> tuple[Issue, ...]:
    try:
        return findings_of(await browser.measure(files, f"pages/{slug}.html"))
    except ActionFailed as error:
        return (not_loaded(error.message),)


def digest_of_page(html: str, css: str) -> str:
    """Names what was looked at: the page together with the design system."""
    return hashlib.sha256(f"{len(css)}:{css}{html}".encode()).hexdigest()[:16]
