"""Who may append to a run: claiming and giving up, for many runs at once."""

import os
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

from pydantic_core import to_json
from sqlalchemy import Connection, Integer, Row, String, bindparam, func, select, update
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.dml import Update
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.types import TypeEngine

from loopwright.kernel.errors import Conflict, LoopwrightError, NotFound
from loopwright.kernel.events import ModelResponse, StageChanged
from loopwright.kernel.ports import RunClaim
from loopwright.kernel.state import MOST_DEATHS, TERMINAL, deaths_after
from loopwright.stores.tables import UtcDateTime, events, runs
from loopwright.stores.writer import PARAMETER, incoming_rows

# Who owns a run: a process, named so that others on the same machine can tell whether it still lives.

_PROC = Path("/proc")


def owner_id() -> str:
    """This process as `host:pid:start-token`.

    The host part also names the PID namespace, so that two containers with the same host name are two hosts. The token
    tells a process from a later one with the same number; it is empty where there is no /proc.
    """
    pid = os.getpid()
    return f"{_host()}:{pid}:{_start_token(pid) or ''}"


def owner_exists(owner: str) -> bool | None:
    """Whether the owner's process still runs: True or False for a process of this host, None when it cannot be known.

    It is not known of an owner elsewhere, of one whose name is not of this form, and of a process of another user where
    there is no /proc; those are judged by their heartbeat alone.
    """
    host, _, rest = owner.partition(":")
    pid_text, _, token = rest.partition(":")
    if host != _host() or not pid_text.isdigit():
        return None
    pid = int(pid_text)
    if _PROC.joinpath("self", "stat").exists():
        return _start_token(pid) == token
    if os.name != "posix":
        return None
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return None
    return True


@cache
def _host() -> str:
    try:
        namespace = os.readlink("/proc/self/ns/pid").removeprefix("pid:[").removesuffix("]")
    except OSError:
        return socket.gethostname()
    return f"{socket.gethostname()}#{namespace}"


def _start_token(pid: int) -> str | None:
    """Boot and start time of a process in clock ticks since boot (proc(5), field 22); None if it has ended."""
    try:
        fields = _PROC.joinpath(str(pid), "stat").read_text().rpartition(")")[2].split()
        boot = _PROC.joinpath("sys", "kernel", "random", "boot_id").read_text()[:8]
    except OSError:
        return None
    state, started = fields[0], fields[19]
    return None if state in ("Z", "X") else f"{boot}-{started}"


# How long an owner keeps its run without a word: measured by the database's clock, which all processes share.

LEAST_SECONDS = 10.0
"""A process of this host that certainly exists keeps its runs at least so long: on a machine under load, even a thread
that only beats may have to wait for seconds."""


class database_now(FunctionElement[datetime]):  # noqa: N801 - SQL functions are written so
    """The moment, by the database's clock; clocks of different machines are never compared."""

    type = UtcDateTime()
    inherit_cache = True


@compiles(database_now, "postgresql")
def _on_postgresql(element: Any, compiler: Any, **options: Any) -> str:
    return "clock_timestamp()"


@compiles(database_now, "sqlite")
def _on_sqlite(element: Any, compiler: Any, **options: Any) -> str:
    """All processes are on one machine; the text has the form of `as_text`."""
    return "strftime('%Y-%m-%dT%H:%M:%f000+00:00', 'now')"


RUN_ROW = select(runs, database_now().label("read_at"))
"""A run with the moment at which it is read, as `owner_lives` wants it."""


def owner_lives(row: Row[Any], expiry: timedelta) -> bool:
    """Whether the run has an owner that was heard of lately, and whose process, if on this host, exists.

    A process that merely works hard is heard of: its heartbeat comes from a thread of its own (`engine/ownership.py`).
    """
    if row.owner is None or row.heartbeat_at is None:
        return False
    exists = owner_exists(row.owner)
    if exists is False:
        return False
    patience = max(expiry, timedelta(seconds=LEAST_SECONDS)) if exists else expiry
    return bool(row.read_at - row.heartbeat_at < patience)


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


def claim_all(connection: Connection, requests: Sequence[ClaimRequest]) -> list[RunClaim | LoopwrightError]:
    """Grant the claims that may be granted; of two for the same run, the later one meets the earlier one's owner.

    A handler of the writer.
    """
    # In one order for all processes, so that no two can wait for each other.
    wanted = RUN_ROW.where(runs.c.run_id.in_({request.run_id for request in requests})).order_by(runs.c.run_id)
    rows = {row.run_id: row for row in connection.execute(wanted.with_for_update())}
    granted: dict[str, RunClaim] = {}
    died_at: dict[str, int] = {}
    outcomes: list[RunClaim | LoopwrightError] = []
    for request in requests:
        row, earlier = rows.get(request.run_id), granted.get(request.run_id)
        if row is None:
            outcomes.append(NotFound(f"There is no run {request.run_id}.", hint="`loopwright runs list` shows them."))
            continue
        if (refusal := _refusal(request, row, earlier)) is not None:
            outcomes.append(refusal)
            continue
        deaths, at_seq = (earlier.deaths, died_at[request.run_id]) if earlier else _deaths(connection, request, row)
        claim = RunClaim(request.run_id, (earlier.epoch if earlier else row.epoch) + 1, request.owner, deaths)
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


def release_all(connection: Connection, claims: Sequence[RunClaim]) -> list[None]:
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
        events.c.run == row.number, events.c.seq > row.deaths_at_seq, events.c.type.in_(kinds)
    )
    counted: dict[str, int] = dict(connection.execute(since.group_by(events.c.type)).all())
    steps, stages = (counted.get(kind, 0) for kind in kinds)
    return deaths_after(row.deaths, steps, stages), row.seq


def _refusal(request: ClaimRequest, row: Row[Any], earlier: RunClaim | None) -> Conflict | None:
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
