"""The migrations make the schema that the code believes in, on both databases."""

from pathlib import Path
from typing import Any

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, create_engine, text

from loopwright.kernel.errors import Misconfigured
from loopwright.stores import migrate
from loopwright.stores.database import Database
from loopwright.stores.pages import SqlPages
from loopwright.stores.promises import SqlPromises
from loopwright.stores.sessions import SqlSessions
from loopwright.stores.tables import metadata
from tests.support.schema import MigratedOnce


@pytest.fixture(autouse=True)
def migrations_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Here the migrations themselves are what is tested."""
    if isinstance(migrate._upgrade, MigratedOnce):
        monkeypatch.setattr(migrate, "_upgrade", migrate._upgrade.upgrade)


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


def test_the_copy_that_other_tests_use_is_what_the_migrations_make(tmp_path: Path) -> None:
    upgrade, upgraded, seen = migrate._upgrade, [], []

    def counted(connection: Connection) -> None:
        upgraded.append(connection)
        upgrade(connection)

    bring_up_to_date = MigratedOnce(counted)
    for name in ("made.db", "copied.db"):
        engine = create_engine(f"sqlite:///{tmp_path / name}")
        with engine.begin() as connection:
            bring_up_to_date(connection)
        with engine.connect() as connection:
            tables = connection.execute(text("SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY name")).all()
            seen.append((tables, connection.execute(text("SELECT version_num FROM alembic_version")).all()))
        engine.dispose()
    assert len(upgraded) == 1
    assert seen[0] == seen[1]
    assert len(seen[0][0]) > 20


async def test_promises_of_an_older_schema_keep_their_state(url: str, tmp_path: Path) -> None:
    """A promise that was withdrawn as a whole is withdrawn check by check, with its reason; the others count."""

    def at(revision: str, connection: Connection) -> None:
        config = Config()
        config.set_main_option("script_location", str(Path(migrate.__file__).parent / "migrations"))
        config.attributes["connection"] = connection
        (command.downgrade if revision == "0010" else command.upgrade)(config, revision)

    async with await Database.open(url, tmp_path) as database:
        sessions, promises = SqlSessions(database), SqlPromises(database)
        await sessions.create(agent="pages", session_id="s")
        await SqlPages(database).save("s", "index", "<p>x</p>", source="edit", run_id="r", call_id="c")

        def older(connection: Connection) -> int:
            at("0010", connection)
            row = (
                "INSERT INTO promises VALUES (:session, :number, :key, 'index', 'hearts', 'controller', '[{}, {}]', "
                "'r', 'c', :made, :status, :reason, :gone)"
            )
            made, late = "2026-01-01T00:00:00+00:00", "2026-01-02T00:00:00+00:00"
            shared = {"session": "s", "made": made}
            kept = {"number": 1, "key": "a", "status": "active", "reason": None, "gone": None}
            gone = {"number": 2, "key": "b", "status": "withdrawn", "reason": "no more", "gone": late}
            connection.execute(text(row), [shared | kept, shared | gone])
            at("head", connection)
            return 0

        await database.write(older)
        kept, gone = await promises.of_session("s", withdrawn=True)
        assert (kept.active_places, gone.active_places) == ((0, 1), ())
        assert [each.reason for each in gone.entries if each.state == "withdrawn"] == ["no more"] * 2
