"""Files over HTTP: the one client of all tools, for what is held in memory and for what is too large for that."""

import asyncio
import hashlib
import shutil
import socket
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from yarl import URL

from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.web.addresses import AddressRule, Target, check_address, parse_target

# What is asked for on the web, and what came.


@dataclass(frozen=True)
class Wanted:
    """What is asked for: its noun for messages, the beginnings of the content types that will do, its greatest size."""

    noun: str
    content_types: tuple[str, ...]
    max_bytes: int


@dataclass(frozen=True)
class Fetched:
    """What came, and from which address after all redirects; `charset` is as the host says, if it does."""

    url: str
    content_type: str
    charset: str | None
    data: bytes


# Bodies unpacked piece by piece, so that a few bytes on the wire never become more than is wanted in memory.

ACCEPTED = "gzip, deflate"
"""The value of Accept-Encoding."""

_WINDOW = {"gzip": 16 + zlib.MAX_WBITS, "x-gzip": 16 + zlib.MAX_WBITS, "deflate": zlib.MAX_WBITS}


class Decoder:
    """Gathers a body up to a number of bytes, counted after unpacking."""

    def __init__(self, encoding: str, max_bytes: int) -> None:
        """Take the value of Content-Encoding, empty where there is none.

        Raises:
            InvalidInput: the body is packed in another way than was asked for.
        """
        name = encoding.strip().lower()
        if name not in ("", "identity", *_WINDOW):
            raise InvalidInput(f"The answer is packed as {name[:40]!r}, which was not asked for.")
        self._packed = zlib.decompressobj(_WINDOW[name]) if name in _WINDOW else None
        self._max = max_bytes
        self.data = bytearray()

    @property
    def is_over(self) -> bool:
        """Whether there is more than was allowed; `data` is then one byte longer than the limit at most."""
        return len(self.data) > self._max

    def feed(self, chunk: bytes) -> None:
        """Take a piece of the wire.

        Raises:
            InvalidInput: it is not packed as it claims to be.
        """
        space = self._max + 1 - len(self.data)
        if self._packed is None:
            self.data += chunk[:space]
            return
        try:
            self.data += self._packed.decompress(chunk, space)
        except zlib.error as error:
            raise InvalidInput(f"The answer is not packed as it says: {error}.") from error

    def finish(self) -> bytes:
        """The body after its last piece.

        Raises:
            InvalidInput: its packing breaks off.
        """
        if self._packed is not None and not self._packed.eof:
            raise InvalidInput("The answer is packed, and breaks off before its end.")
        return bytes(self.data)


MAX_REDIRECTS = 3
FETCH_SECONDS = 20.0
"""For the whole way, redirects included."""

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_PIECE = 65_536


class GuardedResolver(AbstractResolver):
    """Resolves names for aiohttp, once for each connection, and refuses names that lead to other addresses too."""

    def __init__(self, allowed: AddressRule) -> None:
        """Take the rule for addresses."""
        self._allowed = allowed

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """The addresses of the host.

        Raises:
            InvalidInput: an address of the host is not allowed.
            OSError: the name cannot be resolved.
        """
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM, family=family)
        results = [_result(host, port, entry) for entry in found]
        for result in results:
            check_address(result["host"], host, self._allowed)
        return results

    async def close(self) -> None:
        """Nothing is held."""


def guarded_connector(allowed: AddressRule) -> aiohttp.TCPConnector:
    """Connections to allowed addresses only, judged by the very address that the socket is then connected to."""

    def make_socket(info: tuple[Any, ...]) -> socket.socket:
        family, kind, protocol, _, address = info
        if not allowed(address[0]):
            raise InvalidInput(f"{address[0]} is not a public host, so nothing is fetched from it.")
        return socket.socket(family, kind, protocol)

    return aiohttp.TCPConnector(
        resolver=GuardedResolver(allowed), use_dns_cache=False, force_close=True, socket_factory=make_socket
    )


async def fetch(url: str, wanted: Wanted, allowed: AddressRule) -> Fetched:
    """Get a file of at most the wanted size.

    Raises:
        InvalidInput: a host is not allowed, the answer is something else or too large, or nothing comes in time.
    """
    target = parse_target(url)
    try:
        async with (
            asyncio.timeout(FETCH_SECONDS),
            aiohttp.ClientSession(
                connector=guarded_connector(allowed),
                cookie_jar=aiohttp.DummyCookieJar(),
                headers={"Accept-Encoding": ACCEPTED},
                auto_decompress=False,
                trust_env=False,
            ) as session,
        ):
            for _ in range(MAX_REDIRECTS + 1):
                found = await _get(session, target, wanted, allowed)
                if isinstance(found, Fetched):
                    return found
                target = target.joined(found)
    except TimeoutError as error:
        raise InvalidInput(f"No {wanted.noun} came from {target.host} within {FETCH_SECONDS:g} seconds.") from error
    except (aiohttp.ClientError, OSError, ValueError) as error:
        raise InvalidInput(
            f"The {wanted.noun} at {target.host} could not be fetched: {type(error).__name__}: {error}."
        ) from error
    raise InvalidInput(f"The {wanted.noun} at {target.host} is behind more than {MAX_REDIRECTS} redirects.")


async def _get(session: aiohttp.ClientSession, target: Target, wanted: Wanted, allowed: AddressRule) -> Fetched | str:
    """The file, or the address that a redirect names."""
    if target.is_numeric:  # aiohttp asks its resolver about names only
        check_address(target.host, target.host, allowed)
    # `encoded` keeps the client from normalising what has been judged.
    async with session.get(URL(target.url, encoded=True), allow_redirects=False) as response:
        if response.status in _REDIRECTS and "Location" in response.headers:
            return response.headers["Location"]
        if response.status != 200:
            raise InvalidInput(f"{target.host} answered {response.status} and gave no {wanted.noun}.")
        kind = response.content_type
        if not kind.startswith(wanted.content_types):
            raise InvalidInput(f"{target.host} answered with {kind}, which is no {wanted.noun}.")
        decoder = Decoder(response.headers.get("Content-Encoding", ""), wanted.max_bytes)
        async for chunk in response.content.iter_chunked(_PIECE):
            decoder.feed(chunk)
            if decoder.is_over:
                raise InvalidInput(
                    f"The {wanted.noun} is larger than {wanted.max_bytes:,} bytes.", hint="Give a smaller one."
                )
        return Fetched(target.url, kind, response.charset, decoder.finish())


def _result(host: str, port: int, entry: Any) -> ResolveResult:
    family, _, protocol, _, address = entry
    return ResolveResult(
        hostname=host, host=address[0], port=port, family=family, proto=protocol, flags=socket.AI_NUMERICHOST
    )


# Large files over HTTP: written piece by piece, taken up where they were left, and checked before they are used.

SILENCE_SECONDS = 60.0
"""How long the next piece may take."""
ATTEMPTS = 5
"""How often in a row a download may break without having brought anything."""
WAIT_SECONDS = 2.0
"""Before the next attempt, for each that has brought nothing."""
PART = ".part"
"""How the name of a file ends that is not whole yet; it stays for the next time."""

_LARGE_PIECE = 1024 * 1024


@dataclass(frozen=True)
class Expected:
    """What is downloaded: its address, its size in bytes, and its SHA-256 in hex."""

    url: str
    size: int
    sha256: str


async def download(expected: Expected, file: Path, allowed: AddressRule, progress: Callable[[int], None]) -> None:
    """Put the file in its place, once it is whole and the one that is expected.

    Args:
        expected: what it must be.
        file: its place; what is there already is replaced.
        allowed: judges every address that is connected to, redirects included.
        progress: is told how many bytes are there.

    Raises:
        InvalidInput: it could not be had, is another file than expected, or the disk is too small. What came is kept.
    """
    part = file.with_name(file.name + PART)
    have = part.stat().st_size if part.exists() else 0
    free = shutil.disk_usage(file.parent).free
    if free < expected.size - have:
        raise InvalidInput(f"{file.parent} has {free:,} bytes free; {expected.size - have:,} are needed.")
    idle = 0
    while (have := part.stat().st_size if part.exists() else 0) < expected.size:
        try:
            await _continue(expected, part, have, allowed, progress)
        except (aiohttp.ClientError, OSError, TimeoutError) as error:
            brought = part.exists() and part.stat().st_size > have
            idle = 0 if brought else idle + 1
            if idle >= ATTEMPTS:
                host = parse_target(expected.url).host
                raise InvalidInput(
                    f"{file.name} could not be had from {host}: {type(error).__name__}: {error}.",
                    hint="What came is kept, and taken up next time.",
                ) from error
            await asyncio.sleep(WAIT_SECONDS * idle)
    if have > expected.size or await asyncio.to_thread(_sha256, part) != expected.sha256:
        part.unlink()
        raise InvalidInput(f"What came as {file.name} is not the file that was expected; it was deleted.")
    part.replace(file)


async def _continue(
    expected: Expected, part: Path, have: int, allowed: AddressRule, progress: Callable[[int], None]
) -> None:
    async with aiohttp.ClientSession(
        connector=guarded_connector(allowed),
        cookie_jar=aiohttp.DummyCookieJar(),
        headers={"Accept-Encoding": "identity"},
        timeout=aiohttp.ClientTimeout(total=None, sock_connect=SILENCE_SECONDS, sock_read=SILENCE_SECONDS),
        trust_env=False,
    ) as session:
        target = parse_target(expected.url)
        for _ in range(MAX_REDIRECTS + 1):
            onward = await _read(session, target, expected, part, have, allowed, progress)
            if onward is None:
                return
            target = target.joined(onward)
    raise InvalidInput(f"{part.name} is behind more than {MAX_REDIRECTS} redirects.")


async def _read(
    session: aiohttp.ClientSession,
    target: Target,
    expected: Expected,
    part: Path,
    have: int,
    allowed: AddressRule,
    progress: Callable[[int], None],
) -> str | None:
    """Write what comes; or give the address that a redirect names."""
    if target.is_numeric:
        check_address(target.host, target.host, allowed)
    headers = {"Range": f"bytes={have}-"} if have else {}
    async with session.get(URL(target.url, encoded=True), headers=headers, allow_redirects=False) as response:
        if response.status in _REDIRECTS and "Location" in response.headers:
            return response.headers["Location"]
        if response.status not in (200, 206):
            raise InvalidInput(f"{target.host} answered {response.status} and gave no {part.stem}.")
        begun = have if response.headers.get("Content-Range", "").startswith(f"bytes {have}-") else 0
        with part.open("r+b" if begun else "wb") as out:
            out.seek(begun)
            async for piece in response.content.iter_chunked(_LARGE_PIECE):
                begun += len(piece)
                if begun > expected.size:
                    raise InvalidInput(f"{target.host} sends more than the {expected.size:,} bytes of {part.stem}.")
                out.write(piece)
                progress(begun)
    return None


def _sha256(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
