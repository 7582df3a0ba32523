"""What the tools of the ide agent get as `ctx.db`: the installation's stores, and the projects it works on."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from loopwright.agents.ide.project import Projects
from loopwright.app.loopwright import Loopwright, Stores


@dataclass(frozen=True)
class IdeStores(Stores):
    """The installation's stores, and the projects."""

    projects: Projects | None = None
    """What the agent works on; None where it has no folder of its own."""


@asynccontextmanager
async def open_services(application: Loopwright) -> AsyncIterator[IdeStores]:
    """The stores over the installation's."""
    yield IdeStores(**vars(application.stores), projects=Projects(application.settings.home))
