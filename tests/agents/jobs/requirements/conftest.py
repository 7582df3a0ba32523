"""A bench for each test."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.agents.jobs.requirements.bench import Bench, opened_bench


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Bench]:
    async with opened_bench(tmp_path) as opened:
        yield opened
