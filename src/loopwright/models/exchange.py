"""One attempt: a request goes out, an answer comes in, within its time and size."""

import asyncio
from collections.abc import AsyncIterator, Callable
from urllib.parse import SplitResult, urlsplit

from loopwright import __version__
from loopwright.kernel.errors import Misconfigured, ModelRejected
from loopwright.models.answer import Answer, parse_answer
from loopwright.models.failures import AttemptFailed, failure_of
from loopwright.models.settings import ModelSettings
from loopwright.models.stream import read_stream
from loopwright.models.transport import Reply, Transport

ERROR_BYTES = 64 * 1024
"""How much of an error's body is read."""


class Exchange:
    """Sends bodies to one endpoint's `/chat/completions`."""

    def __init__(self, settings: ModelSettings, transport: Transport) -> None:
        """Work out the address and the headers once.

        Raises:
            Misconfigured: the base URL is none.
        """
        parts = address_of(settings.base_url)
        path = parts.path.rstrip("/")
        self.host = parts.hostname or ""
        self._url = parts._replace(path=f"{path}/chat/completions").geturl()
        self._endpoint = parts._replace(netloc=parts.netloc.rpartition("@")[2], query="").geturl()
        self._settings = settings
        self._transport = transport
        self._headers = {
            "Content-Type": "application/json",
            "Accept-Encoding": "identity",
            "User-Agent": f"loopwright/{__version__}",
            **settings.headers,
        }
        if settings.api_key:
            self._headers["Authorization"] = f"Bearer {settings.api_key.strip()}"

    async def attempt(self, body: bytes, model: str, on_delta: Callable[[str], None] | None, seconds: float) -> Answer:
        """The answer; the body must ask for a stream exactly when `on_delta` is given.

        Raises:
            AttemptFailed: for a passing reason; no more than `seconds` were spent.
            ModelRejected: for good.
        """
        loop = asyncio.get_running_loop()
        seconds = min(seconds, self._settings.attempt_seconds)
        end, silence = loop.time() + seconds, self._settings.silence_seconds
        try:
            async with asyncio.timeout_at(min(end, loop.time() + silence)) as limit:

                async def heard(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
                    async for chunk in chunks:
                        limit.reschedule(min(end, loop.time() + silence))
                        yield chunk

                async with self._transport.post(self._url, body, self._headers) as reply:
                    return await self._read(reply, heard(reply.chunks()), model, on_delta)
        except TimeoutError as error:
            told = f"nothing came for {silence:g} s" if loop.time() < end else f"no whole answer within {seconds:.3g} s"
            raise AttemptFailed(f"{self._endpoint}: {told}") from error

    async def _read(
        self, reply: Reply, chunks: AsyncIterator[bytes], model: str, on_delta: Callable[[str], None] | None
    ) -> Answer:
        if reply.status != 200:
            body = await read_all(chunks, ERROR_BYTES, truncate=True)
            raise failure_of(
                reply.status,
                reply.headers,
                body,
                model=model,
                endpoint=self._endpoint,
                secret=self._settings.api_key,
            )
        chunks = within(chunks, self._settings.answer_bytes)
        if on_delta is not None and "json" not in reply.headers.get("content-type", ""):
            return await read_stream(chunks, on_delta)
        answer = parse_answer(await read_all(chunks, self._settings.answer_bytes))
        if on_delta is not None and answer.text:  # an endpoint that knows no streams
            on_delta(answer.text)
        return answer


def address_of(base_url: str) -> SplitResult:
    """The parts of the endpoint's address.

    Raises:
        Misconfigured: it is no http or https address.
    """
    try:
        parts = urlsplit(base_url.strip())
        known = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        known = False
        parts = urlsplit("")
    if not known:
        raise Misconfigured(
            f"{base_url!r} is not the address of an endpoint.",
            hint="OPENAI_BASE_URL looks like https://api.openai.com/v1 or http://127.0.0.1:8080/v1.",
        )
    return parts


async def within(chunks: AsyncIterator[bytes], most: int) -> AsyncIterator[bytes]:
    """The chunks, as long as they are not too many bytes in all.

    Raises:
        ModelRejected: they are.
    """
    size = 0
    async for chunk in chunks:
        size += len(chunk)
        if size > most:
            raise ModelRejected(
                f"The answer is larger than {most / 1024 / 1024:g} MB; it was not read further.",
                hint="Ask for less at once, or lower max_tokens.",
            )
        yield chunk


async def read_all(chunks: AsyncIterator[bytes], most: int, *, truncate: bool = False) -> bytes:
    """The chunks as one; with `truncate` reading stops after about `most` bytes."""
    pieces: list[bytes] = []
    size = 0
    async for chunk in chunks:
        pieces.append(chunk)
        size += len(chunk)
        if truncate and size >= most:
            break
    return b"".join(pieces)
