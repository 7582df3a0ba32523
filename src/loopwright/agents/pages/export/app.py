"""A prototype as it is exported: its pages side by side, and what is told of it."""

from collections.abc import Mapping
from dataclasses import dataclass

from loopwright.agents.pages.brief.slugs import HOME
from loopwright.agents.pages.compliance.links import broken_links
from loopwright.agents.pages.compliance.markup import Edit, apply_edits, scan
from loopwright.agents.pages.compliance.page import is_design_system
from loopwright.agents.pages.compliance.skeleton import read_skeleton
from loopwright.agents.pages.export.theme import Theme
from loopwright.agents.pages.workspace import DESIGN_SYSTEM


@dataclass(frozen=True)
class ExportedApp:
    """What an export is made of. `pages` are the HTML by slug, in the order of the app."""

    name: str
    description: str
    pages: Mapping[str, str]
    css: str
    theme: Theme

    @property
    def start(self) -> str:
        """The page that opens first: the home page, or the first one where there is none."""
        return HOME if HOME in self.pages else next(iter(self.pages))

    def broken_links(self) -> dict[str, list[str]]:
        """By page, the pages that its links name and that are not in the export."""
        return broken_links(self.pages)


def side_by_side(html: str) -> str:
    """The page for a folder that also holds the design system: in a session's folder that is one level up."""
    edits = []
    for link in read_skeleton(html).stylesheets():
        href = link.attribute("href")
        if href is not None and is_design_system(href.value):
            edits.append(Edit(href.value_start, href.value_end, DESIGN_SYSTEM if href.quote else f'"{DESIGN_SYSTEM}"'))
    return apply_edits(html, edits)


def with_head(html: str, markup: str) -> str:
    """The page with more in its head, before everything that is there."""
    place = 0
    for token in scan(html):
        if token.kind == "doctype" or (token.kind == "start" and token.name in ("html", "head")):
            place = token.end
        if token.kind == "start" and token.name != "html":
            break
    return apply_edits(html, [Edit(place, place, markup)])
