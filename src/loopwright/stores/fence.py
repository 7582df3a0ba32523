"""The fenced append, for many runs at once: one UPDATE that checks and moves every run, one INSERT of all events."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

from pydantic_core import to_json
from sqlalchemy import (
    Boolean,
    ColumnElement,
    Connection,
    Float,
    Integer,
    Row,
    String,
    case,
    func,
    insert,
    literal_column,
    null,
    or_,
    select,
    update,
)
from sqlalchemy.sql.dml import ReturningUpdate

from loopwright.kernel.errors import LoopwrightError, NotFound, StaleOwner
from loopwright.kernel.events import BudgetCharged, Payload
from loopwright.kernel.ports import Claim, RunUpdate
from loopwright.kernel.run_states import TERMINAL, TRANSITIONS, check_transition
from loopwright.stores.rows import PARAMETER, incoming_rows
from loopwright.stores.tables import events, runs
from loopwright.stores.tables.base import UtcDateTime, as_text


@dataclass(frozen=True, slots=True)
class Append:
    """One caller's append; the payloads are JSON already, made once on the caller's side."""

    claim: Claim
    after_seq: int
    payloads: Sequence[Payload]
    texts: Sequence[str]
    at: datetime
    update: RunUpdate

    def event_rows(self) -> list[dict[str, Any]]:
        """The rows of the events table."""
        return event_rows(self.claim.run_id, self.after_seq, self.payloads, self.texts, self.at)

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
    run_id: str, after_seq: int, payloads: Sequence[Payload], texts: Sequence[str], at: datetime
) -> list[dict[str, Any]]:
    """Rows of the events table, numbered from `after_seq` + 1."""
    return [
        {
            "run_id": run_id,
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
    passed: dict[str, bool] = dict(connection.execute(_fence(connection.dialect.name), {PARAMETER: rows}).all())
    written = [row for append in appends if append.claim.run_id in passed for row in append.event_rows()]
    if written:
        connection.execute(insert(events), written)
    return passed


@cache
def _fence(dialect: str) -> ReturningUpdate[str, bool]:
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
        .returning(runs.c.run_id, runs.c.cancel_requested)
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
    stored = select(events.c.payload).where(events.c.run_id == claim.run_id, events.c.seq > append.after_seq)
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
