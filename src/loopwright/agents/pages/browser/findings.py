"""What a measurement says against a page, as the issues that validations report too."""

from collections.abc import Iterator

from loopwright.agents.pages.browser.measurement import (
    MINIMUM_LETTERS,
    MINIMUM_TARGET,
    VIEWPORT_WIDTH,
    PageMeasurement,
)
from loopwright.agents.pages.compliance.report import Issue

RENDERED_RULES = {
    "rendered-load": "The page loads, stays where it is and answers.",
    "rendered-blank": "The page shows text.",
    "rendered-viewport": "A phone lays the page out 430 pixels wide.",
    "rendered-overflow": "The page does not scroll sideways.",
    "rendered-max-width": "On a desktop the content stays a column of 430 pixels.",
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
        message = "On a wide screen the content is wider than a phone. Put it into a container with max-width: 430px."
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
        message = f"It lies under {overlap.covered_by}. Leave room at the end of the page (padding-bottom) for the bar."
        yield _error("rendered-covered", message, overlap.selector)
