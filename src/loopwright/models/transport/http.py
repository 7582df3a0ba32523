"""HTTP/1.1 over the network, by h11 on asyncio's streams; docs/decisions/0034-small-install.md says why no library."""

import asyncio
import ssl
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Final
from urllib.parse import quote, unquote, urlsplit

import h11

from loopwright.kernel.errors import Misconfigured, ModelRejected
from loopwright.models.retry import AttemptFailed, ConnectionDropped

# Which proxy an address is reached through, by the variables that every other program obeys.


@dataclass(frozen=True)
class Proxy:
    """An HTTP proxy; its user and password have moved from the address into a header."""

    url: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)


def proxy_for(url: str) -> Proxy | None:
    """The proxy for this address, or None for a direct connection.

    Raises:
        Misconfigured: the proxy speaks something else than HTTP.
    """
    from urllib.request import getproxies, proxy_bypass

    address = urlsplit(url)
    if proxy_bypass(address.netloc.rpartition("@")[2]):
        return None
    known = getproxies()
    proxy = known.get(address.scheme) or known.get("all")
    if not proxy:
        return None
    parts = urlsplit(proxy if "://" in proxy else f"http://{proxy}")
    if parts.scheme not in {"http", "https"}:
        raise Misconfigured(
            f"The proxy for {address.hostname} speaks {parts.scheme}, which is not supported.",
            hint="Set HTTPS_PROXY to an HTTP proxy, or name the host in NO_PROXY.",
        )
    if parts.username is None:
        return Proxy(parts.geturl())
    pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}".encode()
    bare = parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
    return Proxy(bare, {"Proxy-Authorization": f"Basic {b64encode(pair).decode()}"})


READ_BYTES: Final = 256 * 1024
HEAD_BYTES: Final = 64 * 1024
"""The longest head of an answer that is read."""
EYEBALLS_SECONDS: Final = 0.25
"""After so long without a connection the next address of a host is tried beside it (RFC 8305, section 5)."""
IDLE_SECONDS: Final = 15.0
"""After which a connection is not used again: many servers close theirs soon after."""


@dataclass(frozen=True)
class Route:
    """Where a request goes: to the endpoint's host, or to a proxy that passes it on, or through one by a tunnel."""

    scheme: str
    host: str
    port: int
    netloc: str
    target: str
    proxy: Proxy | None

    @classmethod
    def to(cls, url: str, proxy: Proxy | None) -> "Route":
        """The route to an address.

        Raises:
            ModelRejected: it is none.
        """
        try:
            parts = urlsplit(url)
            host = (parts.hostname or "").encode("idna").decode()
            port = parts.port or (443 if parts.scheme == "https" else 80)
        except ValueError as error:
            raise ModelRejected(f"{url} is no valid address.", hint="Check OPENAI_BASE_URL.") from error
        netloc = (f"[{host}]" if ":" in host else host) + (f":{parts.port}" if parts.port else "")
        path = quote(parts.path or "/", safe="/%:@!$&'()*+,;=~")
        target = path + (f"?{quote(parts.query, safe='/%:@!$&*+,;=?~')}" if parts.query else "")
        return cls(parts.scheme, host, port, netloc, target, proxy)

    @property
    def tunnelled(self) -> bool:
        """Whether the proxy only passes bytes, and never sees the request."""
        return self.proxy is not None and self.scheme == "https"

    @property
    def pool(self) -> tuple[object, ...]:
        """Routes that are the same in this share connections."""
        return (self.scheme, self.host, self.port, self.proxy.url if self.proxy else None)


class Connection:
    """A connection to an endpoint, or to a proxy on the way; one request after the other."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Take the two ends."""
        self.reader, self.writer = reader, writer
        self.http = h11.Connection(h11.CLIENT, max_incomplete_event_size=HEAD_BYTES)
        self.idle_since = 0.0

    def send(self, method: str, target: str, headers: Mapping[str, str], body: bytes) -> None:
        """Write a request, all at once: who waited until it is sent would not hear an answer that comes before.

        Raises:
            ModelRejected: a header has letters that no header may have.
        """
        fields = [(name.encode(), value.encode()) for name, value in headers.items()]
        try:
            head = self.http.send(h11.Request(method=method, target=target, headers=fields))
        except h11.LocalProtocolError as error:
            raise ModelRejected(
                f"The request cannot be sent: {error}.", hint="Check the key and the headers."
            ) from error
        assert head is not None, "only the end of a connection is sent as nothing"  # noqa: S101
        if body:
            self.http.send_with_data_passthrough(h11.Data(body))  # counts it; the body itself is not copied
        self.http.send(h11.EndOfMessage())
        if len(body) < READ_BYTES:
            self.writer.write(head + body)
        else:
            self.writer.writelines((head, body))

    async def head(self) -> h11.Response:
        """The status and headers of the answer.

        Raises:
            RemoteProtocolError: the other side closed the connection, or speaks no HTTP.
            OSError: the connection broke.
        """
        while True:
            event = self.http.next_event()
            if event is h11.NEED_DATA:
                self.http.receive_data(await self.reader.read(READ_BYTES))
            elif isinstance(event, h11.Response):
                return event
            elif isinstance(event, h11.ConnectionClosed):
                raise h11.RemoteProtocolError("the other side closed the connection")

    async def piece(self) -> bytes:
        """All of the body that is there, at least one byte; empty at its end. Raises as `head`."""
        pieces = []
        while self.http.their_state is h11.SEND_BODY:
            event = self.http.next_event()
            if isinstance(event, h11.Data):
                pieces.append(bytes(event.data))
            elif event is h11.NEED_DATA and pieces:
                break
            elif event is h11.NEED_DATA:
                self.http.receive_data(await self.reader.read(READ_BYTES))
        return b"".join(pieces)

    def free(self) -> bool:
        """Whether the answer was read to its end, and another request may follow."""
        try:
            while isinstance(self.http.next_event(), h11.Data):  # the end may be here, behind what nobody wanted
                pass
        except h11.RemoteProtocolError:
            return False
        if self.http.our_state is not h11.DONE or self.http.their_state is not h11.DONE or self.http.trailing_data[0]:
            return False
        self.http.start_next_cycle()
        return True

    def usable(self, now: float) -> bool:
        """Whether it can be used again."""
        broken = self.writer.is_closing() or self.reader.at_eof() or self.reader.exception() is not None
        return not broken and now - self.idle_since < IDLE_SECONDS

    def drop(self) -> None:
        """Close it at once; what is under way is stopped."""
        self.writer.transport.abort()


class HttpTransport:
    """A pool of connections per event loop. It has no limit: how many runs there are at once is others' business."""

    def __init__(self, *, connect_seconds: float = 10.0, proxies: bool = True) -> None:
        """Open nothing yet. `proxies` obeys the usual proxy variables of the environment."""
        self._connect_seconds = connect_seconds
        self._obey_proxies = proxies
        self._idle: dict[asyncio.AbstractEventLoop, dict[tuple[object, ...], list[Connection]]] = {}
        self._routes: dict[str, Route] = {}
        self._tls: ssl.SSLContext | None = None

    async def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> "HttpReply":
        """Send and give the answer; see `Transport.post`."""
        return await self._send("POST", url, body, {**headers, "Content-Length": str(len(body))})

    async def get(self, url: str, headers: Mapping[str, str]) -> "HttpReply":
        """Ask and give the answer; see `ReadingTransport.get`."""
        return await self._send("GET", url, b"", headers)

    async def _send(self, method: str, url: str, body: bytes, headers: Mapping[str, str]) -> "HttpReply":
        route = self._route(url)
        connection = self._take(route) or await self._open(route)
        try:
            target, sent = route.target, {"Host": route.netloc, "Accept-Encoding": "identity", **headers}
            if route.proxy and not route.tunnelled:
                target, sent = f"http://{route.netloc}{target}", {**sent, **route.proxy.headers}
            connection.send(method, target, sent, body)
            return HttpReply(self, route, connection, await connection.head())
        except (h11.RemoteProtocolError, OSError) as error:
            connection.drop()
            raise ConnectionDropped(_told(error, route)) from error
        except BaseException:
            connection.drop()
            raise

    async def aclose(self) -> None:
        """Close this event loop's connections, and forget those of loops that have ended."""
        pools = self._idle.pop(asyncio.get_running_loop(), {})
        self._idle = {loop: idle for loop, idle in self._idle.items() if not loop.is_closed()}
        open_ones = [connection for pool in pools.values() for connection in pool]
        for connection in open_ones:
            connection.drop()
        await asyncio.gather(*(each.writer.wait_closed() for each in open_ones), return_exceptions=True)

    def give_back(self, route: Route, connection: Connection) -> None:
        """Keep a connection for the next request, or drop it where its answer was not read to the end."""
        loop = asyncio.get_running_loop()
        connection.idle_since = loop.time()
        if connection.free():
            self._idle.setdefault(loop, {}).setdefault(route.pool, []).append(connection)
        else:
            connection.drop()

    def _take(self, route: Route) -> Connection | None:
        """The connection that was used last; those that are too old are closed."""
        loop = asyncio.get_running_loop()
        pool = self._idle.get(loop, {}).get(route.pool, [])
        while pool:
            connection = pool.pop()
            if connection.usable(loop.time()):
                return connection
            connection.drop()
        return None

    def _route(self, url: str) -> Route:
        if url not in self._routes:
            self._routes[url] = Route.to(url, proxy_for(url) if self._obey_proxies else None)
        return self._routes[url]

    async def _open(self, route: Route) -> Connection:
        """A new connection.

        Raises:
            AttemptFailed: there is none, or not in time.
            ModelRejected: the certificate is not trusted, or the proxy lets nobody through.
        """
        first = urlsplit(route.proxy.url) if route.proxy else None
        tls = (first.scheme if first else route.scheme) == "https"
        host = (first.hostname or "") if first else route.host
        port = (first.port or (443 if tls else 80)) if first else route.port
        # A race between addresses that is cancelled leaves the winner's socket open (seen with Python 3.11's
        # asyncio), and a numeric address needs none.
        race = None if _is_numeric(host) else EYEBALLS_SECONDS
        try:
            async with asyncio.timeout(self._connect_seconds):
                reader, writer = await asyncio.open_connection(
                    host, port, ssl=self._context() if tls else None, limit=READ_BYTES, happy_eyeballs_delay=race
                )
                if not route.tunnelled:
                    return Connection(reader, writer)
                try:
                    return await self._tunnel(route, Connection(reader, writer))
                except BaseException:
                    writer.transport.abort()
                    raise
        except ssl.SSLCertVerificationError as error:
            raise ModelRejected(
                f"The certificate of {route.host} is not trusted: {error.verify_message}",
                hint="If a certificate of your own stands in between, name its authorities in SSL_CERT_FILE.",
            ) from error
        except TimeoutError as error:
            raise AttemptFailed(f"No connection to {route.netloc} within {self._connect_seconds:.3g} s") from error
        except (h11.RemoteProtocolError, OSError) as error:
            raise AttemptFailed(_told(error, route)) from error

    async def _tunnel(self, route: Route, outer: Connection) -> Connection:
        """Ask the proxy to pass bytes to the endpoint, and speak TLS through it."""
        there = f"{route.netloc if ':' in route.netloc.rpartition(']')[2] else f'{route.netloc}:{route.port}'}"
        outer.send("CONNECT", there, {"Host": there, **(route.proxy.headers if route.proxy else {})}, b"")
        answer = await outer.head()
        if not 200 <= answer.status_code < 300:
            told = f"The proxy answered {answer.status_code} {answer.reason.decode('latin-1')}"
            if answer.status_code in {401, 403, 407}:
                hint = "Check the user and password in HTTPS_PROXY, or name the host in NO_PROXY."
                raise ModelRejected(told, hint=hint)
            raise AttemptFailed(told)
        await outer.writer.start_tls(self._context(), server_hostname=route.host)
        return Connection(outer.reader, outer.writer)

    def _context(self) -> ssl.SSLContext:
        if self._tls is None:
            self._tls = ssl.create_default_context()
            self._tls.set_alpn_protocols(["http/1.1"])
        return self._tls


class HttpReply:
    """An answer as a `Reply`."""

    def __init__(self, transport: HttpTransport, route: Route, connection: Connection, head: h11.Response) -> None:
        """Begin with its head."""
        self._transport, self._route, self._connection = transport, route, connection
        self._closed = False
        self.status = head.status_code
        self.headers: Mapping[str, str] = {name.decode(): value.decode("latin-1") for name, value in head.headers}

    async def next_chunk(self) -> bytes:
        """The next piece of the body."""
        try:
            return await self._connection.piece()
        except (h11.RemoteProtocolError, OSError) as error:
            raise AttemptFailed(_told(error, self._route)) from error

    async def close(self) -> None:
        """Give the connection back, if it was read to its end, or drop it."""
        if not self._closed:
            self._closed = True
            self._transport.give_back(self._route, self._connection)


def _is_numeric(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def _told(error: Exception, route: Route) -> str:
    return f"The connection to {route.netloc} failed: {type(error).__name__}{f': {error}' if str(error) else ''}"
