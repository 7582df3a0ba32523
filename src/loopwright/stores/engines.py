"""The two engines of a database: one for the writer's thread, one for those that read; by the user's `DATABASE_URL`."""

from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError

from loopwright.kernel.errors import Misconfigured

_HINT = "Use sqlite:///path/to/file.db or postgresql://user:password@host/name, or leave it out for a file at home."


def database_url(given: str | None, home: Path) -> URL:
    """The URL without an async driver; without one given, the SQLite file in the home folder.

    Args:
        given: as in `DATABASE_URL`; the forms `postgres://`, `postgresql://` and `postgresql+psycopg://` are the same.
        home: the folder of `loopwright.db`.

    Raises:
        Misconfigured: the text is no URL, names another kind of database, or a database in memory.
    """
    if not given:
        return URL.create("sqlite", database=str(home / "loopwright.db"))
    text = "postgresql" + given[len("postgres") :] if given.startswith("postgres://") else given
    try:
        url = make_url(text)
    except ArgumentError as error:
        # The text may hold a password, so it is not repeated here.
        raise Misconfigured("DATABASE_URL is not a URL.", hint=_HINT) from error
    kind = url.get_backend_name()
    if kind == "postgresql":
        return url.set(drivername="postgresql+psycopg")
    if kind != "sqlite":
        raise Misconfigured(f"DATABASE_URL names {kind}, but the state is kept in SQLite or PostgreSQL.", hint=_HINT)
    if not url.database or url.database == ":memory:":
        raise Misconfigured("A database in memory would lose every run at the first crash.", hint=_HINT)
    return url.set(drivername="sqlite")


# The two engines of a database: one for the writer's thread, one for the threads that read.

CONNECT_SECONDS, SILENT_SECONDS = 5, 15
"""How long PostgreSQL may take to accept a connection, and to acknowledge what was sent: a dead network is noticed."""

BUSY_TIMEOUT_SECONDS = 60
"""How long a SQLite connection waits for another process's transaction to end."""

READERS = 4
"""Connections for reading: more only compete for the same processor."""


_POSTGRES = {"connect_timeout": CONNECT_SECONDS, "tcp_user_timeout": SILENT_SECONDS * 1_000}


def writing_engine(url: URL) -> Engine:
    """An engine with one connection, whose transactions take the write lock when they begin."""
    if url.get_backend_name() == "sqlite":
        Path(str(url.database)).parent.mkdir(parents=True, exist_ok=True)
        options: dict[str, Any] = {"connect_args": {"timeout": BUSY_TIMEOUT_SECONDS, "check_same_thread": False}}
    else:
        options = {"pool_pre_ping": True, "connect_args": _POSTGRES}
    engine = create_engine(url, pool_size=1, max_overflow=0, **options)
    # One statement for many rows: each row of an executemany would let go of the interpreter's lock and queue for it.
    engine.dialect.use_insertmanyvalues_wo_returning = True
    if url.get_backend_name() == "sqlite":
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", _begin_immediate)
    else:
        event.listen(engine, "connect", _prepare_postgresql)
    return engine


def reading_engine(url: URL) -> Engine:
    """An engine for reading, with a consistent snapshot per transaction."""
    if url.get_backend_name() == "sqlite":
        engine = create_engine(
            url,
            pool_size=READERS,
            max_overflow=0,
            connect_args={"timeout": BUSY_TIMEOUT_SECONDS, "check_same_thread": False},
        )
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", _begin_deferred)
        return engine
    # Every statement of one reading transaction sees the same state, as it does on SQLite.
    return create_engine(
        url,
        pool_size=READERS,
        max_overflow=0,
        pool_pre_ping=True,
        isolation_level="REPEATABLE READ",
        connect_args=_POSTGRES,
    )


def _prepare_sqlite(connection: Any, _record: Any) -> None:
    # The driver's own idea of when a transaction begins is switched off; the engine's events say it.
    connection.isolation_level = None
    cursor = connection.cursor()
    for pragma in (
        f"busy_timeout = {BUSY_TIMEOUT_SECONDS * 1_000}",
        "journal_mode = wal",
        "synchronous = normal",
        "foreign_keys = on",
    ):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _prepare_postgresql(connection: Any, _record: Any) -> None:
    """What is acknowledged is on disk, whatever the server's default: intents of `once` calls rely on it."""
    with connection.cursor() as cursor:
        cursor.execute("SET synchronous_commit = on")
    connection.commit()


def sync_every_commit(connection: Connection, wanted: bool) -> None:
    """Whether the next commits of this connection are on disk when they return; to be called between transactions.

    SQLite's write-ahead log is synced at checkpoints only unless this is asked for: a power cut may take the last
    commits along, never parts of them. PostgreSQL syncs every commit.
    """
    if connection.dialect.name == "sqlite":
        driver = connection.connection.driver_connection
        assert driver is not None, "the connection is open"  # noqa: S101
        driver.execute(f"PRAGMA synchronous = {'full' if wanted else 'normal'}")


def _begin_immediate(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE")


def _begin_deferred(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN")
