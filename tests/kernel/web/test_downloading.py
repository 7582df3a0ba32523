"""A large file comes piece by piece, is taken up where it broke off, and is used only if it is the expected one."""

import asyncio
import hashlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.web import fetching
from loopwright.kernel.web.fetching import Expected, download

DATA = bytes(range(256)) * 4_000


@dataclass
class FileServer:
    """Serves one file; `breaks` says after how many bytes each answer ends too early."""

    data: bytes = DATA
    ranges: bool = True
    breaks: list[int] = field(default_factory=list)
    redirect: str = ""
    asked: list[str] = field(default_factory=list)
    port: int = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        found = next((line for line in head.split("\r\n") if line.lower().startswith("range:")), "")
        self.asked.append(found.partition("=")[2].removesuffix("-"))
        if self.redirect:
            writer.write(f"HTTP/1.1 302 Found\r\nLocation: {self.redirect}\r\nContent-Length: 0\r\n\r\n".encode())
        else:
            start = int(self.asked[-1] or 0) if self.ranges else 0
            told = f"Content-Range: bytes {start}-{len(self.data) - 1}/{len(self.data)}\r\n" if start else ""
            rest = self.data[start:]
            writer.write(f"HTTP/1.1 {206 if start else 200} OK\r\n{told}Content-Length: {len(rest)}\r\n\r\n".encode())
            writer.write(rest[: self.breaks.pop(0)] if self.breaks else rest)
        await writer.drain()
        writer.close()


@pytest.fixture
async def server(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[FileServer]:
    monkeypatch.setattr(fetching, "WAIT_SECONDS", 0.0)
    made = FileServer()
    async with await asyncio.start_server(made.serve, "127.0.0.1", 0) as listening:
        made.port = listening.sockets[0].getsockname()[1]
        yield made


def expected(server: FileServer, **other: object) -> Expected:
    url = f"http://127.0.0.1:{server.port}/weights.gguf"
    return Expected(**{"url": url, "size": len(DATA), "sha256": hashlib.sha256(DATA).hexdigest(), **other})  # type: ignore[arg-type]


async def got(server: FileServer, file: Path, **other: object) -> list[int]:
    told: list[int] = []
    await download(expected(server, **other), file, lambda address: True, told.append)
    return told


async def test_it_comes_whole(server, tmp_path):
    told = await got(server, tmp_path / "w.gguf")
    assert (tmp_path / "w.gguf").read_bytes() == DATA
    assert told == sorted(told)
    assert told[-1] == len(DATA)
    assert [path.name for path in tmp_path.iterdir()] == ["w.gguf"]


async def test_what_broke_off_is_taken_up(server, tmp_path):
    server.breaks = [100_000, 200_000]
    await got(server, tmp_path / "w.gguf")
    assert (tmp_path / "w.gguf").read_bytes() == DATA
    assert server.asked == ["", "100000", "300000"]


async def test_what_an_earlier_try_left_is_taken_up(server, tmp_path):
    (tmp_path / "w.gguf.part").write_bytes(DATA[:5_000])
    await got(server, tmp_path / "w.gguf")
    assert server.asked == ["5000"]
    assert (tmp_path / "w.gguf").read_bytes() == DATA


async def test_a_host_that_knows_no_ranges_begins_anew(server, tmp_path):
    server.ranges = False
    (tmp_path / "w.gguf.part").write_bytes(b"x" * 5_000)
    await got(server, tmp_path / "w.gguf")
    assert (tmp_path / "w.gguf").read_bytes() == DATA


async def test_another_file_is_deleted(server, tmp_path):
    with pytest.raises(InvalidInput, match="not the file that was expected"):
        await got(server, tmp_path / "w.gguf", sha256="0" * 64)
    assert list(tmp_path.iterdir()) == []


async def test_more_than_expected_is_not_read(server, tmp_path):
    with pytest.raises(InvalidInput, match="more than the 1,000 bytes"):
        await got(server, tmp_path / "w.gguf", size=1_000)
    assert not (tmp_path / "w.gguf").exists()


async def test_a_host_that_never_answers_is_given_up_and_what_came_is_kept(server, tmp_path):
    server.breaks = [7_000, *[0] * 20]
    with pytest.raises(InvalidInput, match="could not be had"):
        await got(server, tmp_path / "w.gguf")
    assert (tmp_path / "w.gguf.part").read_bytes() == DATA[:7_000]


async def test_a_redirect_is_judged_where_it_leads(server, tmp_path):
    server.redirect = "http://10.0.0.7/weights.gguf"
    with pytest.raises(InvalidInput, match="not a public host"):
        await download(
            expected(server), tmp_path / "w.gguf", lambda address: address.startswith("127."), lambda have: None
        )


async def test_a_disk_that_is_too_small_is_said_before(server, tmp_path):
    with pytest.raises(InvalidInput, match="bytes free"):
        await got(server, tmp_path / "w.gguf", size=10**18)
    assert server.asked == []
