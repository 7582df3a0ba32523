"""A bench on each database."""

import pytest

from loopwright.stores.database import Database
from tests.stores.requirements.bench import Bench


@pytest.fixture
async def bench(database: Database) -> Bench:
    return await Bench(database).open()
