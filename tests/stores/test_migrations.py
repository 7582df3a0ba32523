"""The migrations make the schema that the code believes in, on both databases."""

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Column, Connection, MetaData, String, Table, create_engine, insert, select, text

from loopwright.agents.pages.store.pages import SqlPages
from loopwright.agents.pages.store.promises import SqlPromises
from loopwright.app.agents import packages
from loopwright.kernel.errors import Misconfigured
from loopwright.kernel.events import BudgetCharged
from loopwright.stores import migrate
from loopwright.stores.database import Database
from loopwright.stores.journal import SqlJournal
from loopwright.stores.migrate import BEFORE_AGENTS_BROUGHT_TABLES, INSTALLATION, Schema
from loopwright.stores.runs import SqlRuns
from loopwright.stores.sessions import SqlSessions
from loopwright.stores.tables import as_text, events, metadata, runs
from tests.stores.play import answer, result, running
from tests.support.schema import MigratedOnce
from tests.support.stores import upgrade

BROUGHT = [Schema.of_agent(each.name, each.migrations) for each in packages() if each.migrations]
TABLES = [each.load(each.tables) for each in packages() if each.tables]
"""Imported, so that the metadata has them."""
SCHEMAS = [INSTALLATION, *BROUGHT]
PAGES = next(each for each in BROUGHT if each.version_table.endswith("_pages"))


CHARGED: dict[str, Any] = {"tokens": 1, "cost_usd": 0.5, "total_tokens": 1, "total_usd": 0.5}


def before_numbers(connection: Connection) -> None:
    """Bring the tables of runs and events back to what they were before revision 0014, with their rows."""
    sqlite = connection.dialect.name == "sqlite"
    moment = "VARCHAR(32)" if sqlite else "TIMESTAMP WITH TIME ZONE"
    rows = [
        {**row, "at": as_text(row["at"]) if sqlite else row["at"]}
        for row in connection.execute(
            select(events, runs.c.run_id).join(runs, runs.c.number == events.c.run)
        ).mappings()
    ]
    connection.execute(text("DROP TABLE events"))
    connection.execute(
        text(
            "CREATE TABLE events (run_id VARCHAR(64) NOT NULL, seq INTEGER NOT NULL, type VARCHAR(64) NOT NULL, "
            f"at {moment} NOT NULL, payload TEXT NOT NULL, charged_usd FLOAT, "
            "CONSTRAINT pk_events PRIMARY KEY (run_id, seq))"
        )
    )
    connection.execute(text("CREATE INDEX ix_events_charged ON events (at, charged_usd) WHERE charged_usd IS NOT NULL"))
    if rows:
        into = "INSERT INTO events VALUES (:run_id, :seq, :type, :at, :payload, :charged_usd)"
        connection.execute(text(into), rows)
    if not sqlite:
        for change in ("DROP CONSTRAINT pk_runs", "DROP CONSTRAINT uq_runs_run_id", "DROP COLUMN number"):
            connection.execute(text(f"ALTER TABLE runs {change}"))
        connection.execute(text("ALTER TABLE runs ADD CONSTRAINT pk_runs PRIMARY KEY (run_id)"))
        return
    sql = connection.execute(text("SELECT sql FROM sqlite_master WHERE name = 'runs'")).scalar_one()
    sql = re.sub(r",\s*CONSTRAINT uq_runs_run_id UNIQUE \(run_id\)", "", sql.replace("number INTEGER NOT NULL,", ""))
    indexes = connection.execute(
        text("SELECT name, sql FROM sqlite_master WHERE tbl_name = 'runs' AND type = 'index' AND sql IS NOT NULL")
    ).all()
    for index in indexes:
        connection.execute(text(f"DROP INDEX {index.name}"))
    connection.execute(text("ALTER TABLE runs RENAME TO numbered"))
    connection.execute(text(sql.replace("PRIMARY KEY (number)", "PRIMARY KEY (run_id)")))
    columns = ", ".join(column.name for column in runs.c if column.name != "number")
    connection.execute(text(f"INSERT INTO runs ({columns}) SELECT {columns} FROM numbered"))
    connection.execute(text("DROP TABLE numbered"))
    for index in indexes:
        connection.execute(text(index.sql))


@pytest.fixture(autouse=True)
def migrations_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Here the migrations themselves are what is tested."""
    if isinstance(migrate._upgrade, MigratedOnce):
        monkeypatch.setattr(migrate, "_upgrade", migrate._upgrade.upgrade)


def _is_ours(name: str | None, kind: str, _parents: Any) -> bool:
    return not (kind == "table" and str(name).startswith("alembic_version"))


def _differences(connection: Connection) -> list[Any]:
    options = {"compare_type": True, "compare_server_default": True, "include_name": _is_ours}
    return list(compare_metadata(MigrationContext.configure(connection, opts=options), metadata))


async def test_the_migrated_schema_is_the_one_in_the_code(database: Database) -> None:
    assert await database.read(_differences) == []


async def test_a_missing_column_would_be_noticed(database: Database) -> None:
    await database.write(lambda connection: connection.execute(text("ALTER TABLE runs DROP COLUMN message")).rowcount)
    found = await database.read(
        lambda c: compare_metadata(MigrationContext.configure(c, opts={"include_name": _is_ours}), metadata)
    )
    assert [(kind, column.name) for kind, _, _, column in found] == [("add_column", "message")]


@pytest.mark.parametrize("schema", BROUGHT, ids=lambda schema: schema.version_table)
def test_the_revisions_are_one_line_without_branches(schema: Schema) -> None:
    config = Config()
    config.set_main_option("script_location", str(Path(migrate.__file__).parent / "migrations"))
    config.set_main_option("path_separator", "newline")
    config.set_main_option("version_locations", str(schema.folder))
    scripts = ScriptDirectory.from_config(config)
    assert scripts.get_heads() == [schema.revisions()[-1]]
    assert [script.revision for script in scripts.walk_revisions()][::-1] == schema.revisions()


async def test_a_database_with_one_schema_for_all_tables_is_parted(url: str, tmp_path: Path) -> None:
    """As version 0.1 left it, at revision 0012: what is in the tables stays, and no revision is applied again."""
    async with await Database.open(url, tmp_path) as database:
        await upgrade(database)
        await SqlSessions(database).create(agent="pages", session_id="s")
        await SqlPages(database).save("s", "index", "<p>x</p>", source="edit", run_id="r", call_id="c")

        def older(connection: Connection) -> int:
            before_numbers(connection)
            for schema in BROUGHT:
                connection.execute(text(f"DROP TABLE {schema.version_table}"))
            return connection.execute(text("UPDATE alembic_version SET version_num = '0012'")).rowcount

        await database.write(older)

    def versions(connection: Connection) -> dict[str, str]:
        return {
            table: connection.execute(text(f"SELECT version_num FROM {table}")).scalar_one()
            for table in BEFORE_AGENTS_BROUGHT_TABLES
        }

    async with await Database.open(url, tmp_path) as database:
        found = await database.read(versions)
        await upgrade(database)
        assert (await SqlPages(database).html("s", "index")) == "<p>x</p>"
    assert found == {schema.version_table: schema.revisions()[-1] for schema in SCHEMAS}


async def test_a_database_of_the_first_revision_gets_what_came_since(url: str, tmp_path: Path) -> None:
    """Its runs stay with their journals, and it ends with the schema that a new database has."""
    async with await Database.open(url, tmp_path) as database:
        await upgrade(database)
        await SqlSessions(database).create(agent="pages", session_id="s")
        claims = [await running(SqlRuns(database), SqlJournal(database)) for _ in range(3)]
        for claim, seq in claims:
            await SqlJournal(database).append(claim, seq, [answer("ü" * 5_000), result(), BudgetCharged(**CHARGED)])
        told = [await SqlJournal(database).read(claim.run_id) for claim, _ in claims]

        def older(connection: Connection) -> int:
            before_numbers(connection)
            for name in ("deaths", "deaths_at_seq"):
                connection.execute(text(f"ALTER TABLE runs DROP COLUMN {name}"))
            return connection.execute(text("UPDATE alembic_version SET version_num = '0001'")).rowcount

        await database.write(older)
    async with await Database.open(url, tmp_path) as database:
        assert await database.read(_differences) == []
        assert (await SqlSessions(database).get("s")).agent == "pages"
        assert [await SqlJournal(database).read(claim.run_id) for claim, _ in claims] == told
        assert await SqlRuns(database).spent_in("session") == 1.5
        await running(SqlRuns(database), SqlJournal(database))  # the next number is free


async def test_an_agent_without_migrations_gets_its_tables(url: str, tmp_path: Path) -> None:
    """Those that are missing are made, by several who ask at once; what is there keeps its rows."""
    notes = Table("notes", MetaData(), Column("text", String(20)))
    async with await Database.open(url, tmp_path) as database:
        await asyncio.gather(*(database.create([notes]) for _ in range(3)))
        await database.write(lambda connection: connection.execute(insert(notes), {"text": "kept"}).rowcount)
        await database.create([notes])
        assert await database.read(lambda connection: connection.execute(select(notes.c.text)).scalar()) == "kept"


async def test_a_newer_agent_is_refused(url: str, tmp_path: Path) -> None:
    async with await Database.open(url, tmp_path) as database:
        await upgrade(database, "pages")
        change = text(f"UPDATE {PAGES.version_table} SET version_num = '9999'")
        await database.write(lambda c: c.execute(change).rowcount)
        with pytest.raises(Misconfigured, match="9999"):
            await upgrade(database, "pages")


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

    def broken(connection: Connection, schema: Schema) -> None:
        upgrade(connection, schema)
        raise RuntimeError("half-way")

    monkeypatch.setattr(migrate, "_upgrade", broken)
    with pytest.raises(RuntimeError, match="half-way"):
        await Database.open(url, tmp_path)
    monkeypatch.undo()
    async with await Database.open(url, tmp_path) as database:
        assert await database.read(lambda c: c.execute(text("SELECT count(*) FROM runs")).scalar()) == 0


def test_the_copy_that_other_tests_use_is_what_the_migrations_make(tmp_path: Path) -> None:
    upgrade, upgraded, seen = migrate._upgrade, [], []

    def counted(connection: Connection, schema: Schema) -> None:
        upgraded.append(connection)
        upgrade(connection, schema)

    bring_up_to_date = MigratedOnce(counted)
    for name in ("made.db", "copied.db"):
        engine = create_engine(f"sqlite:///{tmp_path / name}")
        with engine.begin() as connection:
            for schema in SCHEMAS:
                bring_up_to_date(connection, schema)
        with engine.connect() as connection:
            tables = connection.execute(text("SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY name")).all()
            seen.append((tables, connection.execute(text("SELECT version_num FROM alembic_version")).all()))
        engine.dispose()
    assert len(upgraded) == len(SCHEMAS)
    assert seen[0] == seen[1]
    assert len(seen[0][0]) > 20


async def test_promises_of_an_older_schema_keep_their_state(url: str, tmp_path: Path) -> None:
    """A promise that was withdrawn as a whole is withdrawn check by check, with its reason; the others count."""

    def at(revision: str, connection: Connection) -> None:
        config = Config()
        config.set_main_option("script_location", str(Path(migrate.__file__).parent / "migrations"))
        config.set_main_option("path_separator", "newline")
        config.set_main_option("version_locations", str(PAGES.folder))
        config.attributes.update(connection=connection, version_table=PAGES.version_table)
        (command.downgrade if revision == "0010" else command.upgrade)(config, revision)

    async with await Database.open(url, tmp_path) as database:
        await upgrade(database, "pages")
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
