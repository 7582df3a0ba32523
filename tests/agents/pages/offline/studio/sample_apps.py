"""One app of each product type that has pages of its own, for the tests that all of them must pass."""

import json
from dataclasses import dataclass
from pathlib import Path

from loopwright.agents.pages.brief.knowledge import product
from loopwright.agents.pages.offline.studio.contracts import PageRequest, SitemapEntry
from loopwright.agents.pages.offline.studio.design_system import render_design_system
from loopwright.agents.pages.offline.studio.rendering import render_page
from loopwright.agents.pages.workspace import Workspace


@dataclass(frozen=True)
class SampleApp:
    """An app as the agent would have it built."""

    product_type: str
    name: str
    titles: dict[str, str]
    """Titles by slug, in the order of the sitemap."""
    brief: str = ""

    def render(self, slug: str, *, alone: bool = False) -> str:
        """A page of the app; `alone`: in an app that has no other."""
        titles = {slug: self.titles[slug]} if alone else self.titles
        sitemap = tuple(SitemapEntry(each, title) for each, title in titles.items())
        model = product(self.product_type).data_model.model_dump(by_alias=True)
        return render_page(
            PageRequest(slug, titles[slug], "", self.product_type, self.name, sitemap, self.brief, data_model=model)
        )

    @property
    def css(self) -> str:
        """The app's style sheet."""
        return render_design_system(self.product_type, app_name=self.name, brief=self.brief)

    def write(self, folder: Path, *slugs: str) -> Path:
        """Put these pages, or all, where a browser finds them; returns the folder of the pages."""
        workspace = Workspace(folder)
        workspace.write_design_system(self.css)
        for slug in slugs or self.titles:
            workspace.write_page(slug, self.render(slug))
        return folder / "pages"


_TABLE = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))

APPS = {kind: SampleApp(kind, sample["name"], sample["titles"]) for kind, sample in _TABLE.items()}
PAGES = [(kind, slug) for kind, app in APPS.items() for slug in app.titles]
NAMED = [(kind, *page) for kind, sample in _TABLE.items() for page in sample["named"]]
"""Product type, slug, title and the archetype that a page so named must find."""
