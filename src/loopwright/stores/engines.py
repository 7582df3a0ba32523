"""The two engines of a database: a synchronous one for the writer's thread, an asynchronous one for reading."""

from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

BUSY_TIMEOUT_SECONDS = 60
"""How long a SQLite connection waits for another process's transaction to end."""

READERS = 4
"""Connections for reading: more only compete for the same processor."""


def writing_engine(url: URL) -> Engine:
    """An engine with one connection, whose transactions take the write lock when they begin."""
    if url.get_backend_name() == "sqlite":
        Path(str(url.database)).parent.mkdir(parents=True, exist_ok=True)
        options: dict[str, Any] = {"connect_args": {"timeout": BUSY_TIMEOUT_SECONDS, "check_same_thread": False}}
    else:
        options = {"pool_pre_ping": True}
    engine = create_engine(url, pool_size=1, max_overflow=0, **options)
    # One statement for many rows: each row of an executemany would let go of the interpreter's lock and queue for it.
    engine.dialect.use_insertmanyvalues_wo_returning = True
    if url.get_backend_name() == "sqlite":
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", _begin_immediate)
    return engine


def reading_engine(url: URL) -> AsyncEngine:
    """An engine for reading, with a consistent snapshot per transaction."""
    if url.get_backend_name() == "sqlite":
        engine = create_async_engine(
            url.set(drivername="sqlite+aiosqlite"),
            pool_size=READERS,
            max_overflow=0,
            connect_args={"timeout": BUSY_TIMEOUT_SECONDS},
        )
        event.listen(engine.sync_engine, "connect", _prepare_sqlite)
        event.listen(engine.sync_engine, "begin", _begin_deferred)
        return engine
    # Every statement of one reading transaction sees the same state, as it does on SQLite.
    return create_async_engine(
        url, pool_size=READERS, max_overflow=0, pool_pre_ping=True, isolation_level="REPEATABLE READ"
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


def _begin_immediate(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE")


def _begin_deferred(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN")
