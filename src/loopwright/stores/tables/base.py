"""What all tables share: the metadata with its naming convention, and the column types both databases agree on."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import JSON, DateTime, Dialect, MetaData, String
from sqlalchemy.types import TypeDecorator, TypeEngine

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

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """Text on SQLite, `timestamp with time zone` elsewhere."""
        return dialect.type_descriptor(String(32) if dialect.name == "sqlite" else DateTime(timezone=True))

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> Any:
        """Refuse a naive datetime: its moment is unknown.

        Raises:
            ValueError: the datetime has no timezone.
        """
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"{value!r} has no timezone, so its moment is unknown.")
        return as_text(value) if dialect.name == "sqlite" else value

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:
        """Bring what the database holds into UTC."""
        if value is None:
            return None
        return datetime.fromisoformat(value) if dialect.name == "sqlite" else value.astimezone(UTC)


JsonObject: TypeEngine[Mapping[str, Any]] = JSON()
"""A JSON object: text on SQLite, `json` on PostgreSQL."""
