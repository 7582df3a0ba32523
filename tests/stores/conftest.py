"""The same cases on both databases: a file of its own, or a schema of its own, for every test."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from sqlalchemy import Connection, event

from loopwright.stores.database import Database
from loopwright.stores.journal import SqlJournal
from loopwright.stores.runs import SqlRuns
from loopwright.stores.sessions import SqlSessions
from tests.support.schemas import own_schema
from tests.support.stores import upgrade

POSTGRES = pytest.param("postgres", marks=pytest.mark.postgres)


@pytest.fixture(params=["sqlite", POSTGRES])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of an empty database, dropped afterwards."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'home' / 'loopwright.db'}"
        return
    with own_schema(request.getfixturevalue("postgres_url")) as url:
        yield url


@pytest.fixture
async def database(url: str, tmp_path: Path) -> AsyncIterator[Database]:
    async with await Database.open(url, tmp_path) as opened:
        await upgrade(opened)
        yield opened


@pytest.fixture
def journal(database: Database) -> SqlJournal:
    return SqlJournal(database)


@pytest.fixture
def runs(database: Database) -> SqlRuns:
    return SqlRuns(database)


@pytest.fixture
def sessions(database: Database) -> SqlSessions:
    return SqlSessions(database)


@pytest.fixture
def commits(database: Database) -> list[Connection]:
    """Grows by one with every commit of the writer."""
    seen: list[Connection] = []
    event.listen(database._writing, "commit", seen.append)
    return seen
