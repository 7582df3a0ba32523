"""What the tests of whole commands share."""

from collections.abc import Iterator

import pytest

from tests.support.schemas import own_schema


@pytest.fixture
def schema(postgres_url: str) -> Iterator[str]:
    """The URL of an empty schema, dropped afterwards."""
    with own_schema(postgres_url) as url:
        yield url
