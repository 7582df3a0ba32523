"""Connections of a real server in this process: who gives way, who is refused, and who does not read."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from fastapi import FastAPI
from starlette.responses import StreamingResponse

from loopwright.server.serve import Census, EdgeConfig, EdgeServer, Limits, client_key

LIMITS = Limits(connections=8, per_client=4, head_seconds=2.0, body_seconds=2.0, linger_seconds=0.5, stall_seconds=1.5)
GET = b"GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n"


class App:
    """An app with an answer, an endless stream, and one that waits."""

    def __init__(self) -> None:
        self.api = FastAPI()
        self.streams_open = 0
        self.chunks = 0
        self.api.get("/")(self.hello)
        self.api.get("/endless")(self.endless)
        self.api.get("/wait")(self.wait)
        self.waiting = asyncio.Event()

    async def hello(self) -> str:
        return "hello"

    async def wait(self) -> str:
        await self.waiting.wait()
        return "waited"

    async def endless(self) -> StreamingResponse:
        async def frames() -> AsyncIterator[bytes]:
            self.streams_open += 1
            try:
                while True:
                    self.chunks += 1
                    yield b"x" * 10_000
                    await asyncio.sleep(0)
            finally:
                self.streams_open -= 1

        return StreamingResponse(frames())


@asynccontextmanager
async def running(app: App, limits: Limits = LIMITS) -> AsyncIterator[int]:
    """The server in this event loop; gives its port."""
    config = EdgeConfig(app.api, Census(limits), host="127.0.0.1", port=0, lifespan="off", log_level="critical")
    server = EdgeServer(config, app.api)
    server.install_signal_handlers = lambda: None  # type: ignore[attr-defined]
    handler = asyncio.get_running_loop().get_exception_handler()
    task = asyncio.create_task(server._serve())
    while not server.started:  # noqa: ASYNC110 - uvicorn has no event for it
        await asyncio.sleep(0.01)
    try:
        yield int(server.servers[0].sockets[0].getsockname()[1])
    finally:
        app.waiting.set()
        server.should_exit = True
        await task
        asyncio.get_running_loop().set_exception_handler(handler)


@pytest.fixture(autouse=True)
async def connections() -> AsyncIterator[None]:
    """Whatever a test has opened is closed."""
    yield
    for writer in opened:
        writer.transport.abort()
    opened.clear()
    await asyncio.sleep(0.05)


opened: list[asyncio.StreamWriter] = []


async def connect(
    port: int, data: bytes, client: str = "127.0.0.1"
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A connection from one of this machine's many loopback addresses."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(client, 0))
    opened.append(writer)
    writer.write(data)
    await asyncio.sleep(0.05)
    return reader, writer


async def first_line(reader: asyncio.StreamReader) -> bytes:
    """The status line, or nothing if the connection was ended."""
    try:
        return await asyncio.wait_for(reader.readline(), 5)
    except ConnectionError:
        return b""


async def test_the_oldest_that_waits_gives_way() -> None:
    async with running(App()) as port:
        half = [await connect(port, b"GET / HTTP/1.1\r\n") for _ in range(4)]
        reader, _ = await connect(port, GET % b"/")
        assert (await first_line(reader)).startswith(b"HTTP/1.1 200")
        assert await first_line(half[0][0]) == b""
        half[1][1].write(b"Host: localhost\r\n\r\n")
        assert (await first_line(half[1][0])).startswith(b"HTTP/1.1 200"), "the others were left alone"


async def test_what_is_served_does_not_give_way() -> None:
    """A client that has all its places in use is told to come back, and the others are served."""
    app = App()
    async with running(app) as port:
        busy = [await connect(port, GET % b"/wait") for _ in range(4)]
        reader, _ = await connect(port, GET % b"/")
        assert (await first_line(reader)).startswith(b"HTTP/1.1 503")
        assert b"Retry-After" in await reader.read()
        other, _ = await connect(port, GET % b"/", client="127.0.0.2")
        assert (await first_line(other)).startswith(b"HTTP/1.1 200")
        app.waiting.set()
        for reader, _ in busy:
            assert (await first_line(reader)).startswith(b"HTTP/1.1 200")


async def test_one_client_takes_nothing_from_another() -> None:
    """Where all places are taken, the client with the most waiting connections loses one."""
    async with running(App()) as port:
        calm = await connect(port, b"GET / HTTP/1.1\r\n", client="127.0.0.2")
        many = [await connect(port, b"GET / HTTP/1.1\r\n", client=f"127.0.0.{n}") for n in (3, 3, 3, 3, 4, 4, 4)]
        for n in range(5, 9):
            reader, _ = await connect(port, GET % b"/", client=f"127.0.0.{n}")
            assert (await first_line(reader)).startswith(b"HTTP/1.1 200")
        calm[1].write(b"Host: localhost\r\n\r\n")
        assert (await first_line(calm[0])).startswith(b"HTTP/1.1 200")
        assert await first_line(many[0][0]) == b""


async def test_who_never_reads_is_ended() -> None:
    """The stream ends, and what was not taken is not kept for it."""
    app = App()
    async with running(app) as port:
        _, writer = await connect(port, GET % b"/endless")
        writer.transport.pause_reading()
        async with asyncio.timeout(20):
            while not app.streams_open:  # noqa: ASYNC110
                await asyncio.sleep(0.05)
            while app.streams_open:  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        kept = app.chunks
        await asyncio.sleep(0.3)
        assert app.chunks == kept
        writer.transport.abort()


async def test_who_reads_slowly_may_go_on() -> None:
    """A slow line is no attack: what is taken counts."""
    app = App()
    async with running(app) as port:
        reader, writer = await connect(port, GET % b"/endless")
        async with asyncio.timeout(20):
            for _ in range(40):
                assert await reader.readexactly(60_000)
                await asyncio.sleep(0.1)
        assert app.streams_open == 1
        writer.transport.abort()


async def test_an_answer_to_half_a_body_can_be_read() -> None:
    """The rest of the body is read and dropped for a moment, then the connection ends."""
    async with running(App()) as port:
        head = b"POST /nowhere HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000000\r\n\r\n"
        reader, writer = await connect(port, head + b"x" * 1_000_000)
        assert (await first_line(reader)).startswith(b"HTTP/1.1 404")
        await asyncio.wait_for(reader.read(), 5)
        writer.close()


async def test_many_requests_on_one_connection() -> None:
    """Also when they come together, and with bodies."""
    async with running(App()) as port:
        body = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabc"
        reader, writer = await connect(port, (GET % b"/") + body + (GET % b"/"))
        statuses = []
        while len(statuses) < 3:
            line = await asyncio.wait_for(reader.readline(), 5)
            if line.startswith(b"HTTP/1.1") or b"HTTP/1.1 " in line:
                statuses.append(line[line.index(b"HTTP/1.1") :].split()[1])
        assert statuses == [b"200", b"405", b"200"]
        writer.close()


class Entry:
    """A connection for the census alone."""

    def __init__(self, key: str) -> None:
        self.client_key = key
        self.is_open = False
        self.gave_way = 0

    def give_way(self) -> None:
        self.gave_way += 1
        self.is_open = False

    def check(self, now: float) -> None: ...


@pytest.mark.parametrize("seed", range(20))
def test_the_census_never_counts_wrong(seed: int) -> None:
    """Random arrivals, requests and departures: limits hold, only who waits gives way, nobody is turned away for it."""
    chance = random.Random(seed)
    census, there, busy = Census(Limits(10, 4)), set[Entry](), set[Entry]()
    for _ in range(2_000):
        there = {entry for entry in there if entry.is_open}
        busy &= there
        act = chance.random()
        if act < 0.5 or not there:
            entry = Entry(chance.choice("abcd"))
            own = {each for each in there if each.client_key == entry.client_key}
            entry.is_open = census.admit(entry)
            full = (len(own) >= 4 and own <= busy) or (len(there) >= 10 and there <= busy)
            assert entry.is_open != full
            if entry.is_open:
                there.add(entry)
        else:
            entry = chance.choice(sorted(there, key=id))
            if act < 0.65:
                census.is_served(entry)
                busy.add(entry)
            elif act < 0.8:
                census.waits(entry)
                busy.discard(entry)
            else:
                census.leave(entry)
                entry.is_open = False
        there = {each for each in there if each.is_open}
        assert len(there) <= 10
        assert all(sum(each.client_key == key for each in there) <= 4 for key in "abcd")
        assert not any(each.gave_way for each in busy & there)
    for entry in there:
        census.leave(entry)
    assert not census._open
    assert not census._by_client
    assert not census._waiting


def test_whose_a_connection_is() -> None:
    assert client_key(("192.0.2.7", 5)) == client_key(("::ffff:192.0.2.7", 5, 0, 0)) == "192.0.2.7"
    assert client_key(("2001:db8::1", 5, 0, 0)) == client_key(("2001:db8::2:1", 5, 0, 0))
    assert client_key(("fe80::1%lo", 5, 0, 1)) == "fe80::/64"
    assert client_key("") == "local"
