"""The database: opened once per process, migrated on the way, written by one thread, read by a few others."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Self, TypeVar

from sqlalchemy import URL, Connection, Engine, Table, inspect, select
from sqlalchemy.exc import DBAPIError, NoSuchModuleError

from loopwright.kernel.errors import Misconfigured
from loopwright.stores.changes import Changes
from loopwright.stores.engines import READERS, reading_engine, writing_engine
from loopwright.stores.errors import as_own_error
from loopwright.stores.migrate import Schema, create, is_current, migrate
from loopwright.stores.tables import runs
from loopwright.stores.urls import database_url
from loopwright.stores.writer import Handler, Item, Result, Writer, each_alone

T = TypeVar("T")


class Database:
    """A store's methods are functions of a connection; this says on which connection, and when, they run."""

    def __init__(self, url: URL, writing: Engine, reading: Engine) -> None:
        """Use `Database.open`; this needs engines whose schema is current, and a running event loop."""
        self.url = url
        self._writing = writing
        self._reading = reading
        self._readers = ThreadPoolExecutor(READERS, thread_name_prefix="loopwright-reader")
        self._writer = Writer(writing)
        self.changes = Changes(self._newest_seqs)

    @classmethod
    async def open(cls, url: str | None, home: Path) -> Self:
        """Connect and bring the schema up to date; safe when many processes do so at once.

        Args:
            url: as in `DATABASE_URL`, or None for `{home}/loopwright.db`.
            home: the folder of the SQLite file; made if it is missing.

        Raises:
            Misconfigured: no such database, no driver, no access, or its schema is newer than this program.
        """
        target = database_url(url, home)
        shown = target.render_as_string(hide_password=True)
        try:
            writing, reading = writing_engine(target), reading_engine(target)
        except (ImportError, NoSuchModuleError) as error:
            raise Misconfigured(f"No driver for {shown}.", hint="Install loopwright[postgres].") from error
        except OSError as error:
            raise Misconfigured(f"Cannot make the folder of {shown}: {error}.", hint="Set LOOPWRIGHT_HOME.") from error
        try:
            await asyncio.to_thread(migrate, writing)
        except DBAPIError as error:
            writing.dispose()
            raise Misconfigured(f"Cannot open {shown}: {error.orig}", hint="Check DATABASE_URL.") from error
        except BaseException:
            writing.dispose()
            raise
        return cls(target, writing, reading)

    async def upgrade(self, schema: Schema) -> None:
        """Bring an agent's tables up to date; safe when many processes do so at once.

        Raises:
            Misconfigured: the tables were written by a newer version of the agent.
            StoreUnavailable: the database cannot be written now.
        """
        if not await self.read(lambda connection: is_current(connection, schema)):
            await self._change(lambda engine: migrate(engine, schema))

    async def create(self, tables: Sequence[Table]) -> None:
        """Make those of an agent's tables that are missing; what is there stays as it is.

        Raises:
            StoreUnavailable: the database cannot be written now.
        """
        there = set(await self.read(lambda connection: inspect(connection).get_table_names()))
        if not there.issuperset(table.name for table in tables):
            await self._change(lambda engine: create(engine, tables))

    async def _change(self, work: Callable[[Engine], None]) -> None:
        def change() -> None:
            engine = writing_engine(self.url)  # the writer holds the one connection of its own
            try:
                work(engine)
            finally:
                engine.dispose()

        try:
            await asyncio.to_thread(change)
        except DBAPIError as error:
            raise as_own_error(error) from error

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Write what is pending, end every watch, and let go of the connections."""
        await self._writer.close()
        await self.changes.close()
        await asyncio.to_thread(self._readers.shutdown)
        self._reading.dispose()
        self._writing.dispose()

    async def read(self, work: Callable[[Connection], T]) -> T:
        """Run a function that only reads, in one consistent snapshot.

        Raises:
            StoreUnavailable: the database cannot be read now.
        """

        def work_on_connection() -> T:
            with self._reading.connect() as connection:
                return work(connection)

        try:
            return await asyncio.get_running_loop().run_in_executor(self._readers, work_on_connection)
        except (DBAPIError, UnicodeEncodeError) as error:
            raise as_own_error(error) from error

    async def write(self, work: Callable[[Connection], T]) -> T:
        """Run a function that writes, in a transaction it may share with others.

        The function must be short and touch nothing but its connection: after a rollback it may be run again.

        Raises:
            StoreUnavailable: the database cannot be written now.
            LoopwrightError: whatever the function raised; what it had written is undone.
        """
        result: T = await self._writer.write(each_alone, work)
        return result

    def write_soon(self, work: Callable[[Connection], Any]) -> None:
        """Let a function write without waiting for it, from any thread; a failure is logged."""
        self._writer.post(each_alone, work)

    async def write_together(self, handler: Handler[Item, Result], item: Item, *, on_disk: bool = False) -> Result:
        """Hand one item to a handler that writes many at once; see `Writer.write`."""
        return await self._writer.write(handler, item, on_disk=on_disk)

    async def _newest_seqs(self, run_ids: Sequence[str]) -> Mapping[str, int]:
        def work(connection: Connection) -> Mapping[str, int]:
            rows = connection.execute(select(runs.c.run_id, runs.c.seq).where(runs.c.run_id.in_(run_ids)))
            return {row.run_id: row.seq for row in rows}

        return await self.read(work)
