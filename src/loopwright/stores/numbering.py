"""Revision 0014 of the installation's schema: runs get numbers, events carry those instead of ids, payloads are packed.

The statements are written out, not made from `stores/tables`: these tables are as they were at this revision for good.
"""

from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    Float,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    insert,
    select,
    text,
)

from loopwright.stores.tables.base import Moment, Packed, UtcDateTime

_OLD_RUN_COLUMNS = (
    "run_id, session_id, agent, status, seq, epoch, owner, heartbeat_at, cancel_requested, created_at, updated_at, "
    "steps, cost_usd, cost_unknown, message, deaths, deaths_at_seq"
)

_NUMBER_ON_POSTGRESQL = (
    "CREATE SEQUENCE runs_number_seq",
    "ALTER TABLE runs ADD COLUMN number BIGINT",
    "UPDATE runs SET number = nextval('runs_number_seq')",
    "ALTER TABLE runs ALTER COLUMN number SET NOT NULL",
    "ALTER TABLE runs ALTER COLUMN number SET DEFAULT nextval('runs_number_seq')",
    "ALTER SEQUENCE runs_number_seq OWNED BY runs.number",
    "ALTER TABLE runs DROP CONSTRAINT pk_runs",
    "ALTER TABLE runs ADD CONSTRAINT pk_runs PRIMARY KEY (number)",
    "ALTER TABLE runs ADD CONSTRAINT uq_runs_run_id UNIQUE (run_id)",
)

_NUMBER_ON_SQLITE = (
    "DROP INDEX ix_runs_created_at",
    "DROP INDEX ix_runs_live",
    "DROP INDEX ix_runs_session_id_created_at",
    "ALTER TABLE runs RENAME TO runs_unnumbered",
    """CREATE TABLE runs (
        number INTEGER NOT NULL, run_id VARCHAR(64) NOT NULL, session_id VARCHAR(64) NOT NULL,
        agent VARCHAR(64) NOT NULL, status VARCHAR(16) NOT NULL, seq INTEGER NOT NULL, epoch INTEGER NOT NULL,
        owner VARCHAR(255), heartbeat_at VARCHAR(32), cancel_requested BOOLEAN DEFAULT 0 NOT NULL,
        created_at VARCHAR(32) NOT NULL, updated_at VARCHAR(32) NOT NULL, steps INTEGER DEFAULT '0' NOT NULL,
        cost_usd FLOAT DEFAULT '0' NOT NULL, cost_unknown BOOLEAN DEFAULT 0 NOT NULL, message TEXT NOT NULL,
        deaths INTEGER DEFAULT '0' NOT NULL, deaths_at_seq INTEGER DEFAULT '0' NOT NULL,
        CONSTRAINT pk_runs PRIMARY KEY (number), CONSTRAINT uq_runs_run_id UNIQUE (run_id))""",
    f"INSERT INTO runs ({_OLD_RUN_COLUMNS}) SELECT {_OLD_RUN_COLUMNS} FROM runs_unnumbered ORDER BY rowid",  # noqa: S608
    "DROP TABLE runs_unnumbered",
    "CREATE INDEX ix_runs_created_at ON runs (created_at)",
    "CREATE INDEX ix_runs_live ON runs (status) WHERE status IN ('queued', 'running')",
    "CREATE INDEX ix_runs_session_id_created_at ON runs (session_id, created_at)",
)

_AT_ONCE = 500
"""Events in memory while they are copied."""


def number_runs_and_pack_events(connection: Connection) -> None:
    """Give the runs numbers in the order of their creation, and write the journal anew; nothing of it is lost."""
    on_sqlite = connection.dialect.name == "sqlite"
    for statement in _NUMBER_ON_SQLITE if on_sqlite else _NUMBER_ON_POSTGRESQL:
        connection.execute(text(statement))
    connection.execute(text("DROP INDEX ix_events_charged"))
    connection.execute(text("ALTER TABLE events RENAME TO events_unpacked"))
    moment, binary = ("BIGINT", "BLOB") if on_sqlite else ("TIMESTAMP WITH TIME ZONE", "BYTEA")
    if not on_sqlite:  # there the names of keys are the schema's, not the table's
        connection.execute(text("ALTER TABLE events_unpacked RENAME CONSTRAINT pk_events TO pk_events_unpacked"))
    connection.execute(
        text(
            "CREATE TABLE events (run BIGINT NOT NULL, seq INTEGER NOT NULL, type VARCHAR(64) NOT NULL, "
            f"at {moment} NOT NULL, payload {binary} NOT NULL, charged_usd FLOAT, "
            "CONSTRAINT pk_events PRIMARY KEY (run, seq))"
        )
    )
    _copy_events(connection)
    connection.execute(text("DROP TABLE events_unpacked"))
    connection.execute(text("CREATE INDEX ix_events_charged ON events (at, charged_usd) WHERE charged_usd IS NOT NULL"))


def _copy_events(connection: Connection) -> None:
    tables = MetaData()
    runs = Table("runs", tables, Column("number", BigInteger), Column("run_id", String))
    old = _events(
        "events_unpacked", tables, Column("run_id", String), Column("at", UtcDateTime), Column("payload", Text)
    )
    new = _events("events", tables, Column("run", BigInteger), Column("at", Moment), Column("payload", Packed))
    found = (
        select(runs.c.number.label("run"), old.c.seq, old.c.type, old.c.at, old.c.payload, old.c.charged_usd)
        .join_from(runs, old, runs.c.run_id == old.c.run_id)
        .order_by(runs.c.number, old.c.seq)
    )
    rows = connection.execute(found, execution_options={"yield_per": _AT_ONCE})
    for part in rows.mappings().partitions():
        connection.execute(insert(new), [dict(row) for row in part])


def _events(name: str, tables: MetaData, *differing: Column[Any]) -> Table:
    kept = (Column("seq", Integer), Column("type", String), Column("charged_usd", Float))
    return Table(name, tables, *differing, *kept)
