"""The runs on SQL: creation, ownership, cancellation."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from pydantic_core import from_json
from sqlalchemy import Connection, Row, Select, func, insert, select, update

from loopwright.kernel.errors import Conflict, NotFound
from loopwright.kernel.events import Event, GateOpened, Payload, RunCancelled
from loopwright.kernel.ports import RunClaim, RunRecord
from loopwright.kernel.state import TERMINAL
from loopwright.stores.claims import RUN_ROW, ClaimRequest, claim_all, database_now, owner_lives, release_all
from loopwright.stores.database import Database
from loopwright.stores.journal import as_events
from loopwright.stores.tables import events, new_id, runs, sessions
from loopwright.stores.writer import event_rows

HEARTBEAT_SECONDS = 5.0
"""How often an owner should tell that it lives."""

EXPIRY_SECONDS = 20.0
"""After how long without a heartbeat an owner counts as dead: three may be lost."""


@dataclass(frozen=True, slots=True)
class _Creation:
    run: dict[str, Any]
    given_id: bool
    alone: bool
    payloads: Sequence[Payload]
    texts: Sequence[str]

    def event_rows(self, run: int) -> list[dict[str, Any]]:
        """The rows of its first events, once the database has given it a number."""
        return event_rows(run, 0, self.payloads, self.texts, self.run["created_at"])


class SqlRuns:
    """Implements the kernel's `Runs`."""

    def __init__(self, database: Database, *, expiry_seconds: float = EXPIRY_SECONDS) -> None:
        """Keep the database, and how long an owner lives without a heartbeat."""
        self._database = database
        self._expiry = timedelta(seconds=expiry_seconds)

    async def create(
        self,
        session_id: str,
        agent: str,
        message: str,
        payloads: Sequence[Payload],
        run_id: str | None = None,
        *,
        alone: bool = False,
    ) -> RunRecord:
        """Create a queued run with its first events; with `alone` only where no other run of the session is open.

        Raises:
            Conflict: a run with the given id exists, or the session has an open run and this one wants to be alone.
        """
        now = datetime.now(UTC)
        texts = [payload.model_dump_json() for payload in payloads]
        key = run_id or new_id()
        row: dict[str, Any] = {
            "run_id": key,
            "session_id": session_id,
            "agent": agent,
            "status": "queued",
            "seq": len(payloads),
            "epoch": 0,
            "created_at": now,
            "updated_at": now,
            # A copy for lists: PostgreSQL's text cannot hold U+0000. The journal has the message as it was.
            "message": message.replace("\x00", "\ufffd"),
        }
        creation = _Creation(row, run_id is not None, alone, payloads, texts)
        await self._database.write_together(_create_all, creation)
        self._database.changes.publish(key, as_events(key, 0, payloads, texts, now))
        return RunRecord(**row)

    async def get(self, run_id: str) -> RunRecord:
        """The run.

        Raises:
            NotFound: there is no such run.
        """
        return self._record(await self._database.read(lambda connection: _run(connection, run_id)))

    async def find(
        self, *, session_id: str | None = None, agent: str | None = None, status: str | None = None, limit: int = 50
    ) -> list[RunRecord]:
        """Runs, newest first."""
        query = _newest(RUN_ROW, limit, session_id=session_id, agent=agent, status=status)
        rows = await self._database.read(lambda connection: connection.execute(query).all())
        return [self._record(row) for row in rows]

    async def waiting(self, *, session_id: str | None = None, limit: int = 50) -> list[tuple[RunRecord, Event]]:
        """Runs that wait for a human, newest first, each with the `gate_opened` event that it waits at: its last one.

        One query, which reads each journal from its end and no further than to that event.
        """
        opened = (
            select(events.c.seq)
            .where(events.c.run == runs.c.number, events.c.type == GateOpened.type)
            .order_by(events.c.seq.desc())
            .limit(1)
            .correlate(runs)
            .scalar_subquery()
        )
        question = [column.label(f"event_{column.name}") for column in (events.c.seq, events.c.at, events.c.payload)]
        both = RUN_ROW.add_columns(*question).join(events, (events.c.run == runs.c.number) & (events.c.seq == opened))
        query = _newest(both, limit, session_id=session_id, status="waiting_input")
        rows = await self._database.read(lambda connection: connection.execute(query).all())
        return [(self._record(row), _opening(row)) for row in rows]

    async def claim(self, run_id: str, owner: str, *, takeover: bool = False, anyway: bool = False) -> RunClaim:
        """Become the run's owner: raises its epoch, clears an old owner, sets the heartbeat.

        A queued or running run whose owner still lives is refused unless `takeover`. An owner on this host whose
        process is gone is dead at once; any other when its heartbeat has expired. A waiting run is free for all: of
        two that answer at once, the fence lets one pass. A parked one needs `anyway`.

        Raises:
            Conflict: the run is terminal or parked, or its owner lives.
            NotFound: there is no such run.
        """
        request = ClaimRequest(run_id, owner, takeover, self._expiry, anyway)
        return await self._database.write_together(claim_all, request)

    def heartbeat(self, owner: str, run_ids: Sequence[str]) -> None:
        """Tell that these runs' owner lives. It may be called from any thread, and is written soon."""
        statement = (
            update(runs).where(runs.c.run_id.in_(run_ids), runs.c.owner == owner).values(heartbeat_at=database_now())
        )
        self._database.write_soon(lambda connection: connection.execute(statement))

    async def release(self, claim: RunClaim) -> None:
        """Give up ownership without changing the status; a stale claim is ignored."""
        await self._database.write_together(release_all, claim)

    async def request_cancel(self, run_id: str) -> RunRecord:
        """Ask for cancellation, durably.

        A run that somebody is running gets a flag, of which its owner hears within a second. Any other is cancelled
        here and now, and its epoch raised, so that whoever is about to take it comes too late. A terminal run stays.

        Raises:
            NotFound: there is no such run.
        """

        def work(connection: Connection) -> tuple[Row[Any], list[Event]]:
            row = _run(connection, run_id, lock=True)
            if row.status in TERMINAL:
                return row, []
            if self._runs_now(row):
                connection.execute(update(runs).where(runs.c.run_id == run_id).values(cancel_requested=True))
                return _run(connection, run_id), []
            return _cancel(connection, row)

        row, written = await self._database.write(work)
        if written:
            self._database.changes.publish(run_id, written)
        return self._record(row)

    async def cancel_requested(self, run_ids: Sequence[str]) -> set[str]:
        """Those of the runs whose cancellation was asked for."""
        query = select(runs.c.run_id).where(runs.c.run_id.in_(run_ids), runs.c.cancel_requested)
        return set(await self._database.read(lambda connection: connection.execute(query).scalars().all()))

    async def any_deaths(self) -> bool:
        """Whether a run that is not over has lost an owner by death, whoever has it now."""
        open_ones = select(runs.c.run_id).where(runs.c.deaths > 0, runs.c.status.not_in(TERMINAL)).limit(1)
        return await self._database.read(lambda connection: connection.execute(open_ones).first()) is not None

    async def orphans(self, heartbeat_seconds: float) -> list[RunRecord]:
        """Queued runs nobody has taken, and running ones whose owner is gone, oldest first.

        An owner is gone when its heartbeat is older than this, or when it is a process of this host that has ended.
        """
        live = RUN_ROW.where(runs.c.status.in_(("queued", "running"))).order_by(runs.c.created_at, runs.c.run_id)
        rows = await self._database.read(lambda connection: connection.execute(live).all())
        expiry = timedelta(seconds=heartbeat_seconds)
        return [self._record(row) for row in rows if not owner_lives(row, expiry)]

    async def spent_in(self, session_id: str) -> float:
        """USD charged to all runs of a session: the sum of their `budget_charged` events with a known price."""
        query = select(func.coalesce(func.sum(events.c.charged_usd), 0.0)).where(
            events.c.charged_usd.is_not(None),
            events.c.run.in_(select(runs.c.number).where(runs.c.session_id == session_id)),
        )
        return float(await self._database.read(lambda connection: connection.execute(query).scalar_one()))

    async def spent_since(self, since: datetime) -> float:
        """USD charged to all runs since then: the sum of their `budget_charged` events with a known price."""
        query = select(func.coalesce(func.sum(events.c.charged_usd), 0.0)).where(
            events.c.charged_usd.is_not(None), events.c.at >= since
        )
        return float(await self._database.read(lambda connection: connection.execute(query).scalar_one()))

    def _record(self, row: Row[Any]) -> RunRecord:
        fields = {column.name: row._mapping[column] for column in runs.c}
        del fields["number"], fields["deaths_at_seq"]
        if fields.pop("cost_unknown"):
            fields["cost_usd"] = None
        return RunRecord(**fields, owner_alive=self._lives(row))

    def _lives(self, row: Row[Any]) -> bool:
        return owner_lives(row, self._expiry)

    def _runs_now(self, row: Row[Any]) -> bool:
        return row.status == "running" and self._lives(row)


def _newest(query: Select[Any], limit: int, **wanted: str | None) -> Select[Any]:
    """The newest runs with these values in their columns; None takes any."""
    given = [runs.c[name] == value for name, value in wanted.items() if value is not None]
    return query.where(*given).order_by(runs.c.created_at.desc(), runs.c.run_id.desc()).limit(limit)


def _opening(row: Row[Any]) -> Event:
    return Event(
        run_id=row.run_id,
        seq=row.event_seq,
        type=GateOpened.type,
        at=row.event_at,
        payload=from_json(row.event_payload),
    )


def _create_all(connection: Connection, creations: Sequence[_Creation]) -> list[Conflict | None]:
    given = [creation.run["run_id"] for creation in creations if creation.given_id]
    taken: set[str] = set()
    if given:
        taken.update(connection.execute(select(runs.c.run_id).where(runs.c.run_id.in_(given))).scalars())
    busy = _busy_sessions(connection, {creation.run["session_id"] for creation in creations if creation.alone})
    new: list[_Creation] = []
    outcomes: list[Conflict | None] = []
    for creation in creations:
        run_id, session_id = creation.run["run_id"], creation.run["session_id"]
        refusal: Conflict | None = None
        if run_id in taken:
            refusal = Conflict(f"Another run has the id {run_id}.")
        elif creation.alone and session_id in busy:
            refusal = Conflict(f"Run {busy[session_id]} of this session is not over.")
        outcomes.append(refusal)
        if refusal is None:
            taken.add(run_id)
            busy[session_id] = run_id
            new.append(creation)
    if new:
        connection.execute(insert(runs), [creation.run for creation in new])
        ids = [creation.run["run_id"] for creation in new]
        numbers = dict(connection.execute(select(runs.c.run_id, runs.c.number).where(runs.c.run_id.in_(ids))).all())
        if rows := [row for creation in new for row in creation.event_rows(numbers[creation.run["run_id"]])]:
            connection.execute(insert(events), rows)
    return outcomes


def _busy_sessions(connection: Connection, session_ids: set[str]) -> dict[str, str]:
    """Sessions with an open run, which is named. Their rows are locked, so that no other process adds one meanwhile."""
    if not session_ids:
        return {}
    own = sessions.c.session_id.in_(session_ids)
    connection.execute(select(sessions.c.session_id).where(own).order_by(sessions.c.session_id).with_for_update())
    query = select(runs.c.session_id, runs.c.run_id).where(
        runs.c.session_id.in_(session_ids), runs.c.status.not_in(TERMINAL)
    )
    return {row.session_id: row.run_id for row in connection.execute(query)}


def _run(connection: Connection, run_id: str, *, lock: bool = False) -> Row[Any]:
    query = RUN_ROW.where(runs.c.run_id == run_id)
    row = connection.execute(query.with_for_update() if lock else query).first()
    if row is None:
        raise NotFound(f"There is no run {run_id}.", hint="`loopwright runs list` shows them.")
    return row


def _cancel(connection: Connection, row: Row[Any]) -> tuple[Row[Any], list[Event]]:
    now = datetime.now(UTC)
    payloads = [RunCancelled()]
    texts = [payload.model_dump_json() for payload in payloads]
    connection.execute(
        update(runs)
        .where(runs.c.run_id == row.run_id)
        .values(status="cancelled", seq=row.seq + 1, epoch=row.epoch + 1, owner=None, updated_at=now)
        .values(cancel_requested=True)
    )
    connection.execute(insert(events), event_rows(row.number, row.seq, payloads, texts, now))
    return _run(connection, row.run_id), as_events(row.run_id, row.seq, payloads, texts, now)
