"""One attempt: a request goes out, an answer comes in, within its time and size."""

import asyncio
from dataclasses import replace
from urllib.parse import SplitResult, urlsplit

from loopwright import __version__
from loopwright.kernel.errors import Misconfigured, ModelRejected
from loopwright.kernel.ports import DeltaSink
from loopwright.models.answer import Answer, parse_answer
from loopwright.models.retry import TookTooLong, failure_of
from loopwright.models.settings import ModelSettings
from loopwright.models.stream import read_stream
from loopwright.models.transport import Reply, Transport

TASK_HEADER = "X-Loopwright-Task"
"""What is asked for, by the name that the offline model knows it by."""
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
        if settings.api_key and parts.username is None:  # a user in the address is the other way to be let in
            self._headers["Authorization"] = f"Bearer {settings.api_key.strip()}"

    async def attempt(
        self,
        body: bytes,
        model: str,
        on_delta: DeltaSink | None,
        seconds: float,
        first_byte: float,
        task: str = "",
    ) -> Answer:
        """The answer; the body must ask for a stream exactly when `on_delta` is given.

        Args:
            body: the request.
            model: who is asked, for messages.
            on_delta: takes pieces of a streamed answer.
            seconds: how long the whole may take.
            first_byte: how long the first byte may take; later ones may take as long as the settings say.
            task: goes as a header.

        Raises:
            AttemptFailed: for a passing reason; no more than `seconds` were spent.
            ModelRejected: for good.
        """
        loop = asyncio.get_running_loop()
        start = loop.time()
        end, read = start + seconds, None
        try:
            async with asyncio.timeout_at(min(end, start + first_byte)) as limit:
                headers = self._headers | {TASK_HEADER: task} if task else self._headers
                reply = await self._transport.post(self._url, body, headers)
                read = Body(reply, limit, start, end, self._settings)
                try:
                    answer = await self._read(read, model, on_delta)
                finally:
                    await reply.close()
        except TimeoutError as error:
            silence = self._settings.silence_seconds if read is not None and read.begun else first_byte
            late = loop.time() >= end
            told = f"no whole answer within {seconds:.3g} s" if late else f"nothing came for {silence:.3g} s"
            raise TookTooLong(f"{self._endpoint}: {told}") from error
        if on_delta is None or not read.begun:
            return answer
        timing = replace(answer.timing, first=read.begun - start, rest=loop.time() - read.begun)
        return replace(answer, timing=timing)

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
        self.begun = 0.0
        """When the first piece came, by the event loop's clock; 0 before."""

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
        first, self.begun = not self.begun, self.begun or now
        if (
            first or now - self._armed > self._silence / 16
        ):  # a timer for each of a thousand pieces would cost more than they do
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
