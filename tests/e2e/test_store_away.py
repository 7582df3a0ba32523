"""The store is away, or was never there: 503 with a time to come back, and one clear line at the start."""

import asyncio
import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx
import pytest
from sqlalchemy import make_url

from tests.support.commands import Installation
from tests.support.service import free_port, served


async def status_and_wait(client: httpx.AsyncClient, path: str) -> tuple[int, int]:
    response = await client.get(path)
    return response.status_code, int(response.headers.get("Retry-After", 0))


@contextmanager
def locked(database: Path) -> Iterator[None]:
    """Hold every lock that SQLite's readers and writers need, as a program that hangs would."""
    with open(f"{database}-shm", "r+b") as shared:
        while True:
            try:
                fcntl.lockf(shared, fcntl.LOCK_EX | fcntl.LOCK_NB, 8, 120)
                break
            except OSError:
                time.sleep(0.01)
        yield


async def test_a_locked_file(tmp_path: Path) -> None:
    """Another program holds SQLite's file for itself; health says so soon, and again when it is free."""
    async with served(Installation(tmp_path)) as service:
        with locked(tmp_path / "home" / "loopwright.db"):
            status, seconds = await asyncio.wait_for(status_and_wait(service.client, "/healthz"), 15)
            assert status == 503
            assert seconds > 0
        await until_healthy(service.client)


async def until_healthy(client: httpx.AsyncClient) -> None:
    async with asyncio.timeout(60):
        while (await client.get("/healthz")).status_code != 200:  # noqa: ASYNC110 - another process
            await asyncio.sleep(0.2)


class Wire:
    """A connection to a database that can be cut."""

    def __init__(self, host: str, port: int) -> None:
        self.target = (host, port)
        self.port = free_port()
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.StreamWriter] = set()
        self._carrying: set[asyncio.Task[None] | None] = set()

    async def join(self) -> None:
        self._server = await asyncio.start_server(self._carry, "127.0.0.1", self.port)

    async def cut(self) -> None:
        assert self._server is not None
        self._server.close()
        for writer in self._open:
            writer.transport.abort()
        self._open.clear()

    async def end(self) -> None:
        """Cut it for good, and wait until nothing of it is left."""
        await self.cut()
        carrying = [each for each in self._carrying if each is not None]
        await asyncio.gather(*carrying, return_exceptions=True)
        await asyncio.sleep(0)  # what was aborted is let go of in the loop's next turn

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._carrying.add(asyncio.current_task())
        try:
            far_reader, far_writer = await asyncio.open_connection(*self.target)
        except BaseException:
            writer.transport.abort()
            raise
        self._open |= {writer, far_writer}

        async def copy(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
            with suppress(OSError):
                while data := await source.read(65_536):
                    target.write(data)
            target.transport.abort()

        try:
            await asyncio.gather(copy(reader, far_writer), copy(far_reader, writer))
        finally:
            writer.transport.abort()
            far_writer.transport.abort()


@pytest.mark.postgres
async def test_postgresql_goes_and_comes_back(tmp_path: Path, schema: str) -> None:
    """Every route says so at once while it is away, and works when it is there again."""
    url = make_url(schema)
    wire = Wire(url.host or "127.0.0.1", url.port or 5432)
    await wire.join()
    through = url.set(host="127.0.0.1", port=wire.port).render_as_string(hide_password=False)
    async with served(Installation(tmp_path), DATABASE_URL=through) as service:
        await wire.cut()
        for path in ("/healthz", "/api/runs", "/api/sessions/x", "/api/runs/x/events", "/api/gates", "/api/plans"):
            status, seconds = await asyncio.wait_for(status_and_wait(service.client, path), 15)
            assert (path, status) == (path, 503)
            assert seconds > 0
        created = await service.client.post("/api/runs", json={"message": "a coffee shop app"})
        assert created.status_code == 503, created.text
        await wire.join()
        await until_healthy(service.client)
        assert (await service.client.get("/api/runs")).status_code == 200
    await wire.end()


@pytest.mark.parametrize("command", [["serve", "--port", "0"], ["runs", "list"]])
def test_a_home_that_is_a_file(tmp_path: Path, command: list[str]) -> None:
    """One line says what is wrong, another what to do; no traceback."""
    (tmp_path / "home").write_text("not a folder")
    done = Installation(tmp_path).run(*command)
    assert done.code == 2, done.err
    assert "Traceback" not in done.err + done.out
    errors = [line for line in done.err.splitlines() if line.startswith("error:")]
    assert len(errors) == 1
    assert str(tmp_path / "home") in errors[0]
    assert "LOOPWRIGHT_HOME" in done.err


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_home_that_cannot_be_made(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        done = Installation(tmp_path).run("runs", "list")
    finally:
        tmp_path.chmod(0o700)
    assert done.code == 2
    assert "Traceback" not in done.err


def test_a_database_that_is_no_database(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "loopwright.db").write_bytes(b"\x7fELF" * 1_000)
    done = Installation(tmp_path).run("serve", "--port", "0")
    assert done.code == 2, done.err
    assert "Traceback" not in done.err + done.out
