"""The one writer of a process: everything that is pending becomes one transaction (decision 0004).

Callers hand in an item and the handler that knows what to do with many of them. A thread takes all that waits, groups
it by handler, runs it in one transaction, and brings every caller its own outcome with one hop back to the event loop.
"""

import asyncio
import logging
import queue
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any, TypeVar

from pydantic_core import to_json
from sqlalchemy import (
    Boolean,
    ColumnElement,
    Connection,
    Engine,
    Float,
    FromClause,
    Integer,
    Row,
    String,
    Text,
    bindparam,
    case,
    cast,
    column,
    func,
    insert,
    literal_column,
    null,
    or_,
    select,
    update,
)
from sqlalchemy.dialects.postgresql import JSON
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.sql.dml import ReturningUpdate
from sqlalchemy.types import TypeEngine

from loopwright.kernel.errors import LoopwrightError, NotFound, StaleOwner
from loopwright.kernel.events import BudgetCharged, Payload
from loopwright.kernel.ports import RunClaim, RunUpdate
from loopwright.kernel.state import TERMINAL, TRANSITIONS, check_transition
from loopwright.stores.engines import sync_every_commit
from loopwright.stores.errors import StoreUnavailable, as_own_error
from loopwright.stores.tables import UtcDateTime, as_text, events, runs

# Many rows in one parameter: a JSON array that the database unfolds into a table.

PARAMETER = "rows"
"""The name of the bound parameter: the JSON text of an array of objects."""


def incoming_rows(dialect: str, columns: Mapping[str, TypeEngine[Any]]) -> FromClause:
    """The rows of the parameter as something to select from, with these columns.

    Args:
        dialect: "sqlite" or "postgresql".
        columns: name → type; a key that an object lacks is NULL.
    """
    parameter = bindparam(PARAMETER, type_=Text())
    if dialect == "postgresql":
        typed = [column(name, kind) for name, kind in columns.items()]
        rows = func.json_to_recordset(cast(parameter, JSON())).table_valued(*typed, name="incoming")
        return rows.render_derived(with_types=True)
    objects = func.json_each(parameter).table_valued("value", name="objects")
    fields = [func.json_extract(objects.c.value, f"$.{name}", type_=kind).label(name) for name, kind in columns.items()]
    return select(*fields).subquery("incoming")


# The fenced append, for many runs at once: one UPDATE that checks and moves every run, one INSERT of all events.


@dataclass(frozen=True, slots=True)
class Append:
    """One caller's append; the payloads are JSON already, made once on the caller's side."""

    claim: RunClaim
    after_seq: int
    payloads: Sequence[Payload]
    texts: Sequence[str]
    at: datetime
    update: RunUpdate

    def event_rows(self, run: int) -> list[dict[str, Any]]:
        """The rows of the events table, of the run with this number."""
        return event_rows(run, self.after_seq, self.payloads, self.texts, self.at)

    def fence_row(self) -> Mapping[str, Any]:
        """What the fence compares and sets."""
        return {
            "run_id": self.claim.run_id,
            "epoch": self.claim.epoch,
            "seq": self.after_seq,
            "count": len(self.payloads),
            "at": as_text(self.at),
            "status": self.update.status,
            "steps": self.update.steps,
            "cost_usd": self.update.cost_usd,
            "cost_unknown": self.update.cost_unknown,
        }


def event_rows(
    run: int, after_seq: int, payloads: Sequence[Payload], texts: Sequence[str], at: datetime
) -> list[dict[str, Any]]:
    """Rows of the events table, of the run with this number, counted from `after_seq` + 1."""
    return [
        {
            "run": run,
            "seq": seq,
            "type": payload.type,
            "at": at,
            "payload": text,
            "charged_usd": payload.cost_usd if isinstance(payload, BudgetCharged) else None,
        }
        for seq, (payload, text) in enumerate(zip(payloads, texts, strict=True), start=after_seq + 1)
    ]


def append_all(connection: Connection, appends: Sequence[Append]) -> list[bool | Exception]:
    """Write the appends whose fence holds; the outcome of each is whether a cancellation was asked for, or its error.

    A handler of the writer.
    """
    outcomes: dict[int, bool | Exception] = {}
    waiting = list(enumerate(appends))
    while waiting:
        # One UPDATE touches a row once, so the rare second append to the same run waits for the next round.
        now: dict[str, tuple[int, Append]] = {}
        later: list[tuple[int, Append]] = []
        for position, append in waiting:
            if append.claim.run_id in now:
                later.append((position, append))
            else:
                now[append.claim.run_id] = (position, append)
        passed = _pass_fence(connection, [append for _, append in now.values()])
        for run_id, (position, append) in now.items():
            outcomes[position] = passed[run_id] if run_id in passed else _refusal(connection, append)
        waiting = later
    return [outcomes[position] for position in range(len(appends))]


def _pass_fence(connection: Connection, appends: Sequence[Append]) -> dict[str, bool]:
    rows = to_json([append.fence_row() for append in appends]).decode()
    moved = {row.run_id: row for row in connection.execute(_fence(connection.dialect.name), {PARAMETER: rows})}
    passing = [(append, moved[append.claim.run_id]) for append in appends if append.claim.run_id in moved]
    if written := [row for append, run in passing for row in append.event_rows(run.number)]:
        connection.execute(insert(events), written)
    return {run_id: run.cancel_requested for run_id, run in moved.items()}


@cache
def _fence(dialect: str) -> ReturningUpdate[str, int, bool]:
    incoming = incoming_rows(
        dialect,
        {
            "run_id": String(),
            "epoch": Integer(),
            "seq": Integer(),
            "count": Integer(),
            "at": UtcDateTime(),
            "status": String(),
            "steps": Integer(),
            "cost_usd": Float(),
            "cost_unknown": Boolean(),
        },
    ).c
    # A run that rests or has ended belongs to nobody; its claim stays good for appends until somebody else takes it.
    rests = incoming.status.in_(_texts({"waiting_input", "parked", *TERMINAL}))
    return (
        update(runs)
        .where(
            runs.c.run_id == incoming.run_id,
            runs.c.epoch == incoming.epoch,
            runs.c.seq == incoming.seq,
            _may_move(runs.c.status, incoming.status),
        )
        .values(
            seq=runs.c.seq + incoming.count,
            status=func.coalesce(incoming.status, runs.c.status),
            steps=func.coalesce(incoming.steps, runs.c.steps),
            cost_usd=func.coalesce(incoming.cost_usd, runs.c.cost_usd),
            cost_unknown=or_(runs.c.cost_unknown, incoming.cost_unknown),
            owner=case((rests, null()), else_=runs.c.owner),
            updated_at=incoming.at,
        )
        .returning(runs.c.run_id, runs.c.number, runs.c.cancel_requested)
    )


def _may_move(old: ColumnElement[str], new: ColumnElement[str]) -> ColumnElement[bool]:
    """The kernel's table of transitions as SQL: without a new status, any state that is not terminal will do."""
    moves = {f"{source}>{target}" for source, targets in TRANSITIONS.items() for target in targets}
    stays = {f"{source}>" for source in TRANSITIONS if source not in TERMINAL}
    return (old + ">" + func.coalesce(new, "")).in_(_texts(moves | stays))


def _texts(constants: set[str]) -> list[ColumnElement[str]]:
    # Written into the statement, not bound: they are our own constants, and binding them costs at every append.
    return [literal_column(f"'{constant}'", String()) for constant in sorted(constants)]


def written_before(connection: Connection, append: Append) -> Row[Any] | None:
    """The run, if this very append has gone through at an earlier try: nobody else appends at its epoch."""
    claim, last = append.claim, append.after_seq + len(append.payloads)
    row = connection.execute(select(runs).where(runs.c.run_id == claim.run_id)).first()
    if row is None or (row.epoch, row.seq) != (claim.epoch, last):
        return None
    stored = select(events.c.payload).where(events.c.run == row.number, events.c.seq > append.after_seq)
    same = connection.execute(stored.order_by(events.c.seq)).scalars().all() == list(append.texts)
    return row if same else None


def _refusal(connection: Connection, append: Append) -> LoopwrightError:
    """Why the fence did not let it pass; read only after the fact, off the fast path."""
    claim = append.claim
    row = connection.execute(
        select(runs.c.epoch, runs.c.seq, runs.c.status).where(runs.c.run_id == claim.run_id)
    ).first()
    if row is None:
        return NotFound(f"There is no run {claim.run_id}.")
    if row.epoch == claim.epoch and row.seq == append.after_seq:
        try:
            check_transition(claim.run_id, row.status, append.update.status or row.status)
        except LoopwrightError as error:
            return error
    return StaleOwner(
        f"Run {claim.run_id} is at epoch {row.epoch}, event {row.seq}; "
        f"{claim.owner} holds epoch {claim.epoch} and wanted to append after event {append.after_seq}."
    )


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
