"""The frame that every new page is written into, and what is put right of a page that did not keep to it."""

import re
from collections.abc import Collection, Sequence
from html import escape
from importlib import resources
from string import Template

from loopwright.agents.pages.compliance.links import collect_links
from loopwright.agents.pages.compliance.report import Issue
from loopwright.agents.pages.contracts import PageEntry
from loopwright.agents.pages.editing.applying import apply_operations
from loopwright.agents.pages.editing.operations import Operation, RemoveAttribute, SetAttribute
from loopwright.agents.pages.editing.regions import Revision
from loopwright.agents.pages.editing.source_map import SourceMap
from loopwright.agents.pages.editing.unlinking import without_links_to

_SCRIPT = re.compile(r"<script\b[^>]*>\s*[^\s<]", re.IGNORECASE)
BAR_ENTRIES = 5
"""Entries of a bottom bar on a phone; further pages are reached from these."""

STAND_IN = (
    "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='400' height='240' viewBox='0 0 400 240'%3E"
    "%3Crect width='400' height='240' fill='%23cfd8e3'/%3E%3Ccircle cx='310' cy='62' r='26' fill='%23f4f6f9'/%3E"
    "%3Cpath d='M0 240 130 110l90 84 60-50 120 96z' fill='%238fa1b5'/%3E%3C/svg%3E"
)
"""A plain landscape, for a picture that the model names and that nobody has."""


def frame_of(entry: PageEntry, sitemap: Sequence[PageEntry], *, app_name: str | None, lang: str) -> str:
    """The document without its content: head, header, and the bottom bar where there are pages to go to."""
    template = resources.files("loopwright.agents.pages.tools").joinpath("page_frame.html").read_text(encoding="utf-8")
    links = "".join(_link(each, is_here=each.slug == entry.slug) for each in sitemap[:BAR_ENTRIES])
    bar = f'<nav class="bottom-nav" aria-label="Main">{links}</nav>\n' if len(sitemap) > 1 else ""
    name = f"{entry.title} · {app_name}" if app_name and app_name != entry.title else entry.title
    return Template(template).substitute(lang=lang, name=escape(name), title=escape(entry.title), bar=bar)


def _link(entry: PageEntry, *, is_here: bool) -> str:
    mark = ' aria-current="page"' if is_here else ""
    return f'<a href="{entry.slug}.html"{mark}>{escape(entry.title)}</a>'


def without_strangers(html: str, known_slugs: Collection[str], wanted: str) -> tuple[str, list[str]]:
    """The page without links to pages that nobody has planned, and in words what was taken out.

    Args:
        html: the page.
        known_slugs: the pages there are or will be.
        wanted: what the page was to be; a page that it speaks of may be made next, and its links stay.
    """
    named = wanted.lower()
    strangers = dict.fromkeys(
        link.slug for link in collect_links(html) if link.kind == "page" and link.slug and link.slug not in known_slugs
    )
    notes = []
    for slug in strangers:
        if slug.replace("-", " ") in named or slug in named:
            continue
        unlinked = without_links_to(html, slug)
        if unlinked.preserved is not None:
            html = unlinked.html
            notes.append(f"took out links to {slug}, which is no page of the app")
    return html, notes


def put_right(html: str, issues: Sequence[Issue]) -> tuple[str, list[str]]:
    """The page with a plain drawing for each picture that is not there, and without links to places that it lacks.

    A link to a place may be what a script works with, so that it stays in a page that has scripts.

    Returns:
        the page, and in words what was done; what is left is for the model to mend.
    """
    revision, notes = Revision.of(html), []
    has_scripts = _SCRIPT.search(html) is not None
    for issue in issues:
        measured = issue.measured or ""
        found = SourceMap(revision.after).select(issue.selector) if issue.selector else []
        if len(found) != 1 or not found[0].whole:
            continue
        element = found[0]
        if issue.rule == "missing-file" and element.name == "img" and element.tag.value("src") == measured:
            change: Operation = SetAttribute(
                op="set_attribute", selector=issue.selector or element.name, name="src", value=STAND_IN
            )
            notes.append(f"put a plain drawing in the place of {measured}, which is not there")
        elif issue.rule == "broken-link" and measured.startswith("#") and element.name == "a" and not has_scripts:
            change = RemoveAttribute(op="remove_attribute", selector=issue.selector or element.name, name="href")
            notes.append(f"took the address off a link to {measured}, which is nowhere on the page")
        else:
            continue
        revision = apply_operations(revision, [change])
    return revision.after, notes
