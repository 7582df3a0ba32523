"""Rules about what a page loads: the design system has to be linked, and no other host is needed."""

from collections.abc import Iterator

from loopwright.agents.pages.compliance.page import DESIGN_SYSTEM_FILE, Page, is_design_system
from loopwright.agents.pages.compliance.report import Issue
from loopwright.agents.pages.compliance.rules.rule import Rule

_LOADING_ATTRIBUTES = {
    "script[src]": "src",
    "link[href]": "href",
    "img[src]": "src",
    "source[src]": "src",
    "video[src]": "src",
    "audio[src]": "src",
    "iframe[src]": "src",
    "embed[src]": "src",
    "object[data]": "data",
}


def check_design_system(page: Page) -> Iterator[Issue]:
    """All pages of an app share one stylesheet; a preview may carry its text in a `<style data-href>` instead."""
    linked = [link.value("href") or "" for link in page.skeleton.stylesheets()]
    inlined = [node.attributes.get("data-href") or "" for node in page.find("style[data-href]")]
    if not any(is_design_system(href) for href in (*linked, *inlined)):
        yield Issue(
            rule="design-system",
            severity="error",
            message=f"The page does not link {DESIGN_SYSTEM_FILE}, which holds the app's colours and components.",
            required=f'<link rel="stylesheet" href="../{DESIGN_SYSTEM_FILE}">',
            auto_fixable=True,
        )


def check_known_styles(page: Page) -> Iterator[Issue]:
    """Says so when a stylesheet was not given, as the rules about sizes then have nothing to go by."""
    if not page.css_is_complete:
        message = "A stylesheet of the page could not be read, so sizes, fonts and layout were not checked."
        yield Issue(rule="styles-known", severity="warning", message=message)


def check_hosts(page: Page) -> Iterator[Issue]:
    """A prototype should open without the network, and send nothing to anyone."""
    for selector, attribute in _LOADING_ATTRIBUTES.items():
        for node in page.find(selector):
            address = (node.attributes.get(attribute) or "").strip()
            if _is_external(address):
                yield _external(address, page.selector_of(node))
    for address in page.cascade.sheet.addresses:
        if _is_external(address):
            yield _external(address, None)


def _is_external(address: str) -> bool:
    return address.strip().lower().startswith(("http://", "https://", "//"))


def _external(address: str, selector: str | None) -> Issue:
    message = "The page loads from another host. Use inline SVG, CSS or system fonts, so it works without a network."
    return Issue(rule="external-host", severity="warning", message=message, selector=selector, measured=address[:200])


RESOURCE_RULES = (
    Rule("design-system", "The page links the design system.", check_design_system),
    Rule("styles-known", "All stylesheets of the page are known to the check.", check_known_styles),
    Rule("external-host", "The page loads nothing from other hosts.", check_hosts),
)
