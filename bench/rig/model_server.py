"""A model server that costs next to nothing, so that what is measured is the client: bare asyncio, prepared answers.

The system prompt tells what to do: `steps-10-latency-50` calls a tool ten times, then says that it is done, each answer
after 50 milliseconds. How far a conversation is, is seen from the number of tool results in it. Prints its port.
"""

import asyncio
import re
from typing import Final

from pydantic_core import to_json

ORDER: Final = re.compile(rb"steps-(\d+)-latency-(\d+)")
LENGTH: Final = re.compile(rb"content-length:\s*(\d+)", re.IGNORECASE)
STREAM: Final = re.compile(rb'"stream":\s*true')
USAGE: Final = {"prompt_tokens": 1_000, "completion_tokens": 40, "total_tokens": 1_040}
CALL: Final = {
    "id": "call_1",
    "type": "function",
    "function": {"name": "search", "arguments": '{"query": "opening hours of the shop", "limit": 5}'},
}


def head(kind: bytes, length: int) -> bytes:
    """The head of an answer with a body of this length."""
    return b"HTTP/1.1 200 OK\r\ncontent-type: %s\r\ncontent-length: %d\r\n\r\n" % (kind, length)


def whole(message: dict[str, object], reason: str) -> bytes:
    """An answer in one piece."""
    choice = {"index": 0, "message": {"role": "assistant", **message}, "logprobs": None, "finish_reason": reason}
    fields = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "gpt-4.1", "choices": [choice]}
    body = to_json({**fields, "usage": USAGE})
    return head(b"application/json", len(body)) + body


def streamed(deltas: list[dict[str, object]], reason: str) -> bytes:
    """The same answer as a stream, sent in one piece all the same."""
    fields = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "gpt-4.1"}
    chunks = [{"choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
    chunks.append({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
    events = [
        b"data: " + to_json({**fields, **chunk}) + b"\n\n" for chunk in (*chunks, {"choices": [], "usage": USAGE})
    ]
    body = b"".join(events) + b"data: [DONE]\n\n"
    return head(b"text/event-stream", len(body)) + body


SAID: Final = "I look that up first, because the answer depends on it."
CALLING: Final = {
    False: whole({"content": SAID, "tool_calls": [CALL]}, "tool_calls"),
    True: streamed(
        [*({"content": word + " "} for word in SAID.split()), {"tool_calls": [{"index": 0, **CALL}]}], "tool_calls"
    ),
}
DONE: Final = {
    False: whole({"content": "All is done."}, "stop"),
    True: streamed([{"content": "All is done."}], "stop"),
}


class Connection(asyncio.Protocol):
    """Gathers a request by its length and answers it after the latency."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin."""
        self.transport = transport
        self.gathered = bytearray()
        self.wanted = -1

    def data_received(self, data: bytes) -> None:
        """Take a piece of a request."""
        self.gathered += data
        if self.wanted < 0:
            end = self.gathered.find(b"\r\n\r\n")
            if end < 0:
                return
            length = LENGTH.search(self.gathered, 0, end)
            self.wanted = end + 4 + (int(length[1]) if length else 0)
        if len(self.gathered) >= self.wanted:
            self.answer()
            self.gathered.clear()
            self.wanted = -1

    def answer(self) -> None:
        """Answer the gathered request."""
        order = ORDER.search(self.gathered)
        steps, latency = (int(order[1]), int(order[2]) / 1_000) if order else (0, 0.0)
        streams = STREAM.search(self.gathered) is not None
        answer = (DONE if self.gathered.count(b'"tool_call_id"') >= steps else CALLING)[streams]
        asyncio.get_running_loop().call_later(latency, self.transport.write, answer)  # type: ignore[attr-defined]


async def serve() -> None:
    """Serve until killed."""
    server = await asyncio.get_running_loop().create_server(Connection, "127.0.0.1", 0, backlog=4_096)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve())
