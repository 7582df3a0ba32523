"""The schema brings itself up to date whenever a database is opened."""

import re
from pathlib import Path

from sqlalchemy import Connection, Engine, inspect, text

from loopwright.kernel.errors import Misconfigured

_FOLDER = Path(__file__).parent / "migrations"

_LOCK = 0x10095721
"""The key of PostgreSQL's advisory lock under which schemas are changed; any constant will do."""


def known_revisions() -> list[str]:
    """The revisions this program has migrations for, oldest first; a migration's file name begins with its revision."""
    names = (path.name for path in (_FOLDER / "versions").glob("*.py"))
    return sorted(found[0] for name in names if (found := re.match(r"\d{4}(?=_)", name)))


def migrate(engine: Engine) -> None:
    """Apply the missing migrations in one transaction, while no other process can.

    Raises:
        Misconfigured: the database was written by a newer version of this program.
    """
    known = known_revisions()
    # On SQLite this transaction holds the write lock from its beginning (see engines.py).
    with engine.begin() as connection:
        if _revision(connection, known) == known[-1]:
            return
        if connection.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
        if _revision(connection, known) != known[-1]:
            _upgrade(connection)


def _revision(connection: Connection, known: list[str]) -> str | None:
    if not inspect(connection).has_table("alembic_version"):
        return None
    current: str | None = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    if current is not None and current not in known:
        raise Misconfigured(
            f"The database has schema {current}; this version of Loopwright knows schemas up to {known[-1]}.",
            hint="A newer Loopwright has used it: upgrade, or choose another DATABASE_URL or LOOPWRIGHT_HOME.",
        )
    return current


def _upgrade(connection: Connection) -> None:
    # Imported here: almost every start finds the schema current, and should not pay for Alembic.
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(_FOLDER).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
