"""Links: every internal one leads to a page or an element that exists."""

import re
from collections.abc import Iterator

from loopwright.agents.pages.compliance.links import Link
from loopwright.agents.pages.compliance.page import Page
from loopwright.agents.pages.compliance.report import Issue
from loopwright.agents.pages.compliance.rules.rule import Rule

_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.\-]*:")


def check_links(page: Page) -> Iterator[Issue]:
    """Report links to unknown pages and to missing ids."""
    identifiers = {node.attributes.get(name) or "" for name in ("id", "name") for node in page.find(f"[{name}]")}
    for link in page.links:
        issue = _judge_fragment(link, identifiers) if link.kind == "fragment" else _judge_page(page, link)
        if issue is not None:
            yield issue


def check_empty_links(page: Page) -> Iterator[Issue]:
    """Report links to nowhere; scripts often take them over, so it is not certain that they do nothing."""
    for link in page.links:
        if link.kind == "fragment" and link.href in ("", "#"):
            message = "The link leads nowhere. Point it to a page, or use a <button> if a script handles it."
            yield _issue(link, "empty-link", message, severity_is_error=False)


def _judge_fragment(link: Link, identifiers: set[str]) -> Issue | None:
    # `#top` needs no element: HTML standard, section 7.4.6.4.
    if not link.fragment or link.fragment in identifiers or link.fragment.lower() == "top":
        return None
    message = f"No element has the id '{link.fragment}'. Give the target that id, or correct the link."
    return _issue(link, "broken-link", message)


def _judge_page(page: Page, link: Link) -> Issue | None:
    if link.kind == "other" and page.known_slugs is not None and not _SCHEME.match(link.href):
        # What the user has uploaded lies beside the pages; nothing else does.
        message = "There is no such file beside the page. Lead to a page, or put the content into one."
        return None if "uploads/" in link.href else _issue(link, "broken-link", message)
    if link.kind != "page" or link.slug is None or page.known_slugs is None:
        return None
    if link.slug not in page.known_slugs:
        pages = ", ".join(f"{slug}.html" for slug in sorted(page.known_slugs))
        return _issue(link, "broken-link", f"There is no page '{link.slug}'. Pages are: {pages}.")
    address = f"{link.slug}.html"
    if link.href.partition("?")[0].partition("#")[0] not in (address, f"./{address}"):
        message = f"The link works only on a server. Write {address}: pages lie side by side."
        return _issue(link, "broken-link", message, auto_fixable=True)
    return None


def _issue(link: Link, rule: str, message: str, *, severity_is_error: bool = True, auto_fixable: bool = False) -> Issue:
    quoted = link.href.replace('"', '\\"')
    return Issue(
        rule=rule,
        severity="error" if severity_is_error else "warning",
        message=message,
        selector=f'[href="{quoted}"]',
        measured=link.href or None,
        auto_fixable=auto_fixable,
    )


LINK_RULES = (
    Rule("broken-link", "Every internal link leads to something that exists.", check_links),
    Rule("empty-link", "Every link leads somewhere.", check_empty_links),
)
