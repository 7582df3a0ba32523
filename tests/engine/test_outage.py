"""The store is away for a while: what a tool has brought is kept, the run goes on, and no task ends unheard."""

import asyncio
import gc
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, cast
from urllib.parse import urlsplit

import pytest
from sqlalchemy import Connection, create_engine, text

from loopwright.app.answering import claim_for_resume
from loopwright.app.loopwright import Loopwright
from loopwright.app.starting import NewRun, start_run
from loopwright.kernel.errors import StoreUnavailable
from loopwright.kernel.events import Effect
from loopwright.kernel.gates import Finished
from loopwright.kernel.testing.conformance import check_journal
from loopwright.kernel.tools import ToolContext, ToolResult
from loopwright.stores.engines import database_url
from tests.engine.toys import CallingModel, Look, Nothing, toy_application, toy_with
from tests.support.application import journal_of, until
from tests.support.schemas import own_schema

HOLD_LOCK = """
import sqlite3, sys, time
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN IMMEDIATE")
print("held", flush=True)
time.sleep(float(sys.argv[2]))
connection.execute("COMMIT")
"""


@dataclass
class Send(Look):
    """Sends once; what happens right after is the test's."""

    then: Callable[[], Awaitable[None]]
    sent: list[str] = field(default_factory=list)
    name: ClassVar[str] = "send"
    effect: ClassVar[Effect] = "once"

    async def execute(self, params: Nothing, ctx: ToolContext[Any]) -> ToolResult:
        self.sent.append(ctx.call_id)
        if len(self.sent) == 1:
            await self.then()
        return ToolResult(success=True, output="sent")


@pytest.fixture
async def unheard() -> AsyncIterator[list[str]]:
    """What the event loop was told that nobody retrieved: nothing."""
    told: list[str] = []
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda loop, context: told.append(f"{context['message']}: {context.get('exception')}"))
    yield told
    gc.collect()
    await asyncio.sleep(0)
    assert told == []


class Proxy:
    """Stands before a database server, and can drop every connection and refuse new ones."""

    def __init__(self, host: str, port: int) -> None:
        self._target = host, port
        self._writers: set[asyncio.StreamWriter] = set()
        self._away = False
        self._carrying: set[asyncio.Task[None] | None] = set()
        self.port = 0

    @asynccontextmanager
    async def listening(self) -> AsyncIterator["Proxy"]:
        """Accept connections while the context is open."""
        server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        try:
            yield self
        finally:
            server.close()
            self._drop()
            carrying = [each for each in self._carrying if each is not None]
            await asyncio.gather(*carrying, return_exceptions=True)
            await asyncio.sleep(0)  # what was aborted is let go of in the loop's next turn

    async def away_for(self, seconds: float) -> None:
        """Drop all, and come back later; returns at once."""
        self._away = True
        self._drop()
        asyncio.get_running_loop().call_later(seconds, self._back)

    def _back(self) -> None:
        self._away = False

    def _drop(self) -> None:
        for writer in self._writers:
            writer.transport.abort()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._carrying.add(asyncio.current_task())
        self._writers.add(writer)
        if self._away:
            writer.transport.abort()
            return
        there, back = await asyncio.open_connection(*self._target)
        self._writers.add(back)
        await asyncio.gather(_pump(reader, back), _pump(there, writer))


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()
    except OSError:
        return
    finally:
        writer.close()


async def check_went_on(application: Loopwright, run_id: str, tool: Send) -> None:
    """The call ran once, its result is there, and the run is complete."""
    assert len(tool.sent) == 1
    events = await journal_of(application, run_id)
    check_journal(events)
    assert [event.payload["output"] for event in events if event.type == "tool_result"] == ["sent"]
    assert events[-1].type == "run_completed"


async def carried_through(application: Loopwright, tool: Send) -> None:
    run = await start_run(application, NewRun("send", agent="toy"))
    async with asyncio.timeout(100):
        outcome = await application.dispatcher.wait(run.run_id)
    assert isinstance(outcome, Finished)
    await check_went_on(application, run.run_id, tool)


@pytest.fixture
def postgres_server(postgres_url: str) -> Iterator[str]:
    """A schema of its own on the server of the tests."""
    with own_schema(postgres_url) as url:
        yield url


@pytest.mark.postgres
@pytest.mark.parametrize("seconds", [0.2, 4])
async def test_a_postgresql_server_that_is_restarted(
    tmp_path: Path, postgres_server: str, unheard: list[str], seconds: float
) -> None:
    """All connections break with the result in hand, and new ones are refused for a while."""
    parts = urlsplit(postgres_server)
    async with Proxy(parts.hostname or "", parts.port or 5432).listening() as proxy:
        url = postgres_server.replace(f":{parts.port}", f":{proxy.port}")
        tool = Send(lambda: proxy.away_for(seconds))
        async with toy_application(
            tmp_path, CallingModel(looks=1, tool="send"), toy_with(tool), database_url=url
        ) as application:
            await carried_through(application, tool)


@pytest.mark.postgres
async def test_connections_that_the_server_ends(tmp_path: Path, postgres_server: str, unheard: list[str]) -> None:
    """`pg_terminate_backend` on all, with the result in hand."""

    async def terminate() -> None:
        engine = create_engine(database_url(postgres_server, tmp_path))
        ended = text("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'to-be-ended'")
        with engine.connect() as connection:
            assert connection.execute(ended).scalars().all()
        engine.dispose()

    url = f"{postgres_server}&application_name=to-be-ended"
    tool = Send(terminate)
    model = CallingModel(looks=1, tool="send")
    async with toy_application(tmp_path, model, toy_with(tool), database_url=url) as application:
        await carried_through(application, tool)


@pytest.mark.parametrize("seconds", [3.0, pytest.param(20.0, marks=pytest.mark.soak)])
async def test_a_lock_that_another_process_holds(tmp_path: Path, unheard: list[str], seconds: float) -> None:
    """The writer waits for it; the lease is not lost meanwhile, since nobody else can write either."""

    async def lock() -> None:
        program = [sys.executable, "-c", HOLD_LOCK, str(tmp_path / "home" / "loopwright.db"), str(seconds)]
        holder = await asyncio.create_subprocess_exec(*program, stdout=subprocess.PIPE)
        assert holder.stdout is not None
        assert await holder.stdout.readline() == b"held\n"
        holders.append(holder)

    holders: list[asyncio.subprocess.Process] = []
    tool = Send(lock)
    async with toy_application(
        tmp_path, CallingModel(looks=1, tool="send"), toy_with(tool), heartbeat_seconds=0.5
    ) as application:
        await carried_through(application, tool)
    assert await holders[0].wait() == 0


class ReadOnly:
    """A switch that makes SQLite refuse writes, as a file system does that has become read-only."""

    def __init__(self, application: Loopwright) -> None:
        self.on = False
        writer = application.stores.database._writer
        self._connect = writer._connect
        writer._connect = self._connected  # type: ignore[method-assign]

    def _connected(self) -> Connection:
        connection = self._connect()
        driver = cast(sqlite3.Connection, connection.connection.driver_connection)
        driver.execute(f"PRAGMA query_only = {'on' if self.on else 'off'}")
        return connection

    async def for_seconds(self, seconds: float) -> None:
        """Refuse from now on; returns at once."""
        self.on = True
        asyncio.get_running_loop().call_later(seconds, self._back)

    def _back(self) -> None:
        self.on = False


async def test_a_database_that_is_read_only_for_a_moment(tmp_path: Path, unheard: list[str]) -> None:
    switches: list[ReadOnly] = []
    tool = Send(lambda: switches[0].for_seconds(2))
    async with toy_application(tmp_path, CallingModel(looks=1, tool="send"), toy_with(tool)) as application:
        switches.append(ReadOnly(application))
        await carried_through(application, tool)


async def test_an_outage_that_lasts_too_long_ends_the_segment_in_order(tmp_path: Path, unheard: list[str]) -> None:
    """The run is given up as soon as the store is back, counts no death, and whoever resumes it is told the truth."""
    switches: list[ReadOnly] = []
    tool = Send(lambda: switches[0].for_seconds(3))
    model = CallingModel(looks=1, tool="send")
    async with toy_application(tmp_path, model, toy_with(tool), heartbeat_seconds=0.2) as application:
        switches.append(ReadOnly(application))
        application.stores.journal._outage_seconds = 1.0
        run = await start_run(application, NewRun("send", agent="toy"))
        async with asyncio.timeout(30):
            assert await application.dispatcher.wait(run.run_id) is None

        async def released() -> bool:
            return (await application.stores.runs.get(run.run_id)).owner is None

        await until(released, seconds=20)
        claim = await claim_for_resume(application, run.run_id)
        assert claim.deaths == 0
        assert isinstance(await application.dispatcher.drive(run.run_id, claim, "resumed"), Finished)
        [result] = await journal_of(application, run.run_id, "tool_result")
        assert "outcome is unknown" in result.payload["output"]


async def test_a_run_that_another_owner_took_meanwhile_is_let_go(tmp_path: Path, unheard: list[str]) -> None:
    """The epoch holds no more when the store is back: this owner stops, and writes nothing."""
    switches: list[ReadOnly] = []
    tool = Send(lambda: switches[0].for_seconds(1.5))
    async with toy_application(tmp_path, CallingModel(looks=1, tool="send"), toy_with(tool)) as application:
        switches.append(ReadOnly(application))
        run = await start_run(application, NewRun("send", agent="toy"))
        await until(lambda: once(lambda: bool(tool.sent)))
        async with toy_application(tmp_path, CallingModel()) as other:
            await other.stores.runs.claim(run.run_id, "elsewhere:1:1", takeover=True)
        assert await application.dispatcher.wait(run.run_id) is None
        assert await journal_of(application, run.run_id, "tool_result") == []
        assert (await application.stores.runs.get(run.run_id)).owner == "elsewhere:1:1"


async def once(holds: Callable[[], bool]) -> bool:
    return holds()


async def test_reading_fails_for_a_while(tmp_path: Path, unheard: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the agent reads beside its tools: the run goes on from its journal, under the same claim."""
    tool = Send(lambda: asyncio.sleep(0))
    async with toy_application(tmp_path, CallingModel(looks=1, tool="send"), toy_with(tool)) as application:
        build, tries = application.dispatcher._build, []

        async def failing(state: Any, claim: Any) -> Any:
            tries.append(claim.epoch)
            if len(tries) < 3:
                raise StoreUnavailable("away")
            return await build(state, claim)

        monkeypatch.setattr(application.dispatcher, "_build", failing)
        await carried_through(application, tool)
        assert len(tries) == 3
        assert len(set(tries)) == 1
