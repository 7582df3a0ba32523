"""Server-sent events."""

import asyncio
import json
import logging
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import Any

from sse_starlette import EventSourceResponse, ServerSentEvent

from loopwright.app.loopwright import Loopwright
from loopwright.app.soul import Begun, whole_response
from loopwright.app.watching import watch_run
from loopwright.engine.broadcast import WRITING, Live
from loopwright.kernel.errors import LoopwrightError
from loopwright.kernel.events import Event

DELTA_CHARS = 32
"""Spec 000's clients get text in pieces of this size."""
PING_SECONDS = 15
STREAM_SECONDS = 3_600.0
"""After which a journal's stream ends: the client asks for the rest with the last id, and one that has gone without
being noticed, or never reads, does not hold its place for ever."""

log = logging.getLogger(__name__)


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


def event_stream(house: Loopwright, run_id: str, session_id: str, since_seq: int) -> EventSourceResponse:
    """A run's journal as SSE; ids are seqs, so that `Last-Event-ID` goes on where the connection broke."""

    async def frames() -> AsyncGenerator[ServerSentEvent, None]:
        async with aclosing(house.stores.journal.watch(run_id, since_seq)) as events:
            async for event in _for_a_while(events):
                yield ServerSentEvent(_json(envelope(event, session_id)), id=str(event.seq))

    return EventSourceResponse(frames(), ping=PING_SECONDS)


def chat_stream(house: Loopwright, begun: Begun, *, writing: bool = False) -> EventSourceResponse:
    """Events, text pieces and full payload frames of a chat turn, ended by `[DONE]`.

    `writing` adds what models write inside tools (pages, say) and the arguments of calls, piece by piece.
    """

    async def frames() -> AsyncGenerator[ServerSentEvent, None]:
        async for data in chat_frames(house, begun, writing=writing):
            yield ServerSentEvent(_json(data))
        yield ServerSentEvent("[DONE]")

    return EventSourceResponse(frames(), ping=PING_SECONDS, headers={"X-Run-Id": begun.record.run_id})


async def chat_frames(house: Loopwright, begun: Begun, *, writing: bool = False) -> AsyncIterator[dict[str, Any]]:
    """The frames of a chat turn, to its end or to its next question."""
    session_id = begun.record.session_id
    watched = watch_run(house, begun.record.run_id, begun.since, until_pause=True, writing=writing)
    async with aclosing(watched) as pieces:
        async for piece in pieces:
            if isinstance(piece, Live) and piece.kind in WRITING:
                yield {"type": f"tool_{piece.kind}", **piece.data}
                continue
            if isinstance(piece, Live) and piece.kind == "delta":
                text = piece.data["text"]  # an empty piece voids what was shown: the answer is begun anew
                yield {"type": "thinking", "text": text} if text else {"type": "thinking_restarted"}
                continue
            if isinstance(piece, Event):
                yield envelope(piece, session_id)
            response = await whole_response(house, session_id, piece)
            if response is None:
                continue
            if response.is_complete:
                for start in range(0, len(response.message), DELTA_CHARS):
                    yield {"delta": response.message[start : start + DELTA_CHARS]}
            yield response.to_payload() | {"run_id": begun.record.run_id}


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


def _json(data: dict[str, Any]) -> str:
    return json.dumps(data, ensure_ascii=False)
