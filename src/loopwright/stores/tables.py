"""The tables of every installation and the types of their columns; agents bring tables of their own."""

import secrets
import time
import zlib
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from functools import cache
from importlib import resources
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    DateTime,
    Dialect,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    false,
)
from sqlalchemy.types import TypeDecorator, TypeEngine

# How a payload lies on disk: JSON as it is, or deflated against a dictionary of what payloads are made of.
#
# Each payload is packed alone, so that any event can be read without the others; the dictionary makes up for that: most
# of a payload is the names of its fields. The first byte tells how it was packed.

_DICTIONARY_1 = b"\x01"
"""Deflated against `journal_dictionary_1.txt`, which must never change; a better dictionary gets the next number."""

_WORTH_IT = 48
"""Bytes; what is shorter is left as it is."""


@cache
def _dictionary() -> bytes:
    return resources.files("loopwright.stores").joinpath("journal_dictionary_1.txt").read_bytes()


def pack(text: bytes) -> bytes:
    """The JSON text of an object, packed where that makes it shorter."""
    if len(text) < _WORTH_IT:
        return text
    deflate = zlib.compressobj(6, zlib.DEFLATED, -15, 8, zlib.Z_DEFAULT_STRATEGY, _dictionary())
    packed = _DICTIONARY_1 + deflate.compress(text) + deflate.flush()
    return packed if len(packed) < len(text) else text


def unpack(stored: bytes) -> bytes:
    """The JSON text again.

    Raises:
        ValueError: it was packed in a way that this version does not know.
        zlib.error: it is damaged.
    """
    if stored[:1] == b"{":
        return stored
    if stored[:1] != _DICTIONARY_1:
        raise ValueError(f"This version of Loopwright cannot read a payload that begins with {stored[:1]!r}.")
    inflate = zlib.decompressobj(-15, _dictionary())
    return inflate.decompress(stored[1:]) + inflate.flush()


# Opaque identifiers that sort by the time they were made.


def new_id() -> str:
    """32 hexadecimal digits: 48 bits of Unix milliseconds, then 80 random bits (the layout of RFC 9562's UUIDv7)."""
    return f"{time.time_ns() // 1_000_000:012x}{secrets.token_hex(10)}"


# What all tables share: the metadata with its naming convention, and the column types both databases agree on.

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)

Identifier = String(64)
"""Ids are opaque text: ours are 32 hexadecimal digits, others' may be longer."""


def as_text(moment: datetime) -> str:
    """UTC with microseconds and offset, always 32 characters, so that text order is time order."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


class UtcDateTime(TypeDecorator[datetime]):
    """A moment, timezone-aware and in UTC on the way out. SQLite has no such type: there it is ISO 8601 text."""

    impl = DateTime(timezone=True)
    cache_ok = True
    sqlite_type: TypeEngine[Any] = String(32)

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """`sqlite_type` on SQLite, `timestamp with time zone` elsewhere."""
        return dialect.type_descriptor(self.sqlite_type if dialect.name == "sqlite" else DateTime(timezone=True))

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> Any:
        """Refuse a naive datetime: its moment is unknown.

        Raises:
            ValueError: the datetime has no timezone.
        """
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"{value!r} has no timezone, so its moment is unknown.")
        return self.for_sqlite(value) if dialect.name == "sqlite" else value

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:
        """Bring what the database holds into UTC."""
        if value is None:
            return None
        return self.of_sqlite(value) if dialect.name == "sqlite" else value.astimezone(UTC)

    def for_sqlite(self, moment: datetime) -> Any:
        """What a column of SQLite holds."""
        return as_text(moment)

    def of_sqlite(self, value: Any) -> datetime:
        """The moment that a column of SQLite holds, in UTC."""
        return datetime.fromisoformat(value)


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


class Moment(UtcDateTime):
    """Like `UtcDateTime`, for tables of many rows: on SQLite eight bytes, microseconds since 1970."""

    cache_ok = True
    sqlite_type = BigInteger()

    def for_sqlite(self, moment: datetime) -> int:
        """Microseconds since 1970."""
        return (moment - _EPOCH) // _MICROSECOND

    def of_sqlite(self, value: int) -> datetime:
        """The moment so many microseconds after 1970 began."""
        return _EPOCH + value * _MICROSECOND


class Packed(TypeDecorator[str]):
    """The JSON text of an object, packed on disk (`stores/tables.py`)."""

    impl = LargeBinary
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> bytes | None:
        """Pack it."""
        return None if value is None else pack(value.encode())

    def process_result_value(self, value: Any, dialect: Dialect) -> str | None:
        """The text again."""
        return None if value is None else unpack(bytes(value)).decode()


JsonObject: TypeEngine[Mapping[str, Any]] = JSON()
"""A JSON object: text on SQLite, `json` on PostgreSQL."""


# What runs have made besides text: files by path, blobs by digest.

artifacts = Table(
    "artifacts",
    metadata,
    Column("artifact_id", Identifier, primary_key=True),
    Column("session_id", Identifier, ForeignKey("sessions.session_id", ondelete="CASCADE"), nullable=False),
    Column("run_id", Identifier),
    Column("idempotency_key", String(255), nullable=False),
    Column("name", Text, nullable=False),
    Column("kind", String(64), nullable=False),
    Column("media_type", String(255), nullable=False),
    Column("path", Text),
    Column("digest", String(64)),
    Column("size_bytes", Integer),
    Column("metadata", JsonObject, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    UniqueConstraint("session_id", "idempotency_key"),
)

Index(None, artifacts.c.session_id, artifacts.c.created_at)
Index(None, artifacts.c.run_id)


# The journal: what happened in every run, append-only.

events = Table(
    "events",
    metadata,
    # The run's `number`: its id would stand in every row and once more in the key, as long as a short payload.
    # No foreign key to runs: the fence has just updated that very row in the same transaction.
    Column("run", BigInteger, primary_key=True, autoincrement=False),
    Column("seq", Integer, primary_key=True, autoincrement=False),
    Column("type", String(64), nullable=False),
    Column("at", Moment, nullable=False),
    Column("payload", Packed, nullable=False),
    # USD of a `budget_charged` event, beside its payload, so that a day's spending is a sum over an index.
    Column("charged_usd", Float),
)

Index(
    "ix_events_charged",
    events.c.at,
    events.c.charged_usd,
    sqlite_where=events.c.charged_usd.is_not(None),
    postgresql_where=events.c.charged_usd.is_not(None),
)


# The runs: who owns each, how far it is, what it has cost.

runs = Table(
    "runs",
    metadata,
    # Short, given by the database, and known to the stores only: it stands for the id in each row of the journal.
    Column("number", BigInteger().with_variant(Integer, "sqlite"), primary_key=True),
    Column("run_id", Identifier, nullable=False, unique=True),
    # No foreign key to sessions: the kernel's port does not know them, and a session's deletion takes its runs along.
    Column("session_id", Identifier, nullable=False),
    Column("agent", String(64), nullable=False),
    Column("status", String(16), nullable=False),
    Column("seq", Integer, nullable=False),
    Column("epoch", Integer, nullable=False),
    Column("owner", String(255)),
    Column("heartbeat_at", UtcDateTime),
    Column("cancel_requested", Boolean, nullable=False, server_default=false()),
    Column("created_at", UtcDateTime, nullable=False),
    Column("updated_at", UtcDateTime, nullable=False),
    Column("steps", Integer, nullable=False, server_default="0"),
    # The part whose price is known; `cost_unknown` says that there is another part.
    Column("cost_usd", Float, nullable=False, server_default="0"),
    Column("cost_unknown", Boolean, nullable=False, server_default=false()),
    Column("message", Text, nullable=False),
    # Owners in a row that died while they carried the run on, and how far its journal was when the last one did.
    Column("deaths", Integer, nullable=False, server_default="0"),
    Column("deaths_at_seq", Integer, nullable=False, server_default="0"),
)

Index(None, runs.c.session_id, runs.c.created_at)
Index(None, runs.c.created_at)
# Recovery looks at live runs only; the finished majority stays out of its index.
Index(
    "ix_runs_live",
    runs.c.status,
    sqlite_where=runs.c.status.in_(("queued", "running")),
    postgresql_where=runs.c.status.in_(("queued", "running")),
)


# The sessions: what one user does with one agent, over many runs.

sessions = Table(
    "sessions",
    metadata,
    Column("session_id", Identifier, primary_key=True),
    Column("agent", String(64), nullable=False),
    Column("title", Text, nullable=False),
    Column("output_dir", Text, nullable=False),
    Column("metadata", JsonObject, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("updated_at", UtcDateTime, nullable=False),
)

Index(None, sessions.c.created_at)
