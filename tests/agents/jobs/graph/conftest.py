"""An embedded graph of the test's own."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from loopwright.agents.jobs.store.graph import EmbeddedGraph


@pytest.fixture
async def graph(tmp_path: Path) -> AsyncIterator[EmbeddedGraph]:
    opened = EmbeddedGraph(tmp_path / "graph.db", query_seconds=60)
    yield opened
    await opened.close()
