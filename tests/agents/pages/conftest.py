"""Fixtures of the pages agent's tests."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from loopwright.stores.database import Database
from tests.agents.pages.studio import SESSION, Studio
from tests.support.stores import pages_on


@pytest.fixture
async def studio(tmp_path: Path) -> AsyncIterator[Studio]:
    """An empty session on a database of its own."""
    async with await Database.open(None, tmp_path / "home") as database:
        stores = await pages_on(database)
        folder = tmp_path / SESSION
        folder.mkdir()
        await stores.sessions.create(agent="pages", session_id=SESSION, output_dir=str(folder))
        yield Studio(stores, folder)
