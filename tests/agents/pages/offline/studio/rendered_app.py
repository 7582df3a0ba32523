"""Apps made by the studio, for the tests of its pages."""

from dataclasses import dataclass
from pathlib import Path

from loopwright.agents.pages.offline.studio.contracts import PageRequest, SitemapEntry
from loopwright.agents.pages.offline.studio.design_system import render_design_system
from loopwright.agents.pages.offline.studio.rendering import render_page
from loopwright.agents.pages.workspace import Workspace

COFFEE = {
    "index": "Home",
    "menu": "Menu",
    "item": "Item",
    "cart": "Order",
    "rewards": "Rewards",
    "locations": "Visit",
    "reservations": "Reserve",
    "profile": "Profile",
}


@dataclass(frozen=True)
class RenderedApp:
    """The pages of an app by slug, and its style sheet."""

    pages: dict[str, str]
    css: str

    def write(self, folder: Path) -> Path:
        """Put the app where a browser finds it; returns the folder of the pages."""
        workspace = Workspace(folder)
        workspace.write_design_system(self.css)
        for slug, html in self.pages.items():
            workspace.write_page(slug, html)
        return folder / "pages"


def request(
    slug: str, titles: dict[str, str], product_type: str = "food_and_drink", app_name: str = "Bean There"
) -> PageRequest:
    """A request for one of these pages."""
    sitemap = tuple(SitemapEntry(each, title) for each, title in titles.items())
    return PageRequest(slug, titles[slug], "", product_type, app_name, sitemap)


def render_app(titles: dict[str, str], product_type: str = "food_and_drink") -> RenderedApp:
    """All pages of an app."""
    pages = {slug: render_page(request(slug, titles, product_type)) for slug in titles}
    return RenderedApp(pages, render_design_system(product_type))
