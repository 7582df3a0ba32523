"""The database: opened once per process, migrated on the way, written by one thread, read by a few others."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self, TypeVar

from sqlalchemy import URL, Connection, Engine, Table, inspect, select
from sqlalchemy.exc import DBAPIError, NoSuchModuleError

from loopwright.kernel.errors import LoopwrightError, Misconfigured
from loopwright.kernel.events import Event
from loopwright.stores.engines import READERS, database_url, reading_engine, writing_engine
from loopwright.stores.errors import as_own_error
from loopwright.stores.migrate import Schema, create, is_current, migrate
from loopwright.stores.tables import runs
from loopwright.stores.writer import Handler, Item, Result, Writer, each_alone

# Who wants to know what happens in which run: told at once of this process's commits, by polling of others'.

POLL_SECONDS = 0.3
"""How often other processes' commits are looked for, in one query for all watched runs."""

MAX_PENDING = 256
"""Events kept for a slow watcher; beyond, it reads them from the database."""

ReadSeqs = Callable[[Sequence[str]], Awaitable[Mapping[str, int]]]
"""Run ids → the seq of each run's newest event."""


@dataclass(eq=False)
class Watcher:
    """One reader's place in one run."""

    run_id: str
    newest: int = 0
    pending: deque[Event] = field(default_factory=deque)
    failure: Exception | None = None
    _woken: asyncio.Event = field(default_factory=asyncio.Event)

    def take_after(self, position: int) -> list[Event]:
        """The events kept that follow this seq without a hole; what is older is dropped."""
        taken: list[Event] = []
        while self.pending and self.pending[0].seq <= position + len(taken) + 1:
            event = self.pending.popleft()
            if event.seq == position + len(taken) + 1:
                taken.append(event)
        return taken

    async def wait_beyond(self, position: int) -> None:
        """Return when the run is known to have events after this seq.

        Raises:
            LoopwrightError: the database was closed, or polling it failed.
        """
        while self.newest <= position:
            if self.failure is not None:
                raise LoopwrightError(f"Watching run {self.run_id} broke off: {self.failure}") from self.failure
            self._woken.clear()
            await self._woken.wait()

    def tell(self, newest: int, events: Sequence[Event] = ()) -> None:
        """There are events up to this seq; those given need not be read again."""
        self.newest = max(self.newest, newest)
        if len(self.pending) + len(events) > MAX_PENDING:
            self.pending.clear()
        else:
            self.pending.extend(events)
        self._woken.set()

    def break_off(self, failure: Exception) -> None:
        """Nothing more will come."""
        self.failure = failure
        self._woken.set()


class Changes:
    """The watchers of this process, and the one task that polls for them while there are any."""

    def __init__(self, read_seqs: ReadSeqs) -> None:
        """Keep the query; nothing runs before the first watcher."""
        self._read_seqs = read_seqs
        self._watchers: dict[str, set[Watcher]] = {}
        self._poller: asyncio.Task[None] | None = None

    def add(self, run_id: str) -> Watcher:
        """Start watching; whoever adds must remove."""
        watcher = Watcher(run_id)
        self._watchers.setdefault(run_id, set()).add(watcher)
        if self._poller is None or self._poller.done():
            self._poller = asyncio.create_task(self._poll(), name="loopwright-poll")
        return watcher

    def remove(self, watcher: Watcher) -> None:
        """Stop watching."""
        watchers = self._watchers.get(watcher.run_id, set())
        watchers.discard(watcher)
        if not watchers:
            self._watchers.pop(watcher.run_id, None)

    def publish(self, run_id: str, events: Sequence[Event]) -> None:
        """These events of the run have been committed here."""
        if events:
            for watcher in self._watchers.get(run_id, ()):
                watcher.tell(events[-1].seq, events)

    async def close(self) -> None:
        """Stop polling, and tell every watcher that nothing more will come."""
        if self._poller is not None:
            self._poller.cancel()
            await asyncio.gather(self._poller, return_exceptions=True)
        self._break_off(LoopwrightError("the database was closed"))

    async def _poll(self) -> None:
        while self._watchers:
            try:
                newest = await self._read_seqs(list(self._watchers))
            except Exception as error:
                self._break_off(error)
                return
            for run_id, seq in newest.items():
                for watcher in self._watchers.get(run_id, ()):
                    if seq > watcher.newest:
                        watcher.tell(seq)
            await asyncio.sleep(POLL_SECONDS)

    def _break_off(self, failure: Exception) -> None:
        for watchers in self._watchers.values():
            for watcher in watchers:
                watcher.break_off(failure)


# The database.

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
