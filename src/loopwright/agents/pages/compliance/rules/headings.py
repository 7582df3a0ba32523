"""Headings: one main heading, and levels that do not jump."""

from collections.abc import Iterator

from loopwright.agents.pages.compliance.page import Page
from loopwright.agents.pages.compliance.report import Issue
from loopwright.agents.pages.compliance.rules.rule import Rule


def check_main_heading(page: Page) -> Iterator[Issue]:
    """A page shows exactly one h1: it says which screen this is."""
    shown = list(page.rendered("h1"))
    if len(shown) == 1:
        return
    where = page.selector_of(shown[1]) if shown else None
    message = (
        "The page has more than one h1. Keep the name of the screen as h1 and make the others h2."
        if shown
        else "The page has no h1. Make the name of the screen an h1."
    )
    measured = f"{len(shown)} shown"
    yield Issue(rule="main-heading", severity="error", message=message, selector=where, measured=measured, required="1")


def check_heading_order(page: Page) -> Iterator[Issue]:
    """Going down, heading levels take one step at a time, or the outline read aloud has holes."""
    previous = 0
    for node in page.rendered("h1, h2, h3, h4, h5, h6"):
        level = int((node.tag or "h1")[1])
        if previous and level > previous + 1:
            yield Issue(
                rule="heading-order",
                severity="warning",
                message=f"An h{level} follows an h{previous}. Use h{previous + 1}, and set its size in CSS.",
                selector=page.selector_of(node),
                measured=f"h{level}",
                required=f"h{previous + 1} or higher",
            )
        previous = level


HEADING_RULES = (
    Rule("main-heading", "The page shows exactly one h1.", check_main_heading),
    Rule("heading-order", "Heading levels do not jump.", check_heading_order),
)
