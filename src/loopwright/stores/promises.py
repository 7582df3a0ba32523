"""The ledgers of promises on SQL: recorded once per tool call, counted from the moment their page is stored."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Literal, Protocol

from pydantic import BaseModel, ConfigDict
from sqlalchemy import ColumnElement, Connection, Row, func, insert, select, update

from loopwright.kernel.errors import Conflict, NotFound
from loopwright.stores.database import Database
from loopwright.stores.errors import storable
from loopwright.stores.sessions import session_row
from loopwright.stores.tables import page_versions, pages, promises

PromiseStatus = Literal["active", "withdrawn"]

_MAX_KEY = 240
_MAX_REASON = 2_000
_MAX_CHECKS = 200_000
"""Characters of one promise's checks."""


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


class PromiseRecord(BaseModel):
    """A promise as it is stored; `checks_json` is the agent's own."""

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
    status: PromiseStatus
    reason: str | None
    withdrawn_at: datetime | None


class SqlPromises:
    """Records, lists and withdraws promises."""

    def __init__(self, database: Database) -> None:
        """Keep the database."""
        self._database = database

    async def record(
        self, session_id: str, slug: str, drafts: Sequence[PromiseDraft], *, run_id: str, call_id: str
    ) -> list[PromiseRecord]:
        """Store what a tool call promises, all or nothing; a second time for the same call, change nothing.

        They count once the same call has stored a version of the page: a call that dies between the two has promised
        nothing, and one that is run again finds what it has promised.

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
            mine = _of_call(session_id, run_id, call_id)
            if not connection.execute(select(promises.c.number).where(mine)).first():
                own = promises.c.session_id == session_id
                number = connection.execute(select(func.max(promises.c.number)).where(own)).scalar() or 0
                shared: dict[str, Any] = {"session_id": session_id, "slug": slug, "run_id": run_id, "call_id": call_id}
                shared |= {"created_at": datetime.now(UTC), "status": "active", "reason": None, "withdrawn_at": None}
                new = [{**shared, **row, "number": number + place} for place, row in enumerate(rows, 1)]
                if new:
                    connection.execute(insert(promises), new)
            return _records(connection, mine)

        return await self._database.write(work)

    async def of_call(self, session_id: str, run_id: str, call_id: str) -> list[PromiseRecord]:
        """What a call has promised, whether it counts already or not."""
        mine = _of_call(session_id, run_id, call_id)
        return await self._database.read(lambda connection: _records(connection, mine))

    async def of_session(self, session_id: str, *, withdrawn: bool = False) -> list[PromiseRecord]:
        """The promises that count, by number; with `withdrawn` also those that the user has taken back."""
        wanted = (promises.c.session_id == session_id) & _accepted()
        if not withdrawn:
            wanted &= promises.c.status == "active"
        return await self._database.read(lambda connection: _records(connection, wanted))

    async def get(self, session_id: str, number: int) -> PromiseRecord:
        """One promise that counts.

        Raises:
            NotFound: there is none of this number.
        """
        return await self._database.read(lambda connection: _record(connection, session_id, number))

    async def withdraw(self, session_id: str, number: int, reason: str, *, once: bool = False) -> PromiseRecord:
        """Take a promise back; with `once`, one that is withdrawn already is left as it is.

        Raises:
            NotFound: there is none of this number.
            Conflict: it is withdrawn already.
            InvalidInput: the reason cannot be stored.
        """
        storable(reason, "reason", _MAX_REASON)

        def work(connection: Connection) -> PromiseRecord:
            session_row(connection, session_id, lock=True)
            found = _record(connection, session_id, number)
            if found.status == "withdrawn":
                if once:
                    return found
                raise Conflict(f"Promise P{number} is withdrawn already.")
            values = {"status": "withdrawn", "reason": reason, "withdrawn_at": datetime.now(UTC)}
            connection.execute(update(promises).where(_numbered(session_id, number)).values(values))
            return _record(connection, session_id, number)

        return await self._database.write(work)


def _of_call(session_id: str, run_id: str, call_id: str) -> ColumnElement[bool]:
    own = promises.c.session_id == session_id
    return own & (promises.c.run_id == run_id) & (promises.c.call_id == call_id)


def _numbered(session_id: str, number: int) -> ColumnElement[bool]:
    return (promises.c.session_id == session_id) & (promises.c.number == number)


def _accepted() -> ColumnElement[bool]:
    """The call that has promised has stored its page as well."""
    stored = select(page_versions.c.version).join(pages, pages.c.page_id == page_versions.c.page_id)
    stored = stored.where(
        pages.c.session_id == promises.c.session_id,
        page_versions.c.run_id == promises.c.run_id,
        page_versions.c.call_id == promises.c.call_id,
    )
    return stored.exists()


def _record(connection: Connection, session_id: str, number: int) -> PromiseRecord:
    found = _records(connection, _numbered(session_id, number) & _accepted())
    if not found:
        raise NotFound(f"Session {session_id} has no promise P{number}.")
    return found[0]


def _records(connection: Connection, wanted: ColumnElement[bool]) -> list[PromiseRecord]:
    return [_as_record(row) for row in connection.execute(select(promises).where(wanted).order_by(promises.c.number))]


def _as_record(row: Row[Any]) -> PromiseRecord:
    fields = dict(row._mapping)
    del fields["idempotency_key"]
    return PromiseRecord(checks_json=fields.pop("checks"), **fields)
