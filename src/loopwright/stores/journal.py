"""The journal on SQL: fenced appends that are committed in groups, reading, and watching."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Sequence
from datetime import UTC, datetime
from typing import Any

from pydantic_core import from_json
from sqlalchemy import Connection, ScalarSelect, Select, select

from loopwright.kernel.errors import NotFound, StaleOwner, StoreUnavailable
from loopwright.kernel.events import Event, Payload, RunCancelled, RunCompleted, RunFailed, ToolCallStarted
from loopwright.kernel.ports import OUTAGE_SECONDS, Appended, RunClaim, RunUpdate
from loopwright.kernel.state import TERMINAL
from loopwright.stores.database import Database
from loopwright.stores.errors import passes
from loopwright.stores.tables import events, runs
from loopwright.stores.writer import Append, append_all, written_before

_LAST_TYPES = frozenset({RunCompleted.type, RunFailed.type, RunCancelled.type})

_PAGE = 500
"""Events that a watcher reads at a time."""

FIRST_PAUSE, LONGEST_PAUSE = 0.1, 2.0
"""Seconds between two tries to append while the store is away."""

log = logging.getLogger(__name__)

_NO_UPDATE = RunUpdate()


class SqlJournal:
    """Implements the kernel's `Journal`."""

    def __init__(self, database: Database, *, outage_seconds: float = OUTAGE_SECONDS) -> None:
        """Keep the database; many journals may share it. Appends sit outages of so many seconds out."""
        self._database = database
        self._outage_seconds = outage_seconds

    async def append(
        self, claim: RunClaim, after_seq: int, payloads: Sequence[Payload], update: RunUpdate | None = None
    ) -> Appended:
        """Append in one transaction: fence, events (seq after_seq + 1 …), run columns.

        A caller that is cancelled while it waits may find its events appended nevertheless. While the store is away
        the append is tried again and again; that an earlier try has gone through, though its connection broke, is
        found out. The intent to run a `once` call is on disk when this returns.

        Raises:
            StaleOwner: the run's epoch or seq is not the claim's.
            Conflict: the run has ended, or may not become what the update says.
            NotFound: there is no such run.
            StoreUnavailable: the outage is too long; nothing was appended, unless the connection broke.
        """
        at = datetime.now(UTC)
        texts = [payload.model_dump_json() for payload in payloads]
        append = Append(claim, after_seq, payloads, texts, at, update or _NO_UPDATE)
        cancel_requested = await self._store(append)
        appended = as_events(claim.run_id, after_seq, payloads, texts, at)
        self._database.changes.publish(claim.run_id, appended)
        return Appended(appended, cancel_requested)

    async def _store(self, append: Append) -> bool:
        """Whether a cancellation was asked for."""
        loop = asyncio.get_running_loop()
        deadline, pause, tries = loop.time() + self._outage_seconds, FIRST_PAUSE, 0
        on_disk = any(isinstance(payload, ToolCallStarted) and payload.effect == "once" for payload in append.payloads)
        while True:
            try:
                return await self._try(append, on_disk, again=tries > 0)
            except StoreUnavailable as error:
                if not passes(error) or loop.time() + pause > deadline:
                    raise
                log.warning("run %s: its events are kept, the store is away: %s", append.claim.run_id, error.message)
            tries += 1
            await asyncio.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)

    async def _try(self, append: Append, on_disk: bool, *, again: bool) -> bool:
        try:
            return await self._database.write_together(append_all, append, on_disk=on_disk)
        except StaleOwner:
            if not again:
                raise
            row = await self._database.read(lambda connection: written_before(connection, append))
            if row is None:
                raise
            return bool(row.cancel_requested)

    async def read(self, run_id: str, since_seq: int = 0, limit: int | None = None) -> list[Event]:
        """Events with a greater seq, oldest first; none where there is no such run."""
        query = select(events).where(events.c.run == _number(run_id), events.c.seq > since_seq)
        return await self._events(run_id, query.order_by(events.c.seq).limit(limit))

    async def newest(self, run_id: str, kind: str, limit: int) -> list[Event]:
        """The last events of a type, newest first; none where there is no such run."""
        query = select(events).where(events.c.run == _number(run_id), events.c.type == kind)
        return await self._events(run_id, query.order_by(events.c.seq.desc()).limit(limit))

    async def watch(self, run_id: str, since_seq: int = 0) -> AsyncGenerator[Event, None]:
        """Events with a greater seq, then new ones as they are committed; ends after the run's terminal event.

        A run that waits for a human does not end the stream. A `since_seq` beyond the newest event is its newest.

        Raises:
            NotFound: there is no such run.
            LoopwrightError: the database was closed meanwhile.
        """
        watcher = self._database.changes.add(run_id)
        try:
            newest, status = await self._progress(run_id)
            position = min(since_seq, newest)
            if status in TERMINAL and position == newest:
                return
            watcher.tell(newest)
            while True:
                await watcher.wait_beyond(position)
                for event in watcher.take_after(position) or await self.read(run_id, position, _PAGE):
                    position = event.seq
                    yield event
                    if event.type in _LAST_TYPES:
                        return
        finally:
            self._database.changes.remove(watcher)

    async def _events(self, run_id: str, query: Select[Any]) -> list[Event]:
        def work(connection: Connection) -> list[Event]:
            return [
                Event(run_id=run_id, seq=row.seq, type=row.type, at=row.at, payload=from_json(row.payload))
                for row in connection.execute(query)
            ]

        return await self._database.read(work)

    async def _progress(self, run_id: str) -> tuple[int, str]:
        def work(connection: Connection) -> tuple[int, str]:
            row = connection.execute(select(runs.c.seq, runs.c.status).where(runs.c.run_id == run_id)).first()
            if row is None:
                raise NotFound(f"There is no run {run_id}.")
            return row.seq, row.status

        return await self._database.read(work)


def _number(run_id: str) -> ScalarSelect[int]:
    return select(runs.c.number).where(runs.c.run_id == run_id).scalar_subquery()


def as_events(
    run_id: str, after_seq: int, payloads: Sequence[Payload], texts: Sequence[str], at: datetime
) -> list[Event]:
    """What has just been stored, exactly as it will be read."""
    return [
        Event(run_id=run_id, seq=seq, type=payload.type, at=at, payload=from_json(text))
        for seq, (payload, text) in enumerate(zip(payloads, texts, strict=True), start=after_seq + 1)
    ]
