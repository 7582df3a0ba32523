"""Who may append to a run: claiming and giving up, for many runs at once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

from pydantic_core import to_json
from sqlalchemy import Connection, Integer, Row, String, bindparam, select, update
from sqlalchemy.sql.dml import Update
from sqlalchemy.types import TypeEngine

from loopwright.kernel.errors import Conflict, LoopwrightError, NotFound
from loopwright.kernel.ports import Claim
from loopwright.kernel.run_states import TERMINAL
from loopwright.stores.owners import owner_exists
from loopwright.stores.rows import PARAMETER, incoming_rows
from loopwright.stores.tables import runs
from loopwright.stores.tables.base import UtcDateTime, as_text


@dataclass(frozen=True, slots=True)
class ClaimRequest:
    """Somebody wants to own a run; `expiry` is how long the present owner lives without a heartbeat."""

    run_id: str
    owner: str
    takeover: bool
    expiry: timedelta


BUSY_PROCESS_PATIENCE = 10
"""How many times longer a process of this host that certainly exists may be silent: it is busy, or was suspended."""


def owner_lives(row: Row[Any], expiry: timedelta) -> bool:
    """Whether the run has an owner that was heard of lately, and whose process, if on this host, exists."""
    if row.owner is None or row.heartbeat_at is None:
        return False
    exists = owner_exists(row.owner)
    if exists is False:
        return False
    silence = datetime.now(UTC) - row.heartbeat_at
    return bool(silence < (expiry * BUSY_PROCESS_PATIENCE if exists else expiry))


def claim_all(connection: Connection, requests: Sequence[ClaimRequest]) -> list[Claim | LoopwrightError]:
    """Grant the claims that may be granted; of two for the same run, the later one meets the earlier one's owner.

    A handler of the writer.
    """
    # In one order for all processes, so that no two can wait for each other.
    wanted = select(runs).where(runs.c.run_id.in_({request.run_id for request in requests})).order_by(runs.c.run_id)
    rows = {row.run_id: row for row in connection.execute(wanted.with_for_update())}
    granted: dict[str, Claim] = {}
    outcomes: list[Claim | LoopwrightError] = []
    for request in requests:
        row, earlier = rows.get(request.run_id), granted.get(request.run_id)
        if row is None:
            outcomes.append(NotFound(f"There is no run {request.run_id}.", hint="`loopwright runs list` shows them."))
            continue
        if (refusal := _refusal(request, row, earlier)) is not None:
            outcomes.append(refusal)
            continue
        claim = Claim(request.run_id, (earlier.epoch if earlier else row.epoch) + 1, request.owner)
        granted[request.run_id] = claim
        outcomes.append(claim)
    if granted:
        now = as_text(datetime.now(UTC))
        changes = [
            {"run_id": claim.run_id, "epoch": claim.epoch, "owner": claim.owner, "at": now}
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
        "at": UtcDateTime(),
    }
    incoming = incoming_rows(dialect, columns).c
    return (
        update(runs)
        .where(runs.c.run_id == incoming.run_id)
        .values(epoch=incoming.epoch, owner=incoming.owner, heartbeat_at=incoming.at)
    )


def _refusal(request: ClaimRequest, row: Row[Any], earlier: Claim | None) -> Conflict | None:
    if row.status in TERMINAL:
        return Conflict(f"Run {request.run_id} is {row.status}.", hint="Start a new run in the same session.")
    if row.status == "waiting_input" or request.takeover:
        return None
    if earlier is None and not owner_lives(row, request.expiry):
        return None
    return Conflict(
        f"Run {request.run_id} is being run by {earlier.owner if earlier else row.owner}.",
        hint="Watch it, cancel it, or wait: an owner is given up "
        f"{request.expiry.total_seconds():.0f} s after its last heartbeat.",
    )
