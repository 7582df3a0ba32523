"""Rendering pages of a session and saying what is wrong with them, whatever the browser does meanwhile."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from loopwright.agents.pages.browser.browser import (
    MINIMUM_LETTERS,
    MINIMUM_TARGET,
    VIEWPORT_WIDTH,
    Browser,
    PageMeasurement,
    figures_of_page,
)
from loopwright.agents.pages.browser.errors import ActionFailed, BrowserFailed
from loopwright.agents.pages.browser.page import project_files
from loopwright.agents.pages.compliance.page import Issue

# What a measurement says against a page, as the issues that validations report too.

RENDERED_RULES = {
    "rendered-load": "The page loads, stays where it is and answers.",
    "rendered-blank": "The page shows text.",
    "rendered-viewport": "A phone lays the page out 430 pixels wide.",
    "rendered-overflow": "The page does not scroll sideways.",
    "rendered-max-width": "Up to a small tablet the content stays a column of 430 pixels.",
    "rendered-scrollbar": "No scrollbar shows.",
    "rendered-target": "What can be tapped is 44 by 44 pixels.",
    "rendered-text-size": "Text can be read, and phones do not zoom in at fields.",
    "rendered-text-colour": "Text differs from its ground.",
    "rendered-covered": "No fixed bar covers what can be tapped, or another bar.",
    "rendered-image": "Pictures load.",
    "rendered-script": "Scripts run without an error.",
    "rendered-request": "Nothing is asked for beyond the files of the app.",
}
"""What is looked at in the browser, by the identifier that issues carry."""
ROUNDING = 1
"""Pixels by which boxes may differ from whole ones."""


def findings_of(measured: PageMeasurement) -> tuple[Issue, ...]:
    """What is wrong with the page, the gravest first; empty for a page that is fit for a phone."""
    return (*_document(measured), *_said(measured), *_layout(measured), *_elements(measured))


def not_loaded(reason: str) -> Issue:
    """The finding about a page of which nothing else can be said."""
    return _error("rendered-load", f"The page could not be opened in the browser. {reason}")


def _error(
    rule: str, message: str, selector: str | None = None, measured: str | None = None, required: str | None = None
) -> Issue:
    return Issue(rule=rule, severity="error", message=message, selector=selector, measured=measured, required=required)


def _document(measured: PageMeasurement) -> Iterator[Issue]:
    if "://" in measured.url:
        message = "The page leaves for another host by itself. Keep it on its own content."
        yield _error("rendered-load", message, measured=measured.url[:200])
    if measured.letters < MINIMUM_LETTERS:
        message = "The page shows next to nothing. Put its content into the HTML, or see why its script does not run."
        yield _error("rendered-blank", message, None, f"{measured.letters} letters", f"{MINIMUM_LETTERS} letters")


def _said(measured: PageMeasurement) -> Iterator[Issue]:
    for text in measured.console_errors:
        yield _error("rendered-script", "A script fails when the page opens. Correct it.", measured=text[:300])
    for address in measured.failed_requests:
        message = "The page asks for something that is no file of the app. Use inline SVG, CSS and data in the page."
        yield _error("rendered-request", message, measured=address[:200])
    for selector in measured.broken_images:
        yield _error("rendered-image", "The picture does not load. Use inline SVG or CSS instead.", selector)


def _layout(measured: PageMeasurement) -> Iterator[Issue]:
    if measured.overflow > ROUNDING:
        message = "The page scrolls sideways. Let this element wrap, shrink (min-width: 0) or scroll in its own box."
        for selector in measured.overflowing[:5] or (None,):
            figure = f"{VIEWPORT_WIDTH + measured.overflow}px"
            yield _error("rendered-overflow", message, selector, figure, f"{VIEWPORT_WIDTH}px")
    elif measured.inner_width != VIEWPORT_WIDTH:
        message = "A phone does not lay the page out at its own width. Correct the viewport meta."
        yield _error("rendered-viewport", message, None, f"{measured.inner_width}px", f"{VIEWPORT_WIDTH}px")
    if measured.content_width > VIEWPORT_WIDTH + ROUNDING:
        message = (
            "On a small tablet the content is wider than a phone. Put it into a container with max-width: 430px; "
            "a wider layout belongs into @media (min-width: 700px)."
        )
        figure = f"{measured.content_width}px"
        yield _error("rendered-max-width", message, None, figure, f"at most {VIEWPORT_WIDTH}px")
    if measured.scrollbar_width:
        message = "The scrollbar shows. Add html { scrollbar-width: none }."
        yield _error("rendered-scrollbar", message, "html", f"{measured.scrollbar_width}px", "0px")


def _elements(measured: PageMeasurement) -> Iterator[Issue]:
    for target in measured.small_targets:
        figure = f"{target.width:.0f}px by {target.height:.0f}px"
        message = "What can be tapped is too small. Give it min-width: 44px and min-height: 44px."
        yield _error("rendered-target", message, target.selector, figure, f"{MINIMUM_TARGET}px by {MINIMUM_TARGET}px")
    for text in measured.small_text:
        message = "The text is too small for a phone."
        yield _error("rendered-text-size", message, text.selector, f"{text.size:.3g}px", f"{text.required:.0f}px")
    for selector in measured.invisible_text:
        message = "The text has the colour of its ground. Use one of the design system's text colours."
        yield _error("rendered-text-colour", message, selector)
    for overlap in measured.covered:
        message = (
            f"It lies under {overlap.covered_by}. Leave space at the end of the page (padding-bottom) for the bar."
        )
        yield _error("rendered-covered", message, overlap.selector)


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
    try:
        found = await _all_findings(browser, files, list(pages if slugs is None else slugs))
    except BrowserFailed as error:
        return Rendering(failure=f"not rendered: {error.message}")
    return Rendering(found)


async def _all_findings(
    browser: Browser, files: Mapping[str, str], slugs: Sequence[str]
) -> dict[str, tuple[Issue, ...]]:
    """The findings of each page, one after the other in one page of the browser, for as long as that obeys."""
    found: dict[str, tuple[Issue, ...]] = {}
    while left := [slug for slug in slugs if slug not in found]:
        alone = True
        try:
            async with browser.page(files, f"pages/{left[0]}.html") as page:
                for slug in left:
                    if not alone:
                        await page.start_over(f"pages/{slug}.html")
                    found[slug] = findings_of(await figures_of_page(page))
                    alone = False
        except ActionFailed as error:
            # On a page that showed another one before, that one may be to blame: it is opened once more by itself.
            if alone:
                found[left[0]] = (not_loaded(error.message),)
    return found


def digest_of_page(html: str, css: str) -> str:
    """Names what was looked at: the page together with the design system."""
    return hashlib.sha256(f"{len(css)}:{css}{html}".encode()).hexdigest()[:16]
