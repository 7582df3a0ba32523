"""Fixes of links: an address that means a page of the app becomes the address at which the page lies."""

import html as html_entities
from collections.abc import Iterator

from loopwright.agents.pages.compliance.fixes.fix import Fix
from loopwright.agents.pages.compliance.links import page_links
from loopwright.agents.pages.compliance.markup import Edit
from loopwright.agents.pages.compliance.page import Page
from loopwright.agents.pages.compliance.report import Issue


def fix_link(page: Page, issue: Issue) -> Iterator[Fix]:
    """Point all links that are written like this one to the file of their page."""
    mapping = page_links(page.known_slugs or ())
    links = [link for link in page.links if link.href == issue.measured and link.slug in mapping]
    if not links:
        return
    address = mapping[links[0].slug or ""] + links[0].suffix
    text = html_entities.escape(address, quote=True)
    edits = tuple(Edit(link.start, link.end, text if link.quote else f'"{text}"') for link in links)
    yield Fix((issue.rule,), f"pointed {issue.measured} to {address}", edits)
