"""The migrations make the schema that the code believes in, on both databases."""

from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text

from loopwright.kernel.errors import Misconfigured
from loopwright.stores import migrate
from loopwright.stores.database import Database
from loopwright.stores.tables import metadata


async def test_the_migrated_schema_is_the_one_in_the_code(database: Database) -> None:
    def differences(connection: Connection) -> list[Any]:
        options = {"compare_type": True, "compare_server_default": True}
        return list(compare_metadata(MigrationContext.configure(connection, opts=options), metadata))

    assert await database.read(differences) == []


async def test_a_missing_column_would_be_noticed(database: Database) -> None:
    await database.write(lambda connection: connection.execute(text("ALTER TABLE runs DROP COLUMN message")).rowcount)
    found = await database.read(lambda c: compare_metadata(MigrationContext.configure(c), metadata))
    assert [(kind, column.name) for kind, _, _, column in found] == [("add_column", "message")]


def test_the_revisions_are_one_line_without_branches() -> None:
    config = Config()
    config.set_main_option("script_location", str(Path(migrate.__file__).parent / "migrations"))
    scripts = ScriptDirectory.from_config(config)
    assert scripts.get_heads() == [migrate.known_revisions()[-1]]
    assert [script.revision for script in scripts.walk_revisions()][::-1] == migrate.known_revisions()


async def test_a_newer_database_is_refused_and_left_alone(url: str, tmp_path: Path) -> None:
    async with await Database.open(url, tmp_path) as database:
        await database.write(lambda c: c.execute(text("UPDATE alembic_version SET version_num = '9999'")).rowcount)
    with pytest.raises(Misconfigured, match="9999") as caught:
        await Database.open(url, tmp_path)
    assert "upgrade" in caught.value.hint


async def test_a_migration_that_fails_leaves_nothing_behind(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    upgrade = migrate._upgrade

    def broken(connection: Connection) -> None:
        upgrade(connection)
        raise RuntimeError("half-way")

    monkeypatch.setattr(migrate, "_upgrade", broken)
    with pytest.raises(RuntimeError, match="half-way"):
        await Database.open(url, tmp_path)
    monkeypatch.undo()
    async with await Database.open(url, tmp_path) as database:
        assert await database.read(lambda c: c.execute(text("SELECT count(*) FROM runs")).scalar()) == 0
