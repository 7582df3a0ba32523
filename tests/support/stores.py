"""Agents' stores over a database that a test has opened itself, as the application opens them."""

from loopwright.agents.jobs.services import GraphStore, JobsStores
from loopwright.agents.pages.services import PagesStores
from loopwright.app.agents import package, packages
from loopwright.app.loopwright import Stores, prepare_tables
from loopwright.stores.database import Database


async def upgrade(database: Database, *agents: str) -> None:
    """Bring the tables of these agents up to date; of all of them without any name."""
    for name in agents or [each.name for each in packages()]:
        await prepare_tables(database, package(name))


async def pages_on(database: Database) -> PagesStores:
    """The stores of the pages agent, without a browser."""
    await upgrade(database, "pages")
    return PagesStores.on(Stores.of(database))


async def jobs_on(database: Database, graph: GraphStore) -> JobsStores:
    """The stores of the jobs agent."""
    await upgrade(database, "jobs")
    return JobsStores.on(Stores.of(database), graph)
