"""What all tables share: the metadata with its naming convention, and the column types both databases agree on."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import JSON, BigInteger, DateTime, Dialect, LargeBinary, MetaData, String
from sqlalchemy.types import TypeDecorator, TypeEngine

from loopwright.stores.packing import pack, unpack

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
    """The JSON text of an object, packed on disk (`stores/packing.py`)."""

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
