"""One attempt: a request goes out, an answer comes in, within its time and size."""

import asyncio
from urllib.parse import SplitResult, urlsplit

from loopwright import __version__
from loopwright.kernel.errors import Misconfigured, ModelRejected
from loopwright.kernel.ports import DeltaSink
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

    async def attempt(self, body: bytes, model: str, on_delta: DeltaSink | None, seconds: float) -> Answer:
        """The answer; the body must ask for a stream exactly when `on_delta` is given.

        Raises:
            AttemptFailed: for a passing reason; no more than `seconds` were spent.
            ModelRejected: for good.
        """
        loop = asyncio.get_running_loop()
        seconds = min(seconds, self._settings.attempt_seconds)
        start, silence = loop.time(), self._settings.silence_seconds
        end = start + seconds
        try:
            async with asyncio.timeout_at(min(end, start + silence)) as limit:
                reply = await self._transport.post(self._url, body, self._headers)
                try:
                    return await self._read(Body(reply, limit, start, end, self._settings), model, on_delta)
                finally:
                    await reply.close()
        except TimeoutError as error:
            late = loop.time() >= end
            told = f"no whole answer within {seconds:.3g} s" if late else f"nothing came for {silence:g} s"
            raise AttemptFailed(f"{self._endpoint}: {told}") from error

    async def _read(self, body: "Body", model: str, on_delta: DeltaSink | None) -> Answer:
        reply = body.reply
        if reply.status != 200:
            raise failure_of(
                reply.status,
                reply.headers,
                await body.whole(ERROR_BYTES),
                model=model,
                endpoint=self._endpoint,
                secret=self._settings.api_key,
            )
        if on_delta is not None and "json" not in reply.headers.get("content-type", ""):
            return await read_stream(body.next_chunk, on_delta)
        answer = parse_answer(await body.whole())
        if on_delta is not None and answer.text:  # an endpoint that knows no streams
            on_delta(answer.text)
        return answer


class Body:
    """A reply's body, read within its time and size."""

    def __init__(self, reply: Reply, limit: asyncio.Timeout, start: float, end: float, settings: ModelSettings) -> None:
        """Nothing is read yet; `limit`, set at `start`, is moved on with signs of life, but not beyond `end`."""
        self.reply = reply
        self._limit = limit
        self._end = end
        self._silence = settings.silence_seconds
        self._most = settings.answer_bytes
        self._size = 0
        self._clock = asyncio.get_running_loop().time
        self._armed = start

    async def next_chunk(self) -> bytes:
        """The next piece; empty at the end.

        Raises:
            AttemptFailed: the connection broke.
            ModelRejected: the body is larger than anybody wants.
        """
        chunk = await self.reply.next_chunk()
        self._size += len(chunk)
        if self._size > self._most:
            raise ModelRejected(
                f"The answer is larger than {self._most / 1024 / 1024:.2g} MB; it was not read further.",
                hint="Ask for less at once, or lower max_tokens.",
            )
        now = self._clock()
        if now - self._armed > self._silence / 16:  # a timer for each of a thousand pieces would cost more than they do
            self._armed = now
            self._limit.reschedule(min(self._end, now + self._silence))
        return chunk

    async def whole(self, most: int | None = None) -> bytes:
        """All that is left of it, or, where only so much is wanted, its beginning. Raises as `next_chunk`."""
        chunk = await self.next_chunk()
        pieces = []
        while chunk:
            pieces.append(chunk)
            if most is not None and self._size >= most:
                break
            chunk = await self.next_chunk()
        return b"".join(pieces)


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
