"""What the tests of whole commands share."""

import uuid
from collections.abc import Iterator
from urllib.parse import quote

import pytest
from sqlalchemy import create_engine, text


@pytest.fixture
def schema(postgres_url: str) -> Iterator[str]:
    """The URL of an empty schema, dropped afterwards."""
    name = f"test_{uuid.uuid4().hex}"
    engine = create_engine(postgres_url)
    with engine.begin() as connection:
        connection.execute(text(f"CREATE SCHEMA {name}"))
    yield f"{postgres_url}{'&' if '?' in postgres_url else '?'}options={quote(f'-csearch_path={name}')}"
    with engine.begin() as connection:
        connection.execute(text(f"DROP SCHEMA {name} CASCADE"))
    engine.dispose()
