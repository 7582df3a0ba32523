"""Opening: where the state lives, what is refused, and what many processes may do at once."""

import asyncio
import sys
from pathlib import Path

import pytest
from sqlalchemy import Connection, text

from loopwright.kernel.errors import Misconfigured
from loopwright.stores.database import Database
from loopwright.stores.engines import database_url
from loopwright.stores.runs import SqlRuns
from tests.stores.play import queued


@pytest.mark.parametrize(
    "given",
    ["postgres://u:p@h/d", "postgresql://u:p@h/d", "postgresql+psycopg://u:p@h/d", "postgresql+asyncpg://u:p@h/d"],
)
def test_every_form_of_a_postgresql_url_is_taken(given: str, tmp_path: Path) -> None:
    url = database_url(given, tmp_path)
    assert url.render_as_string(hide_password=False) == "postgresql+psycopg://u:p@h/d"


@pytest.mark.parametrize("given", [None, ""])
def test_the_default_is_a_file_at_home(given: str | None, tmp_path: Path) -> None:
    assert database_url(given, tmp_path).database == str(tmp_path / "loopwright.db")


@pytest.mark.parametrize("given", ["mysql://u:secret@h/d", "sqlite://", "sqlite:///:memory:", "secret no url"])
async def test_other_urls_are_refused_without_telling_their_password(given: str, tmp_path: Path) -> None:
    with pytest.raises(Misconfigured) as caught:
        await Database.open(given, tmp_path)
    assert "secret" not in caught.value.message + caught.value.hint
    assert "postgresql://" in caught.value.hint or "memory" in caught.value.message


async def test_an_unreachable_server_is_told_without_its_password(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured) as caught:
        await Database.open("postgresql://u:secret@127.0.0.1:1/d", tmp_path)
    assert "127.0.0.1" in caught.value.message
    assert "secret" not in caught.value.message


async def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    tmp_path.joinpath("file").write_text("not a folder")
    with pytest.raises(Misconfigured, match="folder"):
        await Database.open(None, tmp_path / "file" / "home")


async def test_a_file_that_is_no_database_is_told(tmp_path: Path) -> None:
    tmp_path.joinpath("loopwright.db").write_text("This is a diary, not a database. " * 100)
    with pytest.raises(Misconfigured, match="not a database"):
        await Database.open(None, tmp_path)


async def test_sqlite_is_set_up_for_many_processes_on_every_connection(tmp_path: Path) -> None:
    def settings(connection: Connection) -> list[object]:
        names = ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
        return [connection.execute(text(f"PRAGMA {name}")).scalar() for name in names]

    async with await Database.open(None, tmp_path / "new" / "home") as database:
        for seen in (await database.read(settings), await database.write(settings)):
            assert seen == ["wal", 1, 1, 60_000]
    assert tmp_path.joinpath("new", "home", "loopwright.db").is_file()


async def test_a_reader_sees_one_state(database: Database) -> None:
    runs = SqlRuns(database)

    def count(connection: Connection) -> int:
        return connection.execute(text("SELECT count(*) FROM runs")).scalar_one()

    await queued(runs)
    with database._reading.connect() as connection:
        assert count(connection) == 1
        await queued(runs)
        assert count(connection) == 1
    assert await database.read(count) == 2


OPEN = """
import asyncio, sys
from pathlib import Path
from loopwright.kernel.events import RunCreated
from loopwright.stores.database import Database
from loopwright.stores.runs import SqlRuns

async def main():
    async with await Database.open(sys.argv[1], Path()) as database:
        runs = SqlRuns(database)
        for _ in range(5):
            await runs.create("s", "a", "m", [RunCreated(session_id="s", agent="a")])

asyncio.run(main())
"""


async def test_processes_that_start_at_once_all_find_the_schema(url: str, tmp_path: Path) -> None:
    tmp_path.joinpath("home").mkdir(exist_ok=True)
    command = (sys.executable, "-W", "error", "-c", OPEN, url)
    starts = [await asyncio.create_subprocess_exec(*command, stderr=asyncio.subprocess.PIPE) for _ in range(4)]
    for start in starts:
        async with asyncio.timeout(60):
            _, errors = await start.communicate()
        assert start.returncode == 0, errors.decode()
    async with await Database.open(url, tmp_path) as database:
        assert len(await SqlRuns(database).find()) == 20
