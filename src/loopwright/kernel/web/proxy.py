"""A proxy on loopback for libraries that bring a client of their own: it tunnels to allowed addresses only."""

import asyncio
import hmac
import re
import secrets
import socket
from base64 import b64encode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing

from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.web.addresses import AddressRule, Target, check_address, parse_target
from loopwright.kernel.web.fetching import GuardedResolver

HEAD_SECONDS = 5.0
CONNECT_SECONDS = 10.0
TUNNEL_SECONDS = 60.0
MAX_TUNNEL_BYTES = 20_000_000
"""Received through one tunnel."""

_PIECE = 65_536
_CONNECT = re.compile(rb"CONNECT (?P<authority>[!-~]+) HTTP/1\.[01]\r\n")


@asynccontextmanager
async def guarded_proxy(allowed: AddressRule) -> AsyncIterator[str]:
    """The address of a proxy with a password of its own, there while the block lasts.

    It understands CONNECT alone: plain http is refused.
    """
    password = secrets.token_urlsafe(16)
    proxy = _Proxy(allowed, b"Basic " + b64encode(f"loopwright:{password}".encode()))
    server = await asyncio.start_server(proxy.serve, "127.0.0.1", 0)
    try:
        yield f"http://loopwright:{password}@127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()
        proxy.end()


class _Proxy:
    """Serves one request on each connection."""

    def __init__(self, allowed: AddressRule, credentials: bytes) -> None:
        self._allowed = allowed
        self._credentials = credentials
        self._open: set[asyncio.StreamWriter] = set()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer a CONNECT, and carry bytes until either side ends or the limits are reached."""
        self._open.add(writer)
        try:
            async with asyncio.timeout(HEAD_SECONDS):
                head = await reader.readuntil(b"\r\n\r\n")
            status, far = await self._connect(head)
            writer.write(f"HTTP/1.1 {status}\r\n\r\n".encode())
            if far is not None:
                await self._carry(reader, writer, far)
            await writer.drain()
        except (OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            writer.transport.abort()  # the client sees its connection end, which is all that can be told
        finally:
            self._open.discard(writer)
            writer.close()

    def end(self) -> None:
        """Cut every tunnel."""
        for writer in list(self._open):
            writer.transport.abort()

    async def _connect(self, head: bytes) -> tuple[str, socket.socket | None]:
        """The status for a request head, and the connection that it is given."""
        given = re.search(rb"\r\nproxy-authorization: *([!-~ ]+)\r\n", head, re.IGNORECASE)
        if given is None or not hmac.compare_digest(given[1], self._credentials):
            return '407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm="loopwright"', None
        found = _CONNECT.match(head)
        if found is None:
            return "405 Method Not Allowed", None
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                return "200 Connected", await connect(
                    parse_target(f"https://{found['authority'].decode()}/"), self._allowed
                )
        except InvalidInput:
            return "403 Forbidden", None
        except (OSError, TimeoutError):
            return "502 Bad Gateway", None

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, far: socket.socket) -> None:
        far_reader, far_writer = await asyncio.open_connection(sock=far)
        self._open.add(far_writer)
        try:
            async with asyncio.timeout(TUNNEL_SECONDS):
                await asyncio.wait(
                    [
                        asyncio.create_task(_copy(reader, far_writer)),
                        asyncio.create_task(_copy(far_reader, writer)),
                    ],
                    return_when=asyncio.ALL_COMPLETED,
                )
        finally:
            self._open.discard(far_writer)
            far_writer.transport.abort()


async def connect(target: Target, allowed: AddressRule) -> socket.socket:
    """A connection to the first address of the target that answers; all of them are judged.

    Raises:
        InvalidInput: an address of the host is not allowed.
        OSError: the name cannot be resolved, or nobody answers.
    """
    if target.is_numeric:
        check_address(target.host, target.host, allowed)
    loop = asyncio.get_running_loop()
    failure = OSError(f"{target.host} has no address")
    for found in await GuardedResolver(allowed).resolve(target.host, target.port):
        far = socket.socket(found["family"], socket.SOCK_STREAM)
        far.setblocking(False)
        try:
            await loop.sock_connect(far, (found["host"], found["port"]))
        except BaseException as error:
            far.close()
            if not isinstance(error, OSError):
                raise
            failure = error
        else:
            return far
    raise failure


async def _copy(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    """Carry bytes to the end of the source, and pass that end on."""
    carried = 0
    with closing(target):
        try:
            while (data := await source.read(_PIECE)) and carried < MAX_TUNNEL_BYTES:
                carried += len(data)
                target.write(data)
                await target.drain()
        except OSError:
            return  # one side is gone: closing the other is what there is to do
