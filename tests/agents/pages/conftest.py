"""Fixtures of the pages agent's tests."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from loopwright.app.stores import Stores
from loopwright.stores.database import Database
from loopwright.stores.graph.embedded import EmbeddedGraph
from tests.agents.pages.studio import SESSION, Studio


@pytest.fixture
async def studio(tmp_path: Path) -> AsyncIterator[Studio]:
    """An empty session on a database of its own."""
    async with await Database.open(None, tmp_path / "home") as database:
        stores = Stores.of(database, EmbeddedGraph(tmp_path / "home" / "graph.db"))
        folder = tmp_path / SESSION
        folder.mkdir()
        await stores.sessions.create(agent="pages", session_id=SESSION, output_dir=str(folder))
        yield Studio(stores, folder)
