"""The schema of an empty SQLite database: made by the migrations once per process, and by their result ever after.

Migrating takes fifty milliseconds of pure computing, and a thousand tests open a database of their own.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from sqlalchemy import Connection

from loopwright.stores import migrate

FRAME = ("BEGIN TRANSACTION;", "COMMIT;")
"""What a dump puts around its statements; they run in the transaction that migrates."""


@dataclass
class MigratedOnce:
    """Stands in for the upgrade of a database; whatever is not empty, or not SQLite, is upgraded as always."""

    upgrade: Callable[[Connection], None]
    statements: list[str] = field(default_factory=list)

    def __call__(self, connection: Connection) -> None:
        """Bring the schema up to date."""
        if connection.dialect.name != "sqlite" or not _is_empty(connection):
            self.upgrade(connection)
        elif self.statements:
            for statement in self.statements:
                connection.exec_driver_sql(statement)
        else:
            self.upgrade(connection)
            self.statements = _dump(connection)


@contextmanager
def migrated_once() -> Iterator[None]:
    """Let every new database of this process have a copy of the first one's schema."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(migrate, "_upgrade", MigratedOnce(migrate._upgrade))
        yield


def _is_empty(connection: Connection) -> bool:
    return connection.exec_driver_sql("SELECT count(*) FROM sqlite_master").scalar() == 0


def _dump(connection: Connection) -> list[str]:
    driver: Any = connection.connection.driver_connection
    return [statement for statement in driver.iterdump() if statement not in FRAME]
