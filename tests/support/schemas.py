"""A schema of a test's own on the PostgreSQL server of the tests."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from sqlalchemy import create_engine, text

from loopwright.stores.engines import database_url


@contextmanager
def own_schema(server: str) -> Iterator[str]:
    """The URL of an empty schema, dropped afterwards."""
    name = f"test_{uuid.uuid4().hex}"
    engine = create_engine(database_url(server, Path()))
    with engine.begin() as connection:
        connection.execute(text(f"CREATE SCHEMA {name}"))
    yield f"{server}{'&' if '?' in server else '?'}options={quote(f'-csearch_path={name}')}"
    with engine.begin() as connection:
        connection.execute(text(f"DROP SCHEMA {name} CASCADE"))
    engine.dispose()
