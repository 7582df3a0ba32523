"""What routes are given, and what they answer with over time: server-sent events."""

import asyncio
import json
import logging
import re
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Depends, Path, Query, Request
from starlette.responses import StreamingResponse

from loopwright.app.loopwright import Loopwright
from loopwright.kernel.errors import InvalidInput, LoopwrightError
from loopwright.kernel.events import Event


def _application(request: Request) -> Loopwright:
    application: Loopwright = request.app.state.application
    return application


Application = Annotated[Loopwright, Depends(_application)]
"""The opened application."""


# Numbers that requests carry, bounded by what the stores can hold: a larger one is the caller's fault.

MAX_INTEGER = 2**53 - 1
"""The greatest integer that every reader of JSON has exactly; the stores hold more."""

Seq = Annotated[int, Query(ge=0, le=MAX_INTEGER)]
"""The number of an event in its run's journal, 0 before the first one."""

Version = Annotated[int, Query(ge=1, le=MAX_INTEGER)]
"""The number of a page's version."""

VersionInPath = Annotated[int, Path(ge=1, le=MAX_INTEGER)]


def seq_of(event_id: str) -> int:
    """The seq that a `Last-Event-ID` names; 0 for an id of another kind, which is of another stream.

    Raises:
        InvalidInput: no run has so many events.
    """
    if not re.fullmatch(r"[0-9]+", event_id):
        return 0
    if len(event_id) > len(str(MAX_INTEGER)) or int(event_id) > MAX_INTEGER:
        raise InvalidInput(
            "Last-Event-ID is no id of an event.", hint="Send the id of the last event that came, or no such header."
        )
    return int(event_id)


# Server-sent events.

PING_SECONDS = 15
STREAM_SECONDS = 3_600.0
"""After which a journal's stream ends: the client asks for the rest with the last id, and one that has gone without
being noticed, or never reads, does not hold its place for ever."""

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Frame:
    """One event of a stream; the client sends the newest `id` back when it asks for the rest."""

    data: str
    id: str | None = None

    def encode(self) -> bytes:
        """As it travels."""
        identifier = "" if self.id is None else f"id: {self.id}\r\n"
        lines = "".join(f"data: {line}\r\n" for line in self.data.split("\n"))
        return f"{identifier}{lines}\r\n".encode()


_sources: set[asyncio.Task[None]] = set()


def end_streams() -> None:
    """End all streams of this process, since it stops serving; clients ask another one for the rest."""
    for task in _sources:
        task.cancel()


class EventStream(StreamingResponse):
    """Frames as server-sent events, and a comment where none comes for a while: proxies drop what is silent."""

    media_type = "text/event-stream"

    def __init__(self, frames: AsyncGenerator[Frame, None], headers: Mapping[str, str] | None = None) -> None:
        """Send the frames as they come; `headers` are added to what keeps caches and proxies from holding them."""
        fixed = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        super().__init__(_with_pings(frames), headers={**fixed, **(headers or {})})


async def _with_pings(frames: AsyncGenerator[Frame, None]) -> AsyncGenerator[bytes, None]:
    ready: asyncio.Queue[Frame] = asyncio.Queue(1)

    async def pump() -> None:
        async with aclosing(frames):
            async for frame in frames:
                await ready.put(frame)

    source = asyncio.create_task(pump())
    _sources.add(source)
    waiting = asyncio.create_task(ready.get())
    try:
        while not (source.done() and ready.empty() and not waiting.done()):
            done, _ = await asyncio.wait({source, waiting}, timeout=PING_SECONDS, return_when=asyncio.FIRST_COMPLETED)
            if waiting in done:
                yield waiting.result().encode()
                waiting = asyncio.create_task(ready.get())
            elif not done:
                yield b": ping\r\n\r\n"
            else:
                await asyncio.sleep(0)  # the last frame is on its way from the queue
        if not source.cancelled():
            source.result()  # raises what the frames raised
    finally:
        _sources.discard(source)
        for task in (source, waiting):
            task.cancel()
        await asyncio.gather(source, waiting, return_exceptions=True)


def envelope(event: Event, session_id: str) -> dict[str, Any]:
    """An event as the stream's clients know it."""
    return {
        "type": event.type,
        "timestamp": event.at.strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        "session_id": session_id,
        "run_id": event.run_id,
        "seq": event.seq,
        "source": "run",
        "event_id": f"{event.run_id}:{event.seq}",
        "payload": event.payload,
    }


def event_stream(application: Loopwright, run_id: str, session_id: str, since_seq: int) -> EventStream:
    """A run's journal as SSE; ids are seqs, so that `Last-Event-ID` goes on where the connection broke."""

    async def frames() -> AsyncGenerator[Frame, None]:
        async with aclosing(application.stores.journal.watch(run_id, since_seq)) as events:
            async for event in _for_a_while(events):
                yield Frame(as_json(envelope(event, session_id)), id=str(event.seq))

    return EventStream(frames())


async def _for_a_while(events: AsyncGenerator[Event, None]) -> AsyncIterator[Event]:
    """The events until the stream's time is over, or the store cannot be asked: the client's next request is told."""
    end = asyncio.get_running_loop().time() + STREAM_SECONDS
    while True:
        try:
            async with asyncio.timeout_at(end):
                event = await anext(events)
        except (StopAsyncIteration, TimeoutError):
            return
        except LoopwrightError as error:
            log.warning("a stream ends: %s", error.message)
            return
        yield event


def as_json(data: dict[str, Any]) -> str:
    """The data of one frame."""
    return json.dumps(data, ensure_ascii=False)
