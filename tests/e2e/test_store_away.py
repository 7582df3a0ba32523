"""The store is away, or was never there: 503 with a time to come back, and one clear line at the start."""

import asyncio
import os
import shutil
import sqlite3
import subprocess
from pathlib import Path

import httpx
import pytest

from tests.support.commands import Installation
from tests.support.service import served


async def status_and_wait(client: httpx.AsyncClient, path: str) -> tuple[int, int]:
    response = await client.get(path)
    return response.status_code, int(response.headers.get("Retry-After", 0))


async def test_a_locked_file(tmp_path: Path) -> None:
    """Another program holds SQLite's file for itself; health says so soon, and again when it is free."""
    async with served(Installation(tmp_path)) as service:
        holder = sqlite3.connect(tmp_path / "home" / "loopwright.db", timeout=10, isolation_level=None)
        holder.execute("PRAGMA locking_mode = exclusive")
        try:
            for _ in range(100):
                try:
                    holder.execute("PRAGMA journal_mode = delete")
                    break
                except sqlite3.OperationalError:
                    await asyncio.sleep(0.1)
            holder.execute("BEGIN EXCLUSIVE")
            status, seconds = await status_and_wait(service.client, "/healthz")
        finally:
            holder.close()
        assert status == 503
        assert seconds > 0


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
