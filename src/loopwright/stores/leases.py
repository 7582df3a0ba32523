"""How long an owner keeps its run without a word: measured by the database's clock, which all processes share."""

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Row, select
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement

from loopwright.stores.owners import owner_exists
from loopwright.stores.tables import runs
from loopwright.stores.tables.base import UtcDateTime

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

    A process that merely works hard is heard of: its heartbeat comes from a thread of its own (`engine/heart.py`).
    """
    if row.owner is None or row.heartbeat_at is None:
        return False
    exists = owner_exists(row.owner)
    if exists is False:
        return False
    patience = max(expiry, timedelta(seconds=LEAST_SECONDS)) if exists else expiry
    return bool(row.read_at - row.heartbeat_at < patience)
