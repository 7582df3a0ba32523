"""The records of promises on SQL: recorded once per tool call, counted from the moment their page is stored."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, Literal, Protocol

from pydantic import BaseModel, ConfigDict
from sqlalchemy import ColumnElement, Connection, Table, func, insert, select

from loopwright.agents.pages.store.tables import page_versions, pages, promise_entries, promises
from loopwright.kernel.errors import Conflict, NotFound
from loopwright.stores.database import Database
from loopwright.stores.errors import storable
from loopwright.stores.sessions import session_row

# A promise as it is stored, with every turn that its checks took.

CheckState = Literal["active", "withdrawn", "superseded", "undone"]
"""`withdrawn` by the user's word, `superseded` by a later request, `undone` with the change that made it."""


class PromiseDraft(Protocol):
    """What an agent hands in; any object with these attributes will do."""

    @property
    def request(self) -> str:
        """The user's own words."""
        ...

    @property
    def author(self) -> Literal["controller", "model"]:
        """Who wrote the checks."""
        ...

    @property
    def checks_json(self) -> str:
        """The checks as JSON text; the store does not read it."""
        ...

    @property
    def check_count(self) -> int:
        """How many checks they are."""
        ...


class Turn(Protocol):
    """A turn that a check is to take: `place` counts its promise's checks from 0."""

    @property
    def number(self) -> int:
        """The promise."""
        ...

    @property
    def place(self) -> int:
        """Which of its checks."""
        ...

    @property
    def state(self) -> CheckState:
        """How the check stands from now on."""
        ...

    @property
    def reason(self) -> str | None:
        """Why, in words."""
        ...

    @property
    def superseded_by(self) -> int | None:
        """The promise that took its place."""
        ...

    @property
    def slug(self) -> str | None:
        """The page whose version it comes with."""
        ...

    @property
    def version(self) -> int | None:
        """That version."""
        ...


class PromiseEntry(BaseModel):
    """A turn that a check took."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    number: int
    place: int
    state: CheckState
    reason: str | None
    superseded_by: int | None
    run_id: str | None
    call_id: str | None
    slug: str | None
    version: int | None
    at: datetime


class PromiseRecord(BaseModel):
    """A promise as it is stored; `checks_json` is the agent's own, `entries` are in their order."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    session_id: str
    number: int
    slug: str
    request: str
    author: Literal["controller", "model"]
    checks_json: str
    run_id: str
    call_id: str
    created_at: datetime
    entries: tuple[PromiseEntry, ...]

    def state_of(self, place: int) -> CheckState | None:
        """How a check stands; None when there is no such check."""
        return next((each.state for each in reversed(self.entries) if each.place == place), None)

    @property
    def active_places(self) -> tuple[int, ...]:
        """The checks that count."""
        places = dict.fromkeys(each.place for each in self.entries)
        return tuple(place for place in places if self.state_of(place) == "active")


_MAX_KEY = 240
_MAX_REASON = 2_000
_MAX_CHECKS = 200_000
"""Characters of one promise's checks."""


class SqlPromises:
    """Records promises, lists them, and enters the turns that their checks take."""

    def __init__(self, database: Database) -> None:
        """Keep the database."""
        self._database = database

    async def record(
        self,
        session_id: str,
        slug: str,
        drafts: Sequence[PromiseDraft],
        *,
        run_id: str,
        call_id: str,
        superseded: Sequence[Turn] = (),
    ) -> list[PromiseRecord]:
        """Store what a tool call promises, all or nothing; a second time for the same call, change nothing.

        They count once the same call has stored a version of the page: a call that dies between the two has promised
        nothing, and one that is run again finds what it has promised. So it is with the older checks that they
        supersede: the first draft takes their place.

        Raises:
            NotFound: there is no such session.
            InvalidInput: a text cannot be stored.
        """
        key = storable(f"{run_id}:{call_id}", "idempotency key", _MAX_KEY)
        rows = [
            {
                "idempotency_key": f"{key}#{place}",
                "request": storable(draft.request, "request"),
                "author": draft.author,
                "checks": storable(draft.checks_json, "checks of a promise", _MAX_CHECKS),
            }
            for place, draft in enumerate(drafts)
        ]

        def work(connection: Connection) -> list[PromiseRecord]:
            session_row(connection, session_id, lock=True)
            mine = _of_call(promises, session_id, run_id, call_id)
            if rows and not connection.execute(select(promises.c.number).where(mine)).first():
                first = _last(connection, promises, promises.c.number, session_id) + 1
                origin = {"session_id": session_id, "run_id": run_id, "call_id": call_id}
                shared: dict[str, Any] = {**origin, "slug": slug, "created_at": datetime.now(UTC)}
                connection.execute(
                    insert(promises), [{**shared, **row, "number": first + n} for n, row in enumerate(rows)]
                )
                born = [
                    {"number": first + n, "place": place, "state": "active"}
                    for n, draft in enumerate(drafts)
                    for place in range(draft.check_count)
                ]
                gone = [{**_values(turn), "superseded_by": first} for turn in superseded]
                _enter(connection, session_id, [{**each, "run_id": run_id, "call_id": call_id} for each in born + gone])
            return _records(connection, session_id, mine)

        return await self._database.write(work)

    async def of_call(self, session_id: str, run_id: str, call_id: str) -> list[PromiseRecord]:
        """What a call has promised, whether it counts already or not."""
        mine = _of_call(promises, session_id, run_id, call_id)
        return await self._database.read(lambda connection: _records(connection, session_id, mine))

    async def of_session(self, session_id: str, *, withdrawn: bool = False) -> list[PromiseRecord]:
        """The promises that count, by number; with `withdrawn` also those of which no check counts any more."""
        wanted = (promises.c.session_id == session_id) & _accepted(promises)
        found = await self._database.read(lambda connection: _records(connection, session_id, wanted))
        return [each for each in found if withdrawn or each.active_places]

    async def get(self, session_id: str, number: int) -> PromiseRecord:
        """One promise that counts, or did.

        Raises:
            NotFound: there is none of this number.
        """
        return await self._database.read(lambda connection: _record(connection, session_id, number))

    async def withdraw(
        self, session_id: str, number: int, reason: str, *, place: int | None = None, once: bool = False
    ) -> PromiseRecord:
        """Take a promise back, or one check of it; with `once`, what does not count any more is left as it is.

        Raises:
            NotFound: there is none of this number, or no such check.
            Conflict: nothing of it counts any more.
            InvalidInput: the reason cannot be stored.
        """
        storable(reason, "reason", _MAX_REASON)

        def work(connection: Connection) -> PromiseRecord:
            session_row(connection, session_id, lock=True)
            found = _record(connection, session_id, number)
            if place is not None and found.state_of(place) is None:
                raise NotFound(f"Promise P{number} has no check {place + 1}.")
            places = [each for each in found.active_places if place in (None, each)]
            if not places and not once:
                what = f"Promise P{number}" if place is None else f"Check {place + 1} of promise P{number}"
                raise Conflict(f"{what} is withdrawn already.")
            turn = {"number": number, "state": "withdrawn", "reason": reason}
            _enter(connection, session_id, [{**turn, "place": each} for each in places])
            return _record(connection, session_id, number)

        return await self._database.write(work)

    async def enter(self, session_id: str, turns: Sequence[Turn]) -> None:
        """Note turns of checks, all or nothing; a check that stands so already is left as it is.

        Raises:
            NotFound: there is no such promise or check.
            InvalidInput: a reason cannot be stored.
        """
        for turn in turns:
            storable(turn.reason or "", "reason", _MAX_REASON)

        def work(connection: Connection) -> None:
            session_row(connection, session_id, lock=True)
            fresh = []
            for turn in turns:
                state = _record(connection, session_id, turn.number).state_of(turn.place)
                if state is None:
                    raise NotFound(f"Promise P{turn.number} has no check {turn.place + 1}.")
                fresh += [_values(turn)] if state != turn.state else []
            _enter(connection, session_id, fresh)

        await self._database.write(work)


def _values(turn: Turn) -> dict[str, Any]:
    names = ("number", "place", "state", "reason", "superseded_by", "slug", "version")
    return {name: getattr(turn, name) for name in names}


def _enter(connection: Connection, session_id: str, rows: Iterable[dict[str, Any]]) -> None:
    first = _last(connection, promise_entries, promise_entries.c.position, session_id) + 1
    optional = ("reason", "superseded_by", "run_id", "call_id", "slug", "version")
    shared: dict[str, Any] = {"session_id": session_id, "at": datetime.now(UTC), **dict.fromkeys(optional)}
    entries = [{**shared, **row, "position": first + n} for n, row in enumerate(rows)]
    if entries:
        connection.execute(insert(promise_entries), entries)


def _last(connection: Connection, table: Table, column: ColumnElement[int], session_id: str) -> int:
    return connection.execute(select(func.max(column)).where(table.c.session_id == session_id)).scalar() or 0


def _of_call(table: Table, session_id: str, run_id: str, call_id: str) -> ColumnElement[bool]:
    return (table.c.session_id == session_id) & (table.c.run_id == run_id) & (table.c.call_id == call_id)


def _accepted(table: Table) -> ColumnElement[bool]:
    """The call that has promised has stored its page as well."""
    stored = select(page_versions.c.version).join(pages, pages.c.page_id == page_versions.c.page_id)
    stored = stored.where(
        pages.c.session_id == table.c.session_id,
        page_versions.c.run_id == table.c.run_id,
        page_versions.c.call_id == table.c.call_id,
    )
    return stored.exists()


def _record(connection: Connection, session_id: str, number: int) -> PromiseRecord:
    wanted = (promises.c.session_id == session_id) & (promises.c.number == number) & _accepted(promises)
    found = _records(connection, session_id, wanted)
    if not found:
        raise NotFound(f"Session {session_id} has no promise P{number}.")
    return found[0]


def _records(connection: Connection, session_id: str, wanted: ColumnElement[bool]) -> list[PromiseRecord]:
    """The promises with their entries: those of the call that made them, and all others that count."""
    found = [dict(row._mapping) for row in connection.execute(select(promises).where(wanted).order_by("number"))]
    if not found:
        return []
    counted = (promise_entries.c.session_id == session_id) & promise_entries.c.number.in_([f["number"] for f in found])
    own = (promise_entries.c.state == "active") & (promise_entries.c.run_id.is_not(None))
    counted &= promise_entries.c.call_id.is_(None) | own | _accepted(promise_entries)
    entries: dict[int, list[PromiseEntry]] = defaultdict(list)
    for row in connection.execute(select(promise_entries).where(counted).order_by("position")):
        fields = dict(row._mapping)
        del fields["session_id"], fields["position"]
        entries[fields["number"]].append(PromiseEntry(**fields))
    records = []
    for fields in found:
        del fields["idempotency_key"]
        checks, number = fields.pop("checks"), fields["number"]
        records.append(PromiseRecord(checks_json=checks, entries=tuple(entries[number]), **fields))
    return records
