"""Who may append to a run: claiming and giving up, for many runs at once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from typing import Any

from pydantic_core import to_json
from sqlalchemy import Connection, Integer, Row, String, bindparam, func, select, update
from sqlalchemy.sql.dml import Update
from sqlalchemy.types import TypeEngine

from loopwright.kernel.errors import Conflict, LoopwrightError, NotFound
from loopwright.kernel.events import ModelResponse, StageChanged
from loopwright.kernel.parking import MOST_DEATHS, deaths_after
from loopwright.kernel.ports import Claim
from loopwright.kernel.run_states import TERMINAL
from loopwright.stores.leases import RUN_ROW, database_now, owner_lives
from loopwright.stores.rows import PARAMETER, incoming_rows
from loopwright.stores.tables import events, runs


@dataclass(frozen=True, slots=True)
class ClaimRequest:
    """Somebody wants to own a run; `expiry` is how long the present owner lives without a heartbeat.

    With `anyway` a parked run may try once more: one further death parks it again.
    """

    run_id: str
    owner: str
    takeover: bool
    expiry: timedelta
    anyway: bool = False


def claim_all(connection: Connection, requests: Sequence[ClaimRequest]) -> list[Claim | LoopwrightError]:
    """Grant the claims that may be granted; of two for the same run, the later one meets the earlier one's owner.

    A handler of the writer.
    """
    # In one order for all processes, so that no two can wait for each other.
    wanted = RUN_ROW.where(runs.c.run_id.in_({request.run_id for request in requests})).order_by(runs.c.run_id)
    rows = {row.run_id: row for row in connection.execute(wanted.with_for_update())}
    granted: dict[str, Claim] = {}
    died_at: dict[str, int] = {}
    outcomes: list[Claim | LoopwrightError] = []
    for request in requests:
        row, earlier = rows.get(request.run_id), granted.get(request.run_id)
        if row is None:
            outcomes.append(NotFound(f"There is no run {request.run_id}.", hint="`loopwright runs list` shows them."))
            continue
        if (refusal := _refusal(request, row, earlier)) is not None:
            outcomes.append(refusal)
            continue
        deaths, at_seq = (earlier.deaths, died_at[request.run_id]) if earlier else _deaths(connection, request, row)
        claim = Claim(request.run_id, (earlier.epoch if earlier else row.epoch) + 1, request.owner, deaths)
        granted[request.run_id], died_at[request.run_id] = claim, at_seq
        outcomes.append(claim)
    if granted:
        changes = [
            {
                "run_id": claim.run_id,
                "epoch": claim.epoch,
                "owner": claim.owner,
                "deaths": claim.deaths,
                "deaths_at_seq": died_at[claim.run_id],
            }
            for claim in granted.values()
        ]
        connection.execute(_take(connection.dialect.name), {PARAMETER: to_json(changes).decode()})
    return outcomes


def release_all(connection: Connection, claims: Sequence[Claim]) -> list[None]:
    """Clear the owner of the runs whose claim still holds. A handler of the writer."""
    connection.execute(_RELEASE, [{"claimed_run": claim.run_id, "claimed_epoch": claim.epoch} for claim in claims])
    return [None] * len(claims)


_RELEASE = (
    update(runs)
    .where(runs.c.run_id == bindparam("claimed_run"), runs.c.epoch == bindparam("claimed_epoch"))
    .values(owner=None, heartbeat_at=None)
)


@cache
def _take(dialect: str) -> Update:
    columns: Mapping[str, TypeEngine[Any]] = {
        "run_id": String(),
        "epoch": Integer(),
        "owner": String(),
        "deaths": Integer(),
        "deaths_at_seq": Integer(),
    }
    incoming = incoming_rows(dialect, columns).c
    return (
        update(runs)
        .where(runs.c.run_id == incoming.run_id)
        .values(epoch=incoming.epoch, owner=incoming.owner, heartbeat_at=database_now(), deaths=incoming.deaths)
        .values(deaths_at_seq=incoming.deaths_at_seq)
    )


def _deaths(connection: Connection, request: ClaimRequest, row: Row[Any]) -> tuple[int, int]:
    """How many owners in a row have died while they carried the run on, and its seq when the last one did.

    Whoever gives the run up in order has released it, and a run that the user cancels was left on purpose.
    """
    if request.anyway:
        return min(row.deaths, MOST_DEATHS - 1), row.seq
    left = row.owner is None or row.status not in ("queued", "running") or row.cancel_requested
    if left or row.owner == request.owner or owner_lives(row, request.expiry):
        return row.deaths, row.deaths_at_seq
    kinds = (ModelResponse.type, StageChanged.type)
    since = select(events.c.type, func.count()).where(
        events.c.run_id == row.run_id, events.c.seq > row.deaths_at_seq, events.c.type.in_(kinds)
    )
    counted: dict[str, int] = dict(connection.execute(since.group_by(events.c.type)).all())
    steps, stages = (counted.get(kind, 0) for kind in kinds)
    return deaths_after(row.deaths, steps, stages), row.seq


def _refusal(request: ClaimRequest, row: Row[Any], earlier: Claim | None) -> Conflict | None:
    if row.status in TERMINAL:
        return Conflict(f"Run {request.run_id} is {row.status}.", hint="Start a new run in the same session.")
    if row.status == "parked" and not request.anyway:
        return Conflict(
            f"Run {request.run_id} is parked: {row.deaths} owners in a row died while they carried it on.",
            hint=f"`loopwright runs show {request.run_id}` tells what it was doing; "
            f"`loopwright runs resume {request.run_id} --anyway` tries once more.",
        )
    if row.status in ("waiting_input", "parked") or request.takeover:
        return None
    if earlier is None and not owner_lives(row, request.expiry):
        return None
    return Conflict(
        f"Run {request.run_id} is being run by {earlier.owner if earlier else row.owner}.",
        hint="Watch it, cancel it, or wait: an owner is given up "
        f"{request.expiry.total_seconds():.0f} s after its last heartbeat.",
    )
