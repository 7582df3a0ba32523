"""Requirements on SQL: their statuses, who works on which, and what a rewind takes back."""

import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Select, delete, func, insert, or_, select, text, true, update

from loopwright.agents.jobs.store.requirement_records import (
    IN_ORDER,
    RELEASED,
    STATUSES,
    UNSETTLED,
    VERDICTS,
    RequirementFields,
    RequirementRecord,
    RequirementText,
    WithdrawalRecord,
    as_record,
    as_text,
    change_row,
    checked_fields,
    new_row,
    requirement_row,
    status_after,
    statuses_before,
)
from loopwright.agents.jobs.store.tables import requirement_edits, requirements
from loopwright.kernel.errors import Conflict, InvalidInput
from loopwright.stores.database import Database
from loopwright.stores.errors import storable
from loopwright.stores.sessions import session_row

# The requirements on SQL: added once, held by one worker at a time, settled by their holder, withdrawn by rewinds.
#
# What jobs change of requirements, kept in a form that a rewind can take back.


def note_edit(
    connection: Connection, requirement_id: str, job_id: str, phase: int, key: str, before: Mapping[str, Any]
) -> None:
    """Keep the values that an edit replaces."""
    edit = requirement_edits.c
    newest = select(func.max(edit.number)).where(edit.requirement_id == requirement_id)
    connection.execute(
        insert(requirement_edits).values(
            requirement_id=requirement_id,
            number=(connection.execute(newest).scalar() or 0) + 1,
            job_id=job_id,
            phase=phase,
            key=key,
            before=dict(before),
        )
    )


def is_noted(connection: Connection, requirement_id: str, key: str) -> bool:
    """Whether the edit with this key was made."""
    edit = requirement_edits.c
    query = select(edit.number).where(edit.requirement_id == requirement_id, edit.key == key)
    return connection.execute(query).first() is not None


def withdraw(connection: Connection, job_id: str, phase: int, now: datetime) -> WithdrawalRecord:
    """Undo what the job did after the phase: its edits, newest first, its claims and verdicts, its additions."""
    own = requirements.c
    restored = _restore(connection, job_id, phase, now)
    undone = own.status.in_(statuses_before("withdraw")) & (
        ((own.claimed_by == job_id) & (own.claimed_phase > phase))
        | ((own.settled_by == job_id) & (own.settled_phase > phase))
    )
    reopened = list(connection.execute(select(own.requirement_id).where(undone).with_for_update()).scalars())
    values = {**UNSETTLED, **RELEASED, "updated_at": now}
    connection.execute(update(requirements).where(own.requirement_id.in_(reopened)).values(values))
    added = (own.job_id == job_id) & (own.phase > phase)
    removed = list(connection.execute(select(own.requirement_id).where(added).with_for_update()).scalars())
    connection.execute(delete(requirements).where(own.requirement_id.in_(removed)))
    gone = set(removed)
    return WithdrawalRecord(
        removed=removed,
        reopened=[name for name in reopened if name not in gone],
        restored=[name for name in restored if name not in gone],
    )


def _restore(connection: Connection, job_id: str, phase: int, now: datetime) -> list[str]:
    edit = requirement_edits.c
    late = (edit.job_id == job_id) & (edit.phase > phase)
    query = select(requirement_edits).where(late).order_by(edit.requirement_id, edit.number.desc())
    restored: dict[str, dict[str, Any]] = {}
    for row in connection.execute(query):
        restored.setdefault(row.requirement_id, {}).update(row.before)
    for requirement_id, values in restored.items():
        change_row(connection, requirement_id, values, now)
    connection.execute(delete(requirement_edits).where(late))
    return list(restored)


# Claiming requirements: no row is ever held by two owners.


@dataclass(frozen=True, slots=True)
class ClaimRequest:
    """Somebody wants to hold up to `limit` requirements until `until`, of certain jobs or of any."""

    owner: str
    limit: int
    now: datetime
    until: datetime
    phase: int
    key: str
    jobs: Sequence[str] | None = None


def claim_rows(connection: Connection, request: ClaimRequest) -> list[Row[Any]]:
    """Grant the request as far as there are rows.

    PostgreSQL passes over the rows that another transaction is about to take; on SQLite the transaction that writes is
    alone, so that what was read is still true when it is written.
    """
    own = requirements.c
    mine = (own.status == "validating") & (own.claimed_by == request.owner)
    repeated = _locked(connection, mine & (own.claim_key == request.key), request)
    if repeated:
        return _hold(connection, repeated, request)
    held = _locked(connection, mine, request)
    abandoned = (own.status == "validating") & (own.claimed_by != request.owner) & (own.claimed_until < request.now)
    free = _locked(connection, or_(own.status == "pending", abandoned), request, beside=len(held))
    return _hold(connection, held + free, request)


def _locked(
    connection: Connection, condition: ColumnElement[bool], request: ClaimRequest, beside: int = 0
) -> list[str]:
    """The ids of rows that fulfil the condition, locked, in their order; with those `beside`, as many as are wanted."""
    if beside >= request.limit:
        return []
    of_jobs = requirements.c.job_id.in_(request.jobs) if request.jobs is not None else true()
    query = select(requirements.c.requirement_id).where(condition, of_jobs).order_by(*IN_ORDER)
    query = query.limit(request.limit - beside).with_for_update(skip_locked=True)
    return list(connection.execute(query).scalars())


def _hold(connection: Connection, ids: Sequence[str], request: ClaimRequest) -> list[Row[Any]]:
    own = requirements.c
    taken_over = (own.status == "validating") & (own.claimed_by != request.owner)
    chosen = own.requirement_id.in_(ids)
    connection.execute(update(requirements).where(chosen, taken_over).values(retry_count=own.retry_count + 1))
    values = {
        "status": "validating",
        "claimed_by": request.owner,
        "claimed_until": request.until,
        "claimed_phase": request.phase,
        "claim_key": request.key,
        "updated_at": request.now,
    }
    connection.execute(update(requirements).where(chosen).values(values))
    return list(connection.execute(select(requirements).where(chosen).order_by(*IN_ORDER)))


MAX_BATCH = 500
"""Requirements added or claimed at once."""

_IDS = uuid.UUID("6f1d3c6e-5a0b-4a58-9d0e-0d7b0a9d4d52")
_GRAPH_NUMBERS = 0x10095722
"""The key of PostgreSQL's advisory lock under which numbers for the graph are given; any constant will do."""

own = requirements.c


class SqlRequirements:
    """Keeps requirements. Every writer takes a key, and the same key writes once."""

    def __init__(self, database: Database, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        """Keep the database; the clock says when leases end."""
        self._database = database
        self._clock = clock

    async def add(
        self, job_id: str, additions: Sequence[Mapping[str, Any]], *, phase: int, key: str
    ) -> list[RequirementRecord]:
        """Add them all or none, in this order; the same key gives the same requirements again.

        Raises:
            NotFound: there is no such job.
            InvalidInput: one of them is not as `RequirementFields` wants it, or there are too many.
        """
        if not 1 <= len(additions) <= MAX_BATCH:
            raise InvalidInput(f"{len(additions)} requirements were given; 1 to {MAX_BATCH} can be added at once.")
        fields = [checked_fields(each, f"Requirement {number}") for number, each in enumerate(additions, start=1)]
        ids = [uuid.uuid5(_IDS, f"{job_id}:{key}:{number}").hex for number in range(len(fields))]

        def work(connection: Connection) -> list[RequirementRecord]:
            session_row(connection, job_id, lock=True)
            added = select(requirements).where(own.requirement_id.in_(ids)).order_by(own.position)
            if connection.execute(added).first() is None:
                last = connection.execute(select(func.max(own.position)).where(own.job_id == job_id)).scalar() or 0
                place = {"job_id": job_id, "phase": phase}
                rows = [
                    {**new_row(each, name, self._clock()), **place, "position": last + number}
                    for number, (name, each) in enumerate(zip(ids, fields, strict=True), start=1)
                ]
                connection.execute(insert(requirements), rows)
            return [as_record(row) for row in connection.execute(added)]

        return await self._database.write(work)

    async def get(self, requirement_id: str) -> RequirementRecord:
        """The requirement.

        Raises:
            NotFound: there is none with this id.
        """
        return await self._database.read(lambda connection: as_record(requirement_row(connection, requirement_id)))

    async def find(
        self,
        *,
        job_id: str | None = None,
        settled_by: str | None = None,
        status: str | None = None,
        type: str | None = None,
        priority: str | None = None,
        containing: str | None = None,
        limit: int = 50,
        offset: int = 0,
    ) -> list[RequirementRecord]:
        """Requirements in the order in which they were added; `containing` is looked for in text and name."""
        wanted = {"job_id": job_id, "settled_by": settled_by, "status": status, "type": type, "priority": priority}
        query = _filtered(select(requirements), wanted)
        if containing:
            query = query.where(
                own.text.icontains(containing, autoescape=True) | own.name.icontains(containing, autoescape=True)
            )
        query = query.order_by(*IN_ORDER).limit(limit).offset(offset)
        rows = await self._database.read(lambda connection: connection.execute(query).all())
        return [as_record(row) for row in rows]

    async def counts(self, *, job_id: str | None = None, settled_by: str | None = None) -> dict[str, int]:
        """How many there are by status; a status without any is 0."""
        query = select(own.status, func.count().label("number")).group_by(own.status)
        query = _filtered(query, {"job_id": job_id, "settled_by": settled_by})
        rows = await self._database.read(lambda connection: connection.execute(query).all())
        return dict.fromkeys(STATUSES, 0) | {row.status: row.number for row in rows}

    async def texts(self) -> list[RequirementText]:
        """The texts of all requirements that are neither rejected nor failed, in the order of adding."""
        columns = (own.requirement_id, own.job_id, own.graph_number, own.status, own.name, own.text)
        query = select(*columns).where(own.status.not_in(("rejected", "failed"))).order_by(*IN_ORDER)
        rows = await self._database.read(lambda connection: connection.execute(query).all())
        return [as_text(row) for row in rows]

    async def update(
        self, requirement_id: str, changes: Mapping[str, Any], *, job_id: str, phase: int, key: str
    ) -> RequirementRecord:
        """Change fields, on behalf of the job that added it (while it is pending) or that holds it.

        Raises:
            NotFound: there is no such requirement.
            Conflict: the job may not change it now.
            InvalidInput: a field or its value is not as `RequirementFields` wants it.
        """

        def work(connection: Connection) -> RequirementRecord:
            row = requirement_row(connection, requirement_id, lock=True)
            if is_noted(connection, requirement_id, key):
                return as_record(row)
            if row.claimed_by != job_id and not (row.job_id == job_id and row.status == "pending"):
                raise Conflict(
                    f"Requirement {requirement_id} is {row.status} and not held by this job.",
                    hint="A job changes what it holds, and what it has added while that is pending.",
                )
            before = {name: getattr(row, name) for name in RequirementFields.model_fields}
            after = checked_fields({**before, **changes}, f"Requirement {requirement_id}").model_dump()
            replaced = {name: value for name, value in before.items() if value != after[name]}
            # An edit that changes nothing is noted as well, or it could be refused when it comes again.
            note_edit(connection, requirement_id, job_id, phase, key, replaced)
            if replaced:
                change_row(connection, requirement_id, {name: after[name] for name in replaced}, self._clock())
            return as_record(requirement_row(connection, requirement_id))

        return await self._database.write(work)

    async def claim(
        self, owner: str, limit: int, lease_seconds: float, *, phase: int, key: str, jobs: Sequence[str] | None = None
    ) -> list[RequirementRecord]:
        """Hold up to `limit` requirements for `lease_seconds`, and nobody else holds them meanwhile.

        What the owner holds already comes first, with its lease renewed, so that a worker that has forgotten its work
        finds it again; then what is pending or was abandoned, in the order of adding. The key that was used last gives
        the same requirements, but for those that others have taken over since.

        Raises:
            InvalidInput: the limit or the lease is out of range.
        """
        if not 1 <= limit <= MAX_BATCH or lease_seconds <= 0:
            raise InvalidInput(f"Claim 1 to {MAX_BATCH} requirements, for more than 0 seconds.")
        now = self._clock()
        request = ClaimRequest(owner, limit, now, now + timedelta(seconds=lease_seconds), phase, key, jobs)
        rows = await self._database.write(lambda connection: claim_rows(connection, request))
        return [as_record(row) for row in rows]

    async def settle(
        self,
        requirement_id: str,
        owner: str,
        status: str,
        *,
        reason: str = "",
        validation_result: Mapping[str, Any] | None = None,
        phase: int,
        key: str,
    ) -> RequirementRecord:
        """Say what has become of a requirement that the owner holds; the same key says it once.

        Args:
            requirement_id: of the requirement.
            owner: who claimed it.
            status: `integrated`, `rejected` or `failed`.
            reason: why it was rejected or failed.
            validation_result: what the validation found, as JSON.
            phase: the owner's phase.
            key: the same for every attempt.

        Raises:
            NotFound: there is no such requirement.
            Conflict: the owner does not hold it (any more), or it is settled.
            InvalidInput: this is no verdict, or a rejection without a reason.
        """
        event = next((name for verdict, name in VERDICTS.items() if verdict == status), None)
        if event is None:
            raise InvalidInput(f"{status!r} is not a verdict.", hint=f"Say one of: {', '.join(VERDICTS)}.")
        if status != "integrated" and not reason.strip():
            raise InvalidInput(f"A requirement is not {status} without a reason.")
        storable(reason, "reason", 10_000)

        def work(connection: Connection) -> RequirementRecord:
            row = requirement_row(connection, requirement_id, lock=True)
            if row.settle_key == key:
                return as_record(row)
            target = status_after(requirement_id, row.status, event)
            if row.claimed_by != owner:
                raise Conflict(
                    f"Requirement {requirement_id} is held by another job.",
                    hint="Its lease ran out and another job took over; go on with the next requirement.",
                )
            verdict = {
                **RELEASED,
                "status": target,
                "rejection_reason": reason if target == "rejected" else "",
                "last_error": reason if target == "failed" else row.last_error,
                "retry_count": row.retry_count + (target == "failed"),
                "validation_result": dict(validation_result) if validation_result is not None else None,
                "settled_by": owner,
                "settled_phase": phase,
                "settle_key": key,
            }
            change_row(connection, requirement_id, verdict, self._clock())
            return as_record(requirement_row(connection, requirement_id))

        return await self._database.write(work)

    async def release(self, owner: str) -> list[str]:
        """Give back what the owner holds.

        Returns:
            The ids of what is pending again.
        """
        held = (own.claimed_by == owner) & own.status.in_(statuses_before("release"))

        def work(connection: Connection) -> list[str]:
            ids = list(connection.execute(select(own.requirement_id).where(held).with_for_update()).scalars())
            values = {**RELEASED, "status": "pending", "updated_at": self._clock()}
            connection.execute(update(requirements).where(own.requirement_id.in_(ids)).values(values))
            return ids

        return await self._database.write(work)

    async def retry(self, requirement_id: str) -> RequirementRecord:
        """Make a failed requirement pending again; its last error stays to be read.

        Raises:
            NotFound: there is no such requirement.
            Conflict: it has not failed.
        """

        def work(connection: Connection) -> RequirementRecord:
            row = requirement_row(connection, requirement_id, lock=True)
            again = {"status": status_after(requirement_id, row.status, "retry"), "settle_key": None}
            change_row(connection, requirement_id, again, self._clock())
            return as_record(requirement_row(connection, requirement_id))

        return await self._database.write(work)

    async def assign_graph_id(self, requirement_id: str, *, above: int = 0) -> str:
        """The requirement's `rid`, given once and to no other; its number is greater than `above` and all given ones.

        Raises:
            NotFound: there is no such requirement.
        """

        def work(connection: Connection) -> str:
            if connection.dialect.name == "postgresql":
                connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _GRAPH_NUMBERS})
            row = requirement_row(connection, requirement_id, lock=True)
            if row.graph_number is None:
                greatest = connection.execute(select(func.max(own.graph_number))).scalar() or 0
                change_row(connection, requirement_id, {"graph_number": max(greatest, above) + 1}, self._clock())
            return str(as_record(requirement_row(connection, requirement_id)).graph_id)

        return await self._database.write(work)

    async def withdraw_after(self, job_id: str, phase: int) -> WithdrawalRecord:
        """Undo what the job did in later phases: its edits, claims and verdicts, and the requirements that it added."""
        return await self._database.write(lambda connection: withdraw(connection, job_id, phase, self._clock()))


def _filtered(query: Select[Any], wanted: Mapping[str, str | None]) -> Select[Any]:
    return query.where(*(own[name] == value for name, value in wanted.items() if value is not None))
