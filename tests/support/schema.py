"""The schema of an empty SQLite database: made by the migrations once per process, and by their result ever after.

Migrating takes fifty milliseconds of pure computing, and a thousand tests open a database of their own.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import pytest
from sqlalchemy import Connection, inspect

from loopwright.stores import migrate
from loopwright.stores.migrate import Schema


@dataclass
class MigratedOnce:
    """Stands in for the upgrade of a database; whatever is not empty, or not SQLite, is upgraded as always."""

    upgrade: Callable[[Connection, Schema], None]
    statements: dict[Schema, list[str]] = field(default_factory=dict)

    def __call__(self, connection: Connection, schema: Schema) -> None:
        """Bring the schema up to date."""
        before = _tables(connection)
        if connection.dialect.name != "sqlite" or schema.version_table in before:
            self.upgrade(connection, schema)
        elif schema in self.statements:
            for statement in self.statements[schema]:
                connection.exec_driver_sql(statement)
        else:
            self.upgrade(connection, schema)
            self.statements[schema] = _dump(connection, before)


@contextmanager
def migrated_once() -> Iterator[None]:
    """Let every new database of this process have a copy of the first one's schema."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(migrate, "_upgrade", MigratedOnce(migrate._upgrade))
        yield


def _tables(connection: Connection) -> set[str]:
    return set(inspect(connection).get_table_names())


def _dump(connection: Connection, before: set[str]) -> list[str]:
    """What makes the tables that were not there before, with the revision in the version table."""
    rows = connection.exec_driver_sql(
        "SELECT tbl_name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY type = 'index', rowid"
    ).all()
    made = [sql for table, sql in rows if table not in before]
    versions = [table for table in _tables(connection) - before if table.startswith("alembic_version")]
    for table in versions:
        (revision,) = connection.exec_driver_sql(f"SELECT version_num FROM {table}").one()
        made.append(f"INSERT INTO {table} VALUES ('{revision}')")
    return made
