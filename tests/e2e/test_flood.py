"""Many bad clients at once against the real server with 1,024 descriptors: it answers, logs little, and recovers."""

import asyncio
import resource
import subprocess
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest

from tests.support.commands import COMMAND, Installation
from tests.support.service import free_port

DESCRIPTORS = 1_024
HALF_OPEN, SLOW, LARGE = 1_000, 100, 6
MOST_LOG = 1_000_000
PROMPT_SECONDS = 3.0
"""What a health check may take meanwhile, on a machine that is busy with the clients too."""

HEAD = b"POST /api/chat HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"


@asynccontextmanager
async def flooded_server(
    folder: Path, descriptors: int = DESCRIPTORS, **settings: str
) -> AsyncIterator[tuple[int, Path]]:
    """A real server whose log goes to a file; gives its port and the file."""
    port, log = free_port(), folder / "server.log"
    place = Installation(folder)

    def fewer_descriptors() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors))

    with log.open("wb") as sink:
        process = subprocess.Popen(  # noqa: ASYNC220 - it only starts here
            [*COMMAND, "serve", "--port", str(port)],
            env=place.environment(**settings),
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=sink,
            stderr=subprocess.STDOUT,
            preexec_fn=fewer_descriptors,
        )
    try:
        await until_healthy(port)
        yield port, log
    finally:
        process.terminate()
        await asyncio.to_thread(process.wait, 20)


async def until_healthy(port: int) -> None:
    async with asyncio.timeout(60):
        while True:
            try:
                await health(port)
                return
            except (httpx.TransportError, AssertionError):
                await asyncio.sleep(0.1)


async def health(port: int) -> float:
    """The seconds that a health check takes on a connection of its own."""
    began = time.monotonic()
    async with httpx.AsyncClient(timeout=PROMPT_SECONDS) as client:
        response = await client.get(f"http://127.0.0.1:{port}/healthz")
    assert response.status_code == 200, response.text
    return time.monotonic() - began


@pytest.fixture
def many_descriptors() -> AsyncIterator[None]:
    """The clients' ends need descriptors in this process."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < 4_096:
        pytest.skip("this process may not open enough connections")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 4_096), hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


async def opened(port: int, data: bytes) -> asyncio.StreamWriter | None:
    """A connection that has sent so much and no more, unless the server would not have it."""
    try:
        _, writer = await asyncio.wait_for(asyncio.open_connection("127.0.0.1", port), 10)
        writer.write(data)
    except (OSError, TimeoutError):
        return None
    return writer


async def large_body(port: int) -> bytes:
    """The status line after a chunked body of 60 MB, as far as the server lets it come."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(HEAD + b"Transfer-Encoding: chunked\r\n\r\n")
    chunk = b"100000\r\n" + b"x" * 0x100000 + b"\r\n"
    try:
        for _ in range(60):
            writer.write(chunk)
            await writer.drain()
        writer.write(b"0\r\n\r\n")
        return await asyncio.wait_for(reader.readline(), 20)
    except (OSError, TimeoutError):
        return b"closed"
    finally:
        writer.transport.abort()


@pytest.mark.usefixtures("many_descriptors")
@pytest.mark.parametrize("token", ["", "s3cret"])
async def test_a_flood_of_bad_clients(tmp_path: Path, token: str) -> None:
    """Half-open connections, slow bodies and bodies that are too large, all together; health is asked for meanwhile."""
    async with flooded_server(tmp_path, LOOPWRIGHT_TOKEN=token) as (port, log):
        times: list[float] = []
        over = asyncio.Event()

        async def ask() -> None:
            while not over.is_set():
                times.append(await health(port))
                await asyncio.sleep(0.2)

        asking = asyncio.create_task(ask())
        half = await asyncio.gather(*(opened(port, b"GET /healthz HTTP/1.1\r\nHost: a") for _ in range(HALF_OPEN)))
        silent = await asyncio.gather(*(opened(port, b"") for _ in range(SLOW)))
        slow = await asyncio.gather(*(opened(port, HEAD + b"Content-Length: 40000000\r\n\r\n{") for _ in range(SLOW)))
        statuses = await asyncio.gather(*(large_body(port) for _ in range(LARGE)))
        for _ in range(5):
            for writer in filter(None, slow):
                if not writer.is_closing():
                    writer.write(b" ")
            await asyncio.sleep(1)
        over.set()
        await asking
        assert len(times) > 5
        assert max(times) < PROMPT_SECONDS
        expected = b"401" if token else b"413"
        assert {status.split(b" ")[1] if b" " in status else status for status in statuses} <= {expected, b"closed"}
        for writer in filter(None, [*half, *silent, *slow]):
            writer.transport.abort()
        assert await health(port) < 1
        async with httpx.AsyncClient(
            base_url=f"http://127.0.0.1:{port}", headers={"Authorization": f"Bearer {token or None}"}
        ) as client:
            assert (await client.get("/api/runs")).json() == {"runs": []}
        assert log.stat().st_size < MOST_LOG


@pytest.mark.usefixtures("many_descriptors")
async def test_without_descriptors_it_waits_and_says_so_once(tmp_path: Path) -> None:
    """More connections come at once than the process has descriptors for, again and again."""
    async with flooded_server(tmp_path, descriptors=80) as (port, log):
        for _ in range(5):
            clients = await asyncio.gather(*(opened(port, b"GET /healthz HTTP/1.1\r\n") for _ in range(400)))
            await asyncio.sleep(0.5)
            for writer in filter(None, clients):
                writer.transport.abort()
        await until_healthy(port)
        assert await health(port) < 1
        text = log.read_text()
        assert len(text) < 50_000
        assert "Traceback" not in text
        assert "No connection can be accepted" in text


async def ended(port: int, data: bytes, pieces: bytes = b"") -> tuple[float, bytes]:
    """After how many seconds the server ends a connection that has sent so much, and what it says."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    began = time.monotonic()
    writer.write(data)
    reading = asyncio.create_task(reader.read())
    while not reading.done():
        await asyncio.wait([reading], timeout=0.5)
        if pieces and not writer.is_closing():
            writer.write(pieces)
    writer.close()
    try:
        said = reading.result()
    except ConnectionError:
        said = b""
    return time.monotonic() - began, said


async def test_slow_clients_are_ended(tmp_path: Path) -> None:
    """Who sends no request, half of one, byte after byte, or a body like that, does not stay."""
    async with flooded_server(tmp_path) as (port, _):
        silent, half, drip, body = await asyncio.wait_for(
            asyncio.gather(
                ended(port, b""),
                ended(port, b"GET /healthz HTTP/1.1\r\nHost: "),
                ended(port, b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n", b"a: b\r\n"),
                ended(port, HEAD + b"Content-Length: 1000000\r\n\r\n", b" "),
            ),
            60,
        )
        for seconds, _ in (silent, half, drip):
            assert 5 < seconds < 15
        assert 10 < body[0] < 40
        assert all(said.startswith(b"HTTP/1.1 408") for _, said in (half, drip, body)), (half, drip, body)
        assert await health(port) < 1
        assert (await large_body(port)).startswith(b"HTTP/1.1 413")
