"""From what a user writes in `DATABASE_URL` to what the drivers need."""

from pathlib import Path

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from loopwright.kernel.errors import Misconfigured

_HINT = "Use sqlite:///path/to/file.db or postgresql://user:password@host/name, or leave it out for a file at home."


def database_url(given: str | None, home: Path) -> URL:
    """The URL without an async driver; without one given, the SQLite file in the home folder.

    Args:
        given: as in `DATABASE_URL`; the forms `postgres://`, `postgresql://` and `postgresql+psycopg://` are the same.
        home: the folder of `loopwright.db`.

    Raises:
        Misconfigured: the text is no URL, names another kind of database, or a database in memory.
    """
    if not given:
        return URL.create("sqlite", database=str(home / "loopwright.db"))
    text = "postgresql" + given[len("postgres") :] if given.startswith("postgres://") else given
    try:
        url = make_url(text)
    except ArgumentError as error:
        # The text may hold a password, so it is not repeated here.
        raise Misconfigured("DATABASE_URL is not a URL.", hint=_HINT) from error
    kind = url.get_backend_name()
    if kind == "postgresql":
        return url.set(drivername="postgresql+psycopg")
    if kind != "sqlite":
        raise Misconfigured(f"DATABASE_URL names {kind}, but the state is kept in SQLite or PostgreSQL.", hint=_HINT)
    if not url.database or url.database == ":memory:":
        raise Misconfigured("A database in memory would lose every run at the first crash.", hint=_HINT)
    return url.set(drivername="sqlite")
