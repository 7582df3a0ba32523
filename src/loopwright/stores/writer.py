"""The one writer of a process: everything that is pending becomes one transaction (decision 0004).

Callers hand in an item and the handler that knows what to do with many of them. A thread takes all that waits, groups
it by handler, runs it in one transaction, and brings every caller its own outcome with one hop back to the event loop.
"""

import asyncio
import logging
import queue
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError, OperationalError

from loopwright.kernel.errors import LoopwrightError
from loopwright.stores.engines import sync_every_commit
from loopwright.stores.errors import StoreUnavailable, as_own_error

log = logging.getLogger(__name__)

Item = TypeVar("Item")
Result = TypeVar("Result")

Handler = Callable[[Connection, Sequence[Item]], Sequence[Result | Exception]]
"""Writes many items, and gives one outcome for each, in order. It may be called again after a rollback."""

MAX_BATCH = 500
"""Items in one transaction: enough that a commit costs nothing each, few enough that nobody waits long."""

_REST_SECONDS = 5.0
"""A connection that has rested this long is checked before it is used again: its server may have gone meanwhile."""

_DEADLOCK = "40P01"
"""PostgreSQL's code for a deadlock: the other transaction went through, so trying again is right."""


@dataclass(slots=True)
class _Request:
    handler: Handler[Any, Any]
    item: Any
    future: asyncio.Future[Any] | None
    outcome: Any = None
    on_disk: bool = False


class Writer:
    """A thread with one connection; made inside a running event loop, and used from that loop only."""

    def __init__(self, engine: Engine) -> None:
        """Start the thread.

        Args:
            engine: of which the thread takes one connection at a time.
        """
        self._engine = engine
        self._loop = asyncio.get_running_loop()
        self._inbox: queue.SimpleQueue[_Request | None] = queue.SimpleQueue()
        self._gate = threading.Lock()
        self._failure: StoreUnavailable | None = None
        self._connection: Connection | None = None
        self._used_at = 0.0
        self._syncs = False
        # A daemon, so that a program that forgets to close still ends; what was acknowledged is committed anyway.
        self._thread = threading.Thread(target=self._run, name="loopwright-writer", daemon=True)
        self._thread.start()

    async def write(self, handler: Handler[Item, Result], item: Item, *, on_disk: bool = False) -> Result:
        """Write one item, together with whatever else is waiting. A cancelled caller's item is written nevertheless.

        With `on_disk` it is safe from a power cut when this returns; without, only from the end of the process.

        Raises:
            StoreUnavailable: the database cannot be used, or the writer is closed.
            Exception: what the handler gave as this item's outcome.
        """
        future: asyncio.Future[Any] = self._loop.create_future()
        with self._gate:  # Without it, a request could slip into the inbox of a writer that has just died.
            if self._failure is not None:
                raise StoreUnavailable(self._failure.message, hint=self._failure.hint) from self._failure.__cause__
            self._inbox.put(_Request(handler, item, future, on_disk=on_disk))
        result: Result = await future
        return result

    def post(self, handler: Handler[Item, Any], item: Item) -> None:
        """Write one item without waiting for it, from any thread; a failure is logged. A closed writer does nothing."""
        with self._gate:
            if self._failure is None:
                self._inbox.put(_Request(handler, item, None))

    async def close(self) -> None:
        """Write what is pending, then end the thread; later writes are refused."""
        with self._gate:
            if self._failure is None:
                self._failure = StoreUnavailable("The database is closed.")
                self._inbox.put(None)
        await asyncio.to_thread(self._thread.join)

    def _run(self) -> None:
        try:
            self._serve()
        finally:
            self._disconnect()

    def _serve(self) -> None:
        while True:
            batch, last = self._take()
            try:
                self._commit(batch)
            except BaseException as error:
                # Whatever broke the writer must reach its callers: they would wait for ever.
                self._fail(error, batch)
                return
            try:
                self._loop.call_soon_threadsafe(_deliver, batch)
            except RuntimeError:
                return  # The loop is closed: nobody is left to be told, and nobody can ask for more.
            if last:
                return

    def _take(self) -> tuple[list[_Request], bool]:
        """All that waits, at least one; and whether the end was asked for."""
        batch: list[_Request] = []
        request = self._inbox.get()
        while request is not None:
            batch.append(request)
            if len(batch) >= MAX_BATCH:
                return batch, False
            try:
                request = self._inbox.get_nowait()
            except queue.Empty:
                return batch, False
        return batch, True

    def _commit(self, batch: list[_Request]) -> None:
        try:
            self._transact(batch)
        except Exception as error:
            if _unusable(error) or (len(batch) == 1 and not isinstance(error, DBAPIError)):
                _settle(batch, error)
                return
            # Something in the batch is at fault, or another process came between: each once more, alone.
            for position, request in enumerate(batch):
                try:
                    self._transact([request])
                except Exception as own:
                    if _unusable(own):
                        _settle(batch[position:], own)
                        return
                    _settle([request], own)

    def _transact(self, batch: Sequence[_Request]) -> None:
        groups: dict[Handler[Any, Any], list[_Request]] = {}
        for request in batch:
            groups.setdefault(request.handler, []).append(request)
        if not groups:
            return
        connection = self._connect()
        try:
            self._sync(connection, any(request.on_disk for request in batch))
            with connection.begin():
                for handler, requests in groups.items():
                    outcomes = handler(connection, [request.item for request in requests])
                    for request, outcome in zip(requests, outcomes, strict=True):
                        request.outcome = outcome
        except BaseException:
            self._disconnect()
            raise

    def _connect(self) -> Connection:
        """The thread's connection, kept from batch to batch: taking it from the pool costs a fifth of an append."""
        now = time.monotonic()
        if now - self._used_at > _REST_SECONDS:
            self._disconnect()
        if self._connection is None:
            self._connection = self._engine.connect()
        self._used_at = now
        return self._connection

    def _sync(self, connection: Connection, wanted: bool) -> None:
        if wanted != self._syncs:
            sync_every_commit(connection, wanted)
            self._syncs = wanted

    def _disconnect(self) -> None:
        self._syncs = False
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _fail(self, error: BaseException, batch: list[_Request]) -> None:
        failure = StoreUnavailable(f"The writer of the journal has died: {error!r}")
        failure.__cause__ = error
        waiting = list(batch)
        with self._gate:
            self._failure = failure
            while not self._inbox.empty():
                request = self._inbox.get_nowait()
                if request is not None:
                    waiting.append(request)
        _settle(waiting, failure)
        self._loop.call_soon_threadsafe(_deliver, waiting)


def each_alone(connection: Connection, works: Sequence[Callable[[Connection], Any]]) -> list[Any]:
    """A handler whose items are functions of the connection: an expected error undoes only its own function's work."""
    outcomes: list[Any] = []
    for work in works:
        try:
            with connection.begin_nested():
                outcomes.append(work(connection))
        except LoopwrightError as error:
            outcomes.append(error)
    return outcomes


def _unusable(error: Exception) -> bool:
    """Whether the database itself is the trouble, so that trying the next item is of no use."""
    return isinstance(error, OperationalError) and getattr(error.orig, "sqlstate", None) != _DEADLOCK


def _settle(requests: Sequence[_Request], error: Exception) -> None:
    for request in requests:
        if isinstance(error, (DBAPIError, UnicodeEncodeError)):
            request.outcome = as_own_error(error)
        elif isinstance(error, StoreUnavailable):
            request.outcome = StoreUnavailable(error.message, hint=error.hint)
            request.outcome.__cause__ = error.__cause__
        else:
            request.outcome = error


def _deliver(batch: Sequence[_Request]) -> None:
    for request in batch:
        if request.future is None:
            if isinstance(request.outcome, Exception):
                log.warning("a write that nobody waits for has failed: %s", request.outcome)
        elif request.future.done():
            continue  # The caller was cancelled meanwhile.
        elif isinstance(request.outcome, Exception):
            request.future.set_exception(request.outcome)
        else:
            request.future.set_result(request.outcome)
