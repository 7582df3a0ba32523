"""Serves the application with uvicorn, by a protocol with time-outs and a census."""

import asyncio
import ipaddress
import logging
import resource
import socket
import time
from collections import Counter
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from enum import Enum
from typing import Any, Protocol

import h11
import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.h11_impl import H11Protocol

from loopwright.app.settings import Settings, settle_garbage_collector
from loopwright.kernel.errors import Misconfigured
from loopwright.server.application import create_app, is_loopback
from loopwright.server.dependencies import end_streams

# Which connections are open, of whom, and which of them give way when no more fit.

MOST_CONNECTIONS = 2_000


@dataclass(frozen=True)
class Limits:
    """Connections in number, and times in seconds."""

    connections: int
    per_client: int
    head_seconds: float = 10.0
    """For a whole request head, from when the connection is open or the last answer is out."""
    body_seconds: float = 20.0
    """For a body, beyond the time that it takes at `body_rate`."""
    body_rate: int = 65_536
    """Bytes in a second below which a body is too slow."""
    linger_seconds: float = 2.0
    """In which the rest of a refused body may come, so that the client reads why it was refused."""
    stall_seconds: float = 30.0
    """For a client to take `stall_bytes` of what it was sent, or all of it."""
    stall_bytes: int = 16_384


def limits_here() -> Limits:
    """Half of this process's descriptors for connections, and half of these for one client; the rest are for files."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    connections = MOST_CONNECTIONS if soft == resource.RLIM_INFINITY else min(MOST_CONNECTIONS, max(16, soft // 2))
    return Limits(connections, per_client=connections // 2)


class Connection(Protocol):
    """What the census needs of a connection."""

    client_key: str

    def give_way(self) -> None:
        """End at once, without an answer."""
        ...

    def check(self, now: float) -> None:
        """End if the client has been too slow; `now` is the event loop's time."""
        ...


class Census:
    """The open connections of a server, counted by client. Used from one event loop."""

    def __init__(self, limits: Limits) -> None:
        """Nobody is there yet."""
        self.limits = limits
        self._open: set[Connection] = set()
        self._by_client: Counter[str] = Counter()
        self._waiting: dict[str, dict[Connection, None]] = {}

    def admit(self, connection: Connection) -> bool:
        """Count a new connection, which waits for its request; False if no more fit and there is nobody to give way."""
        key = connection.client_key
        if self._by_client[key] >= self.limits.per_client and not self._oldest_gives_way(key):
            return False
        if len(self._open) >= self.limits.connections and not self.shed(1):
            return False
        self._open.add(connection)
        self._by_client[key] += 1
        self.waits(connection)
        return True

    def waits(self, connection: Connection) -> None:
        """The connection waits for its client from now on."""
        if connection in self._open:
            waiting = self._waiting.setdefault(connection.client_key, {})
            waiting.pop(connection, None)
            waiting[connection] = None

    def is_served(self, connection: Connection) -> None:
        """The connection's request is complete: it no longer gives way."""
        waiting = self._waiting.get(connection.client_key)
        if waiting is not None:
            waiting.pop(connection, None)
            if not waiting:
                del self._waiting[connection.client_key]

    def leave(self, connection: Connection) -> None:
        """The connection is over, or as good as over."""
        if connection not in self._open:
            return
        self.is_served(connection)
        self._open.remove(connection)
        self._by_client[connection.client_key] -= 1
        if not self._by_client[connection.client_key]:
            del self._by_client[connection.client_key]

    def shed(self, count: int) -> int:
        """Let the oldest waiting connections of the clients that have most of them give way; gives how many did."""
        for done in range(count):
            if not self._waiting:
                return done
            self._oldest_gives_way(max(self._waiting, key=lambda key: len(self._waiting[key])))
        return count

    def sweep(self, now: float) -> None:
        """End what has been too slow."""
        for connection in list(self._open):
            connection.check(now)

    def _oldest_gives_way(self, key: str) -> bool:
        oldest = next(iter(self._waiting.get(key, ())), None)
        if oldest is None:
            return False
        self.leave(oldest)
        oldest.give_way()
        return True


def client_key(peer: Any) -> str:
    """Who a connection belongs to: an IPv4 address, or the network of an IPv6 one, all of which one client has."""
    if not isinstance(peer, tuple):
        return "local"
    address = ipaddress.ip_address(str(peer[0]).partition("%")[0])
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        address = address.ipv4_mapped
    if address.version == 4:
        return str(address)
    return str(ipaddress.ip_network((address, 64), strict=False))


DEAD_PEER_MS = 60_000
"""Milliseconds after which the system gives up on a peer that acknowledges nothing."""

SEND_BUFFER = 131_072
"""Bytes that the system keeps for one client. It would take megabytes otherwise, and say nothing until a third of them
has been read: a slow client could not be told from one that does not read."""

_CLOSE = b"Connection: close\r\nContent-Length: 0\r\n\r\n"
TOO_SLOW = b"HTTP/1.1 408 Request Timeout\r\n" + _CLOSE
TOO_MANY = b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\n" + _CLOSE


class EdgeConfig(uvicorn.Config):
    """uvicorn's settings, with the census that the server's connections share."""

    def __init__(self, app: Any, census: Census, **options: Any) -> None:
        """`options` are uvicorn's own."""
        super().__init__(app, http=EdgeProtocol, ws="none", loop="asyncio", **options)
        self.census = census


class Phase(Enum):
    """What a connection waits for."""

    HEAD = "a request"
    BODY = "the rest of a body"
    REFUSED = "the rest of a body that was answered before its end"
    SERVED = "the application"


class EdgeProtocol(H11Protocol):
    """One connection. The server sweeps all of them once a second; there is no timer of its own to each."""

    config: EdgeConfig

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Count the connection, or turn it away."""
        super().connection_made(transport)
        self._census = self.config.census
        self.client_key = client_key(transport.get_extra_info("peername"))
        self._phase, self._since, self._received = Phase.HEAD, self.loop.time(), 0
        self._unsent, self._sent_at = 0, self._since
        _prepare_socket(transport.get_extra_info("socket"))
        if not self._census.admit(self):
            transport.write(TOO_MANY)
            transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._census.leave(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take what the client sends."""
        self._received += len(data)
        super().data_received(data)
        self._enter_phase()

    def on_response_complete(self) -> None:
        """Wait for the client again."""
        super().on_response_complete()
        self._enter_phase()

    def resume_writing(self) -> None:
        """The client takes its answer."""
        super().resume_writing()
        self._sent_at = self.loop.time()

    def give_way(self) -> None:
        """End at once, without an answer."""
        self.transport.abort()

    def check(self, now: float) -> None:
        """End if the client has been too slow."""
        if self._is_stalled(now):
            self.transport.abort()
        elif not self.transport.is_closing() and now > self._due():
            self._end_slow()

    def _enter_phase(self) -> None:
        phase = self._phase_now()
        if phase is self._phase:
            return
        self._phase, self._since, self._received = phase, self.loop.time(), 0
        if phase is Phase.SERVED:
            self._census.is_served(self)
        else:
            self._census.waits(self)

    def _phase_now(self) -> Phase:
        if self.conn.their_state is h11.IDLE:
            return Phase.HEAD
        if self.conn.their_state is not h11.SEND_BODY:
            return Phase.SERVED
        return Phase.REFUSED if self.cycle.response_complete else Phase.BODY

    def _due(self) -> float:
        limits = self._census.limits
        if self._phase is Phase.HEAD:
            return self._since + limits.head_seconds
        if self._phase is Phase.REFUSED:
            return self._since + limits.linger_seconds
        if self._phase is Phase.SERVED or self.flow.read_paused:
            return float("inf")
        return self._since + limits.body_seconds + self._received / limits.body_rate

    def _is_stalled(self, now: float) -> bool:
        """Whether the client has taken too little of what lies here for it, for too long."""
        unsent = self.transport.get_write_buffer_size()
        if unsent == 0 or self._unsent - unsent >= self._census.limits.stall_bytes:
            self._sent_at, self._unsent = now, unsent
        self._unsent = max(self._unsent, unsent)
        return now - self._sent_at > self._census.limits.stall_seconds

    def _end_slow(self) -> None:
        """Say why, unless an answer has begun or nothing was asked, and close."""
        if self._phase is Phase.BODY:
            answered, self.cycle.disconnected = self.cycle.response_started, True
            self.cycle.message_event.set()
        else:
            answered = self._phase is Phase.REFUSED or not self._received
        if not answered:
            self.transport.write(TOO_SLOW)
        self.transport.close()


def _prepare_socket(connection: Any) -> None:
    """Ask the system to keep little for this client, and to end the connection when it has vanished."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    if hasattr(socket, "TCP_USER_TIMEOUT") and connection.family != getattr(socket, "AF_UNIX", None):
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, DEAD_PEER_MS)


# Serving.
#
# Logs that a client cannot fill: what repeats is counted instead of written.

WINDOW_SECONDS = 10.0
MOST_PATH = 200


@dataclass
class _Window:
    began: float
    written: int = 0
    dropped: int = 0


class Sparing(logging.Filter):
    """Lets a number of records of the same template through in each window, and says how many it kept back."""

    def __init__(self, most: int) -> None:
        """`most` records of one template in ten seconds are written."""
        super().__init__()
        self._most = most
        self._windows: dict[str, _Window] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the record is written; the first of a new window tells what the last one left out."""
        now, template = time.monotonic(), str(record.msg)
        window = self._windows.get(template)
        if window is None or now - window.began > WINDOW_SECONDS:
            dropped = window.dropped if window else 0
            window = self._windows[template] = _Window(now)
            if dropped:
                record.msg = f"{template} [{dropped} more like it were not written]"
        if window.written >= self._most:
            window.dropped += 1
            return False
        window.written += 1
        return True


class Short(logging.Filter):
    """Cuts the texts of access records, whose paths come from anybody."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Every record passes."""
        if isinstance(record.args, tuple):
            record.args = tuple(
                f"{each[:MOST_PATH]}…" if isinstance(each, str) and len(each) > MOST_PATH else each
                for each in record.args
            )
        return True


def keep_logs_small() -> None:
    """Spare the logs of uvicorn; call it after uvicorn has set them up."""
    for name, most in (("uvicorn.error", 20), ("uvicorn.access", 500)):
        logger = logging.getLogger(name)
        for former in [each for each in logger.filters if isinstance(each, Sparing | Short)]:
            logger.removeFilter(former)
        logger.addFilter(Sparing(most))
        logger.addFilter(Short())


ACCEPT_AT_ONCE = 64
"""Connections that asyncio accepts before any of them is looked at; it accepts as many as its backlog is long."""

KERNEL_BACKLOG = 1_024
"""Connections that the system holds until they are accepted; in a flood a shorter queue would lose everybody's."""

SWEEP_TICKS = 10
"""uvicorn's ticks (of a tenth of a second) from one look at slow connections to the next."""

log = logging.getLogger(__name__)


class EdgeServer(uvicorn.Server):
    """uvicorn's server, which opens Loopwright itself, sweeps slow connections, and survives a lack of descriptors.

    uvicorn would log a traceback for an application that does not open; here its error reaches the caller.
    """

    def __init__(self, config: EdgeConfig, app: FastAPI) -> None:
        """Serve `app` as `config` says."""
        super().__init__(config)
        self._census = config.census
        self._app = app
        self._application = AsyncExitStack()
        self._told_at = float("-inf")

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Open the application, then the port."""
        asyncio.get_running_loop().set_exception_handler(self._loop_failed)
        await self._application.enter_async_context(self._app.router.lifespan_context(self._app))
        try:
            await super().startup(sockets)
        except BaseException:
            await self._application.aclose()
            raise
        for server in self.servers:
            for listening in server.sockets:
                with listening.dup() as twin:
                    twin.listen(KERNEL_BACKLOG)

    async def on_tick(self, counter: int) -> bool:
        """Sweep now and then."""
        if counter % SWEEP_TICKS == 0:
            self._census.sweep(asyncio.get_running_loop().time())
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Close the port, then the application."""
        end_streams()
        try:
            await super().shutdown(sockets)
        finally:
            await self._application.aclose()

    def _loop_failed(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Without descriptors asyncio tries again after a second, and would log each of many failures until then."""
        if "socket.accept()" not in str(context.get("message")):
            loop.default_exception_handler(context)
            return
        if loop.time() - self._told_at > WINDOW_SECONDS:
            self._told_at = loop.time()
            log.error("No connection can be accepted: %s", context.get("exception"))
            self._census.shed(ACCEPT_AT_ONCE)


def run_server(settings: Settings) -> None:
    """Serve until stopped.

    Raises:
        Misconfigured: the address is reachable from outside and no token is set, or the application cannot be opened.
    """
    if not is_loopback(settings.host) and settings.token is None:
        raise Misconfigured(
            f"Binding to {settings.host} lets others in, and LOOPWRIGHT_TOKEN is not set.",
            hint="Set LOOPWRIGHT_TOKEN to a long random string, or bind to 127.0.0.1.",
        )
    settle_garbage_collector()
    app = create_app(settings)
    config = EdgeConfig(
        app,
        Census(limits_here()),
        host=settings.host,
        port=settings.port,
        lifespan="off",
        backlog=ACCEPT_AT_ONCE,
        log_level="info",
        timeout_graceful_shutdown=5,
        server_header=False,
    )
    keep_logs_small()
    with suppress(KeyboardInterrupt):  # how a server is stopped; it has shut down by then
        EdgeServer(config, app).run()
