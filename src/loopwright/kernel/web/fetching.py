"""A file over HTTP: every host on the way is checked after its name is resolved, redirects included."""

import asyncio
import ipaddress
import socket
from typing import Any
from urllib.parse import urljoin, urlsplit

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult

from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.web.addresses import AddressRule, check_address
from loopwright.kernel.web.files import Fetched, Wanted

MAX_REDIRECTS = 3
FETCH_SECONDS = 20.0

_REDIRECTS = frozenset({301, 302, 303, 307, 308})


class GuardedResolver(AbstractResolver):
    """Resolves names for aiohttp and lets only allowed addresses through, so that what is checked is what is called."""

    def __init__(self, allowed: AddressRule) -> None:
        """Take the rule for addresses."""
        self._allowed = allowed

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """The allowed addresses of the host.

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


async def fetch(url: str, wanted: Wanted, allowed: AddressRule) -> Fetched:
    """Get a file of at most the wanted size.

    Raises:
        InvalidInput: a host is not allowed, the answer is something else or too large, or nothing comes in time.
    """
    connector = aiohttp.TCPConnector(resolver=GuardedResolver(allowed), use_dns_cache=False, force_close=True)
    timeout = aiohttp.ClientTimeout(total=FETCH_SECONDS)
    try:
        async with aiohttp.ClientSession(connector=connector, timeout=timeout, trust_env=False) as session:
            for _ in range(MAX_REDIRECTS + 1):
                target = await _get(session, url, wanted, allowed)
                if isinstance(target, Fetched):
                    return target
                url = urljoin(url, target)
    except TimeoutError as error:
        raise InvalidInput(f"No {wanted.noun} came from {_host(url)} within {FETCH_SECONDS:g} seconds.") from error
    except (aiohttp.ClientError, OSError, ValueError) as error:
        raise InvalidInput(
            f"The {wanted.noun} at {_host(url)} could not be fetched: {type(error).__name__}: {error}."
        ) from error
    raise InvalidInput(f"The {wanted.noun} at {_host(url)} is behind more than {MAX_REDIRECTS} redirects.")


async def _get(session: aiohttp.ClientSession, url: str, wanted: Wanted, allowed: AddressRule) -> Fetched | str:
    """The file, or the address that a redirect names."""
    _check_url(url, allowed)
    async with session.get(url, allow_redirects=False) as response:
        if response.status in _REDIRECTS and "Location" in response.headers:
            return response.headers["Location"]
        if response.status != 200:
            raise InvalidInput(f"{_host(url)} answered {response.status} and gave no {wanted.noun}.")
        kind = response.content_type
        if not kind.startswith(wanted.content_types):
            raise InvalidInput(f"{_host(url)} answered with {kind}, which is no {wanted.noun}.")
        data = bytearray()
        async for chunk in response.content.iter_chunked(65_536):
            data += chunk
            if len(data) > wanted.max_bytes:
                raise InvalidInput(
                    f"The {wanted.noun} is larger than {wanted.max_bytes:,} bytes.", hint="Give a smaller one."
                )
        return Fetched(url, kind, response.charset, bytes(data))


def _check_url(url: str, allowed: AddressRule) -> None:
    """Refuse what the resolver never sees: other schemes, and addresses written as numbers."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InvalidInput(f"Files are fetched over http and https only, not from {url[:100]!r}.")
    try:
        ipaddress.ip_address(parts.hostname)
    except ValueError:
        return  # a name: the resolver judges its addresses
    check_address(parts.hostname, parts.hostname, allowed)


def _host(url: str) -> str:
    return urlsplit(url).hostname or "the address"


def _result(host: str, port: int, entry: Any) -> ResolveResult:
    family, _, protocol, _, address = entry
    return ResolveResult(
        hostname=host, host=address[0], port=port, family=family, proto=protocol, flags=socket.AI_NUMERICHOST
    )
