"""Schemas bring themselves up to date: the installation's when a database is opened, an agent's on its first use."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any, Self

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    Engine,
    Float,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    insert,
    inspect,
    select,
    text,
)

from loopwright.kernel.errors import Misconfigured
from loopwright.stores.tables import Moment, Packed, UtcDateTime, artifacts, events, metadata, runs, sessions

# Revision 0014 of the installation's schema: runs get numbers, events carry those instead of ids, payloads are packed.
#
# The statements are written out, not made from `stores/tables`: these tables are as they were at this revision for
# good.

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
    numbered = Table("runs", tables, Column("number", BigInteger), Column("run_id", String))
    old = _events(
        "events_unpacked", tables, Column("run_id", String), Column("at", UtcDateTime), Column("payload", Text)
    )
    new = _events("events", tables, Column("run", BigInteger), Column("at", Moment), Column("payload", Packed))
    found = (
        select(numbered.c.number.label("run"), old.c.seq, old.c.type, old.c.at, old.c.payload, old.c.charged_usd)
        .join_from(numbered, old, numbered.c.run_id == old.c.run_id)
        .order_by(numbered.c.number, old.c.seq)
    )
    rows = connection.execute(found, execution_options={"yield_per": _AT_ONCE})
    for part in rows.mappings().partitions():
        connection.execute(insert(new), [dict(row) for row in part])


def _events(name: str, tables: MetaData, *differing: Column[Any]) -> Table:
    kept = (Column("seq", Integer), Column("type", String), Column("charged_usd", Float))
    return Table(name, tables, *differing, *kept)


# The steps, and when they are taken.

_ALEMBIC = Path(__file__).parent / "migrations"
"""The folder of Alembic's entry, by which the migrations of agents run."""

TABLES = (artifacts, events, runs, sessions)
"""The tables of every installation; a new database gets them as they are here."""

_LOCK = 0x10095721
"""The key of PostgreSQL's advisory lock under which schemas are changed; any constant will do."""

BEFORE_AGENTS_BROUGHT_TABLES = {
    "alembic_version": ("0001", "0012"),
    "alembic_version_pages": ("0001", "0007", "0008", "0009", "0010", "0011"),
    "alembic_version_planner": ("0002", "0003"),
    "alembic_version_jobs": ("0004", "0005", "0006"),
}
"""To revision 0012 one schema held all tables; these of its revisions went to these version tables."""
_LAST_OF_ONE_SCHEMA = "0012"


def _count_deaths(connection: Connection) -> None:
    """How many owners of a run have died in a row, and where it stood when the last one did."""
    for name in ("deaths", "deaths_at_seq"):
        connection.execute(text(f"ALTER TABLE runs ADD COLUMN {name} INTEGER DEFAULT '0' NOT NULL"))


def _part_from_agents(_connection: Connection) -> None:
    """From here on agents bring their own tables; what a database has of them stays (`adopt`)."""


STEPS: Mapping[str, Callable[[Connection], None]] = {
    "0012": _count_deaths,
    "0013": _part_from_agents,
    "0014": number_runs_and_pack_events,
}
"""What leads a database of the first revision to the newest, step by step."""
_FIRST = "0001"


@dataclass(frozen=True)
class Schema:
    """A line of revisions: the table that holds the one that was reached, and for an agent's its Alembic files."""

    version_table: str
    folder: Path | None = None

    @classmethod
    def of_agent(cls, name: str, package: str) -> Self:
        """The schema that an agent brings; `package` is the import path of its migrations.

        Raises:
            Misconfigured: there is no such package.
        """
        found = find_spec(package)
        if found is None or not found.submodule_search_locations:
            raise Misconfigured(f"The agent {name} has no migrations at {package!r}.", hint="Name a package there.")
        table = "alembic_version_" + re.sub(r"[^a-z0-9]+", "_", name.lower())
        return cls(table, Path(found.submodule_search_locations[0]))

    def revisions(self) -> list[str]:
        """The revisions of this line, oldest first; a file's name begins with its revision."""
        if self.folder is None:
            return [_FIRST, *STEPS]
        names = (path.name for path in self.folder.glob("*.py"))
        return sorted(found[0] for name in names if (found := re.match(r"\d{4}(?=_)", name)))


INSTALLATION = Schema("alembic_version")
"""The table has kept the name that it had when Alembic made it."""


def migrate(engine: Engine, schema: Schema = INSTALLATION) -> None:
    """Apply the missing migrations in one transaction, while no other process can.

    Raises:
        Misconfigured: the database was written by a newer version of this program.
    """
    # On SQLite this transaction holds the write lock from its beginning (see engines.py).
    with engine.begin() as connection:
        if is_current(connection, schema):
            return
        _lock(connection)
        if schema == INSTALLATION:
            adopt(connection)
        if not is_current(connection, schema):
            _upgrade(connection, schema)


def tables_in(module: ModuleType) -> list[Table]:
    """The tables that a module defines, or takes from others."""
    return [each for each in vars(module).values() if isinstance(each, Table)]


def create(engine: Engine, tables: Sequence[Table]) -> None:
    """Make those of the tables that are missing, in one transaction, while no other process can."""
    with engine.begin() as connection:
        _lock(connection)
        metadata.create_all(connection, tables)


def _lock(connection: Connection) -> None:
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})


def is_current(connection: Connection, schema: Schema) -> bool:
    """Whether the schema is up to date.

    Raises:
        Misconfigured: the database was written by a newer version of this program.
    """
    return _revision(connection, schema) == schema.revisions()[-1]


def adopt(connection: Connection) -> None:
    """Part the revision of a database that had one schema for all tables among the schemas that it consists of now."""
    current = _recorded(connection, INSTALLATION.version_table)
    if current is None or current > _LAST_OF_ONE_SCHEMA:
        return
    for table, revisions in BEFORE_AGENTS_BROUGHT_TABLES.items():
        reached = max((each for each in revisions if each <= current), default=None)
        if reached is None:
            continue
        _record(connection, table, reached)


def _record(connection: Connection, table: str, revision: str) -> None:
    connection.execute(
        text(
            f"CREATE TABLE IF NOT EXISTS {table} "
            f"(version_num VARCHAR(32) NOT NULL, CONSTRAINT {table}_pkc PRIMARY KEY (version_num))"
        )
    )
    connection.execute(text(f"DELETE FROM {table}"))  # noqa: S608 – the names of these tables are ours
    connection.execute(text(f"INSERT INTO {table} VALUES (:revision)"), {"revision": revision})  # noqa: S608


def _recorded(connection: Connection, table: str) -> str | None:
    if not inspect(connection).has_table(table):
        return None
    recorded: str | None = connection.execute(text(f"SELECT version_num FROM {table}")).scalar()  # noqa: S608
    return recorded


def _revision(connection: Connection, schema: Schema) -> str | None:
    current, known = _recorded(connection, schema.version_table), schema.revisions()
    if current is not None and current > known[-1]:
        raise Misconfigured(
            f"The database has schema {current}; this version of Loopwright knows schemas up to {known[-1]}.",
            hint="A newer Loopwright has used it: upgrade, or choose another DATABASE_URL or LOOPWRIGHT_HOME.",
        )
    return current


def _upgrade(connection: Connection, schema: Schema) -> None:
    if schema.folder is None:
        _upgrade_installation(connection)
    else:
        _upgrade_by_alembic(connection, schema.version_table, schema.folder)


def _upgrade_installation(connection: Connection) -> None:
    current = _recorded(connection, INSTALLATION.version_table)
    if current is None:
        metadata.create_all(connection, TABLES)
    else:
        for revision, step in STEPS.items():
            if revision > current:
                step(connection)
    _record(connection, INSTALLATION.version_table, INSTALLATION.revisions()[-1])


def _upgrade_by_alembic(connection: Connection, version_table: str, folder: Path) -> None:
    # Imported here: almost every start finds the schema current, and not every agent brings migrations.
    try:
        from alembic import command
        from alembic.config import Config
    except ImportError as error:
        raise Misconfigured(
            f"The migrations in {folder} need Alembic.", hint="Install it: pip install alembic"
        ) from error
    config = Config()
    config.set_main_option("script_location", str(_ALEMBIC).replace("%", "%%"))
    config.set_main_option("path_separator", "newline")
    config.set_main_option("version_locations", str(folder).replace("%", "%%"))
    config.attributes.update(connection=connection, version_table=version_table)
    command.upgrade(config, "head")
