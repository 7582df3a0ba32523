"""HTTP over the network, by aiohttp; why aiohttp is told in docs/decisions/0003-http-transport.md."""

import asyncio
import io
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from loopwright.kernel.errors import ModelRejected
from loopwright.models.failures import AttemptFailed, ConnectionDropped
from loopwright.models.transport.proxies import Proxy, proxy_for

if TYPE_CHECKING:
    import aiohttp

LARGE_BODY: Final = 1024 * 1024
"""From this size on aiohttp wants a body as a file, so that it is written in pieces."""


class HttpTransport:
    """A pool of connections per event loop, made at the first request in it."""

    def __init__(self, *, connect_seconds: float = 10.0, proxies: bool = True) -> None:
        """Open nothing yet. `proxies` obeys the usual proxy variables of the environment."""
        self._connect_seconds = connect_seconds
        self._obey_proxies = proxies
        self._sessions: dict[asyncio.AbstractEventLoop, aiohttp.ClientSession] = {}
        self._proxies: dict[str, Proxy | None] = {}

    async def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> "HttpReply":
        """Send and give the answer; see `Transport.post`."""
        import aiohttp

        session = self._session()
        proxy = self._proxy(url)
        try:
            response = await session.post(
                url,
                data=body if len(body) < LARGE_BODY else io.BytesIO(body),
                headers={**headers, **proxy.headers} if proxy and url.startswith("http:") else headers,
                allow_redirects=False,
                proxy=proxy.url if proxy else None,
                proxy_headers=proxy.headers if proxy else None,
            )
        except aiohttp.ClientConnectorCertificateError as error:
            raise ModelRejected(
                f"The certificate of {error.host} is not trusted: {error.certificate_error}",
                hint="If a certificate of your own stands in between, name its authorities in SSL_CERT_FILE.",
            ) from error
        except aiohttp.InvalidURL as error:
            raise ModelRejected(f"{url} is no valid address.", hint="Check OPENAI_BASE_URL.") from error
        except aiohttp.ClientHttpProxyError as error:
            raise _proxy_failure(error) from error
        except (aiohttp.ClientConnectorError, aiohttp.ServerTimeoutError) as error:
            raise AttemptFailed(_told(error, url)) from error
        except (aiohttp.ClientError, OSError) as error:
            raise ConnectionDropped(_told(error, url)) from error
        return HttpReply(response)

    async def aclose(self) -> None:
        """Close this event loop's connections, and forget those of loops that have ended."""
        session = self._sessions.pop(asyncio.get_running_loop(), None)
        self._forget_ended_loops()
        if session is not None:
            await session.close()

    def _session(self) -> "aiohttp.ClientSession":
        loop = asyncio.get_running_loop()
        session = self._sessions.get(loop)
        if session is not None:
            return session
        import aiohttp

        self._forget_ended_loops()
        # Time-outs are the exchange's business: aiohttp's own re-arm a timer at every read, which costs half as much
        # CPU time again as the request. Cookies serve nothing here.
        session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0),
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=self._connect_seconds),
            skip_auto_headers=("User-Agent",),
        )
        self._sessions[loop] = session
        return session

    def _forget_ended_loops(self) -> None:
        for loop in [loop for loop in self._sessions if loop.is_closed()]:
            self._sessions.pop(loop).detach()

    def _proxy(self, url: str) -> Proxy | None:
        if not self._obey_proxies:
            return None
        if url not in self._proxies:
            self._proxies[url] = proxy_for(url)
        return self._proxies[url]


class HttpReply:
    """An aiohttp response as a `Reply`."""

    def __init__(self, response: "aiohttp.ClientResponse") -> None:
        """Wrap it."""
        self._response = response
        self.status = response.status

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers, names in lower case."""
        return {name.lower(): value for name, value in self._response.headers.items()}

    async def next_chunk(self) -> bytes:
        """The next piece of the body."""
        import aiohttp

        try:
            return await self._response.content.readany()
        except (aiohttp.ClientError, OSError) as error:
            raise AttemptFailed(_told(error, str(self._response.url))) from error

    async def close(self) -> None:
        """Give the connection back, if it was read to its end, or drop it."""
        self._response.release()


def _proxy_failure(error: "aiohttp.ClientHttpProxyError") -> AttemptFailed | ModelRejected:
    told = f"The proxy answered {error.status} {error.message}"
    if error.status in {401, 403, 407}:
        return ModelRejected(told, hint="Check the user and password in HTTPS_PROXY, or name the host in NO_PROXY.")
    return AttemptFailed(told)


def _told(error: Exception, url: str) -> str:
    where = url.partition("://")[2].partition("/")[0].rpartition("@")[2]
    return f"The connection to {where} failed: {type(error).__name__}{f': {error}' if str(error) else ''}"
