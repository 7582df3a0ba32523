"""What the tools of the pages agent get as `ctx.db`: its stores, and the browser that renders pages."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Self

from loopwright.agents.pages.browser import Browser, open_browser
from loopwright.agents.pages.settings import PagesSettings
from loopwright.agents.pages.store.design_systems import SqlDesignSystems
from loopwright.agents.pages.store.pages import SqlPages
from loopwright.agents.pages.store.product_docs import SqlProductDocs
from loopwright.agents.pages.store.promises import SqlPromises
from loopwright.app.loopwright import Loopwright, Stores


@dataclass(frozen=True)
class PagesStores(Stores):
    """The installation's stores and those of pages; `browser` is None where nothing is to be rendered."""

    pages: SqlPages
    product_docs: SqlProductDocs
    promises: SqlPromises
    design_systems: SqlDesignSystems
    browser: Browser | None = None

    @classmethod
    def on(cls, stores: Stores, browser: Browser | None = None) -> Self:
        """The stores beside those of an installation whose page tables are up to date."""
        database = stores.database
        return cls(
            **vars(stores),
            pages=SqlPages(database),
            product_docs=SqlProductDocs(database),
            promises=SqlPromises(database),
            design_systems=SqlDesignSystems(database),
            browser=browser,
        )


@asynccontextmanager
async def open_services(application: Loopwright) -> AsyncIterator[PagesStores]:
    """The stores over the installation's; the browser starts when it is first asked."""
    settings = PagesSettings.load()
    async with open_browser(settings.chromium, settings.time_zone) as browser:
        yield PagesStores.on(application.stores, browser)


async def pages_stores(application: Loopwright) -> PagesStores:
    """The stores of the pages agent in a running application."""
    return await application.services("pages", PagesStores)
