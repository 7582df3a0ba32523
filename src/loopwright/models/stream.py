"""Answers that come in pieces: streamed ones, and those that the user's own limit has cut."""

from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from pydantic_core import from_json

from loopwright.kernel.errors import ModelRejected
from loopwright.kernel.events import ModelResponse, Usage
from loopwright.kernel.messages import Message, ToolCall
from loopwright.kernel.ports import AnswerSink, DeltaSink, ModelRequest
from loopwright.models.answer import (
    OPAQUE_CALL_FIELDS,
    OPAQUE_FIELDS,
    Answer,
    Timing,
    arguments_text,
    check_object,
    finish_reason_of,
    new_call_id,
    opaque_of,
    opaque_parts,
    text_of,
    timing_of,
    usage_of,
)
from loopwright.models.retry import AttemptFailed

RESTARTED: Final = ""
"""The piece that tells a delta sink: the stream broke and the answer begins anew, what was shown so far is void.

An empty string, so that a sink which only appends is not disturbed by it; no other piece is empty.
"""

LINE_BYTES: Final = 1024 * 1024
"""The longest line of a stream that is read; pieces of an answer are a few hundred bytes."""


class EventLines:
    """Cuts a byte stream into the data of its events."""

    def __init__(self) -> None:
        """Start at the beginning of the stream."""
        self._rest = b""
        self._data: list[bytes] = []

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """The data of every event that this chunk completes.

        Raises:
            ModelRejected: a line is longer than any honest one.
        """
        lines = (self._rest + chunk).split(b"\n")
        self._rest = lines.pop()
        if len(self._rest) > LINE_BYTES:
            raise ModelRejected(f"The stream has a line of more than {LINE_BYTES} bytes; it was not read further.")
        for line in lines:
            line = line.rstrip(b"\r")
            if not line:
                if self._data:
                    yield b"\n".join(self._data)
                    self._data = []
            elif line.startswith(b"data:"):
                self._data.append(line[5:].removeprefix(b" "))

    def end(self) -> Iterator[bytes]:
        """The last event, where the stream ended without the blank line behind it."""
        yield from self.feed(b"\n\n")


@dataclass
class _Call:
    """A tool call that is still being written."""

    id: str = ""
    name: str = ""
    arguments: list[str] = field(default_factory=list)
    opaque: dict[str, Any] = field(default_factory=dict)


class AnswerBuilder:
    """Puts the pieces of a streamed answer together; text goes to `on_delta` as it comes, calls if it takes them."""

    def __init__(self, on_delta: DeltaSink) -> None:
        """Start with nothing."""
        self._on_delta = on_delta
        self._on_arguments = on_delta.arguments if isinstance(on_delta, AnswerSink) else None
        self._text: list[str] = []
        self._calls: dict[int, _Call] = {}
        self._opaque: dict[str, Any] = {}
        self._usage: Usage | None = None
        self._reason: str | None = None
        self._model = ""
        self._timing = Timing()
        self._done = False

    def take(self, data: bytes) -> None:
        """Take in one event.

        Raises:
            AttemptFailed: it is no chunk of an answer.
        """
        if data == b"[DONE]":
            self._done = True
            return
        try:
            chunk = check_object(from_json(data))
        except ValueError as error:
            raise AttemptFailed(f"the stream has an event that is no JSON: {data[:200]!r}") from error
        self._model = str(chunk.get("model") or self._model)
        self._usage = usage_of(chunk.get("usage")) or self._usage
        if "timings" in chunk:
            self._timing = timing_of(chunk["timings"])
        for choice in chunk.get("choices") or ():
            if isinstance(choice, dict) and not choice.get("index"):
                self._take_choice(choice)

    def _take_choice(self, choice: Mapping[str, Any]) -> None:
        self._reason = choice.get("finish_reason") or self._reason
        delta = choice.get("delta")
        if not isinstance(delta, dict):
            return
        text = text_of(delta.get("content")) or text_of(delta.get("refusal"))
        if text:
            self._text.append(text)
            self._on_delta(text)
        for name, piece in opaque_parts(delta, OPAQUE_FIELDS).items():
            known = self._opaque.get(name)
            self._opaque[name] = known + piece if type(known) is type(piece) and known else piece
        for piece in delta.get("tool_calls") or ():
            if isinstance(piece, dict):
                self._take_call(piece)

    def _take_call(self, piece: Mapping[str, Any]) -> None:
        index = piece.get("index")
        if not isinstance(index, int):  # servers that send whole calls leave the index out
            index = len(self._calls) if piece.get("id") or not self._calls else len(self._calls) - 1
        call = self._calls.setdefault(index, _Call())
        function = piece.get("function")
        call.opaque |= opaque_parts(piece, OPAQUE_CALL_FIELDS)
        call.id = call.id or str(piece.get("id") or "")
        if isinstance(function, dict):
            call.name = call.name or str(function.get("name") or "")
            text = arguments_text(function.get("arguments"))
            call.arguments.append(text)
            if text and self._on_arguments is not None:
                self._on_arguments(index, call.name, text)

    def finish(self) -> Answer:
        """The whole answer.

        Raises:
            AttemptFailed: the stream ended before the answer did.
        """
        if self._reason is None and not (self._done and (self._text or self._calls)):
            raise AttemptFailed("the stream ended in the middle of the answer")
        calls = tuple(
            ToolCall(id=call.id or new_call_id(), name=call.name, arguments="".join(call.arguments) or "{}")
            for _, call in sorted(self._calls.items())
        )
        signed = {call.id: made.opaque for call, (_, made) in zip(calls, sorted(self._calls.items()), strict=True)}
        return Answer(
            text="".join(self._text),
            tool_calls=calls,
            opaque=opaque_of(self._opaque, signed),
            usage=self._usage,
            finish_reason=finish_reason_of(self._reason, has_calls=bool(calls)),
            model=self._model,
            timing=self._timing,
        )


async def read_stream(next_chunk: Callable[[], Awaitable[bytes]], on_delta: DeltaSink) -> Answer:
    """Read a streamed answer to its end; `next_chunk` gives an empty chunk there.

    Raises:
        AttemptFailed: it is broken or incomplete.
        ModelRejected: it is no stream that can be read.
    """
    lines, builder = EventLines(), AnswerBuilder(on_delta)
    while chunk := await next_chunk():
        for data in lines.feed(chunk):
            builder.take(data)
    for data in lines.end():
        builder.take(data)
    return builder.finish()


class RestartableSink:
    """A sink that is told when what it has shown is void."""

    def __init__(self, on_delta: DeltaSink) -> None:
        """Nothing is shown yet."""
        self._on_delta = on_delta
        self._on_arguments = on_delta.arguments if isinstance(on_delta, AnswerSink) else None
        self._shown = False
        self._kept = ""

    def begin(self) -> None:
        """An attempt begins; whatever an earlier one has shown is void, but for what was kept."""
        if self._shown:
            self._on_delta(RESTARTED)
            self._shown = False
            if self._kept:
                self._on_delta(self._kept)

    def keep(self, text: str) -> None:
        """This is what stands of what was shown; the next attempt continues it."""
        self._kept, self._shown = text, False

    def __call__(self, text: str) -> None:
        """Show a piece of the text."""
        self._shown = True
        self._on_delta(text)

    def arguments(self, index: int, name: str, text: str) -> None:
        """Show a piece of a call's arguments to those who want to see them."""
        if self._on_arguments is not None:
            self._shown = True
            self._on_arguments(index, name, text)


# Answers that the user's own limit has cut: asked for piece by piece, until they are whole.

GO_ON: Final = (
    "Your answer was cut off at the length limit. Go on exactly where it stops, in the middle of a word if need be. "
    "Repeat nothing of it, and say nothing else."
)
OVERLAP: Final = 400
"""How many characters at the end of a piece are looked for at the beginning of the next."""
LOOP: Final = 120
"""So many characters at the end that stand there more often than twice show a model that goes in circles."""
RESTART: Final = 60
"""So many equal characters at the beginning show that the answer was begun anew instead."""


async def until_whole(
    ask: Callable[[ModelRequest], Awaitable[ModelResponse]],
    kept: Callable[[str], None],
    request: ModelRequest,
    cap: int | None,
) -> ModelResponse:
    """The answer to a request, no piece of it longer than `cap` tokens, in all no longer than the request allows.

    Only plain text that does not go in circles is continued: a call, or an object under a schema, would begin anew.
    What is still cut at the end says so by its `finish_reason`, and so does what the endpoint refuses to continue.

    Args:
        ask: gives one answer.
        kept: is told what of the text stands when it is continued.
        request: what is asked for.
        cap: the longest piece; None for no bound but the request's.

    Raises:
        ModelError: from the first piece; from a later one unless it was refused.
    """
    bounded = request if cap is None or request.max_tokens <= cap else replace(request, max_tokens=cap)
    whole = await ask(bounded)
    left = request.max_tokens - bounded.max_tokens
    while whole.finish_reason == "length" and left > 0 and is_plain(request) and _goes_on(whole.text):
        kept(whole.text)
        messages = [*request.messages, Message.assistant(whole.text), Message.user(GO_ON)]
        try:
            piece = await ask(replace(bounded, messages=messages, max_tokens=min(left, bounded.max_tokens)))
        except ModelRejected:  # most likely no space is left for what came so far; the answer says that it was cut
            return whole
        left -= bounded.max_tokens
        whole = _joined(whole, piece)
    return whole


def is_plain(request: ModelRequest) -> bool:
    """Whether the answer is plain text, which can be continued."""
    return request.response_format is None and request.grammar is None and not len(request.tools)


def _goes_on(text: str) -> bool:
    """Whether there is something to continue: neither nothing, nor the same again and again."""
    return bool(text.strip()) and (len(text) < LOOP or text.count(text[-LOOP:]) < 3)


def longest_answer(request: ModelRequest, cap: int | None) -> int:
    """The most tokens that `until_whole` may ask for."""
    return request.max_tokens if cap is None or is_plain(request) else min(cap, request.max_tokens)


def _joined(first: ModelResponse, second: ModelResponse) -> ModelResponse:
    costs = (first.cost_usd, second.cost_usd)
    return first.model_copy(
        update={
            "text": joined_text(first.text, second.text),
            "usage": _sum(first.usage, second.usage),
            "cost_usd": None if None in costs else sum(cost or 0.0 for cost in costs),
            "finish_reason": second.finish_reason,
        }
    )


def joined_text(first: str, second: str) -> str:
    """The text of two pieces, without what the second repeats; the second alone where it begins anew."""
    if len(first) > RESTART and second.lstrip()[:RESTART] == first.lstrip()[:RESTART]:
        return second
    for length in range(min(OVERLAP, len(first), len(second)), 7, -1):
        if first.endswith(second[:length]):
            return first + second[length:]
    return first + second


def _sum(first: Usage, second: Usage) -> Usage:
    return Usage(
        prompt_tokens=first.prompt_tokens + second.prompt_tokens,
        completion_tokens=first.completion_tokens + second.completion_tokens,
        cached_tokens=first.cached_tokens + second.cached_tokens,
        estimated=first.estimated or second.estimated,
    )
