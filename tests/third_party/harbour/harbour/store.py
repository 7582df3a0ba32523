"""The log: one table, and what the agent's tools get as `ctx.db`."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from pydantic import Field
from sqlalchemy import Column, Integer, String, Table, insert, select

from loopwright.app.loopwright import Loopwright
from loopwright.app.settings import PackageSettings
from loopwright.stores.database import Database
from loopwright.stores.tables import metadata

entries = Table(
    "harbour_entries",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("ship", String(100), nullable=False),
    Column("berth", String(20), nullable=False),
)


class HarbourSettings(PackageSettings):
    """What can be set for the harbour."""

    berth: str = Field("north", validation_alias="HARBOUR_BERTH")


class Log:
    """The entries."""

    def __init__(self, database: Database, berth: str) -> None:
        """Write to this database."""
        self._database = database
        self.berth = berth

    async def add(self, ship: str) -> None:
        """Write a ship down at the berth."""
        statement = insert(entries).values(ship=ship, berth=self.berth)
        await self._database.write(lambda connection: connection.execute(statement).rowcount)

    async def ships(self) -> list[dict[str, str]]:
        """Who lies where, in the order of arrival."""
        statement = select(entries.c.ship, entries.c.berth).order_by(entries.c.number)
        return await self._database.read(
            lambda connection: [dict(row) for row in connection.execute(statement).mappings()]
        )


@asynccontextmanager
async def open_services(app: Loopwright) -> AsyncIterator[Log]:
    """The log over the installation's database."""
    yield Log(app.stores.database, HarbourSettings.load().berth)
