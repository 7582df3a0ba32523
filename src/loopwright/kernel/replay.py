"""What a run has asked of its models, out of its journal: the requests themselves, and how many there were."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from loopwright.kernel import events as ev
from loopwright.kernel.events import Event, Usage
from loopwright.kernel.messages import Message, told_messages
from loopwright.kernel.state import RunState
from loopwright.kernel.think import MISFIT
from loopwright.kernel.tools import INVALID_ARGUMENTS

# Replay: every model request of a run, as it was, and for each message the event that it comes from.
#
# It folds the journal as a run does (`RunState`), and only looks on: what a request said and where that comes from are
# read off the same state, so the two cannot come apart.

SYSTEM_EVENTS = (ev.PromptSet, ev.Compacted, ev.ContextSeeded)
"""Events after which the system message is written anew, with the pins and the summary of that moment."""


@dataclass(frozen=True)
class Source:
    """Why something is in a prompt: the event that brought it, and the part of the message that it brought."""

    seq: int
    type: str
    part: str


@dataclass(frozen=True)
class PastRequest:
    """A request that was answered.

    `seq` is of the event that holds the answer, `step` counts the run's own requests from 1; one that a tool or a
    compaction made has none, and `purpose` names the call that made it (else the stage). `sources` are those of each
    message. `tools` is a JSON array. `sent` is None where a journal of an earlier version does not tell how it was put.
    """

    seq: int
    step: int | None
    purpose: str
    model: str
    messages: tuple[Message, ...]
    sources: tuple[tuple[Source, ...], ...]
    tools: str
    sent: ev.SentRequest | None


def past_requests(run_id: str, events: Iterable[ev.Event]) -> Iterator[PastRequest]:
    """The requests of a run, in the order of their answers, out of its whole journal."""
    replay = _Replay(run_id)
    for event in events:
        known = ev.KERNEL_PAYLOADS.get(event.type)
        payload = known.model_validate(event.payload) if known else None
        if isinstance(payload, ev.ModelResponse):
            yield replay.request(event, payload)
        elif isinstance(payload, ev.ToolModelResponse):
            yield _request_of_tool(event, payload)
        replay.take(event, payload)


class _Replay:
    """The state up to an event, and whence each of its messages comes."""

    def __init__(self, run_id: str) -> None:
        self._state = RunState(run_id)
        self._sources: dict[int, tuple[Message, Source]] = {}
        self._results: dict[str, ev.Event] = {}
        self._pins: dict[str, ev.Event] = {}
        self._system: list[Source] = []
        self._prompt: list[Source] = []

    def take(self, event: ev.Event, payload: ev.Payload | None) -> None:
        """Fold the event, and note what it brought."""
        before = self._state.context.messages
        self._state.apply(payload, event.at)
        if isinstance(payload, ev.Pinned):
            self._pins[payload.key] = event
        elif isinstance(payload, ev.ToolResultRecorded):
            self._results[payload.call_id] = event
        elif isinstance(payload, ev.PromptSet):
            self._prompt = [Source(event.seq, event.type, f"prompt of stage {payload.stage}")]
        if isinstance(payload, SYSTEM_EVENTS):
            self._note_system(event, payload)
        context = self._state.context
        if context.messages is not before:
            self._carry_over(before, context.messages)
        for message in (*context.messages, *self._state.remarks):
            if id(message) not in self._sources:
                self._sources[id(message)] = (message, self._origin(event, message))

    def request(self, event: ev.Event, payload: ev.ModelResponse) -> PastRequest:
        """The request that this event answers: asked with the state before it."""
        kept = self._state.context.build_messages()
        messages = told_messages(kept, payload.state)
        last = [(Source(event.seq, event.type, "state"),)] * (len(messages) - len(kept))
        told = payload.sent.tools if payload.sent is not None else None
        return PastRequest(
            seq=event.seq,
            step=self._state.steps + 1,
            purpose=payload.stage or self._state.stage,
            model=payload.model,
            messages=tuple(messages),
            sources=(tuple(self._system), *((self._sources[id(message)][1],) for message in kept[1:]), *last),
            tools=(self._state.tools if told is None else told) or "[]",
            sent=payload.sent,
        )

    def _note_system(self, event: ev.Event, payload: ev.Payload) -> None:
        shown = self._state.context.shown_pins
        pins = [Source(pin.seq, pin.type, f"pin {key}") for key, pin in self._pins.items() if key in shown]
        summary = [source for source in self._system if source.part == "summary"]
        if isinstance(payload, ev.Compacted | ev.ContextSeeded):
            summary = [Source(event.seq, event.type, "summary")] if payload.summary else []
        self._system = [*self._prompt, *pins, *summary]

    def _carry_over(self, before: list[Message], after: list[Message]) -> None:
        """What stays of a dialogue comes whence it came; from the end backwards, for there most of it lies."""
        older = iter(reversed(before))
        for message in reversed(after):
            match = next((old for old in older if old == message), None)
            if match is None:
                return
            self._sources[id(message)] = (message, self._sources[id(match)][1])

    def _origin(self, event: ev.Event, message: Message) -> Source:
        if message.role == "tool" and message.tool_call_id in self._results:
            event = self._results[message.tool_call_id]
        return Source(event.seq, event.type, "message")


def _request_of_tool(event: ev.Event, payload: ev.ToolModelResponse) -> PastRequest:
    source = Source(event.seq, event.type, f"asked by {payload.call_id}")
    return PastRequest(
        seq=event.seq,
        step=None,
        purpose=payload.call_id,
        model=payload.model,
        messages=tuple(payload.messages),
        sources=((source,),) * len(payload.messages),
        tools=(payload.sent.tools if payload.sent is not None else None) or "[]",
        sent=payload.sent,
    )


# What a run has asked of its models, out of its journal: calls, tokens, and how often an answer had to be repaired.


@dataclass
class ModelUse:
    """What one model was asked. `cached_tokens` are those of the prompts that its endpoint had read before.

    `repairs` counts what the model was told to send again because its form was wrong: answers and calls.
    """

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    repairs: int = 0

    def __str__(self) -> str:
        """In one line."""
        cached = f" ({self.cached_tokens:,} cached)" if self.cached_tokens else ""
        told = f"{self.calls} calls, {self.prompt_tokens:,}{cached} + {self.completion_tokens:,} tokens"
        return told + (f", {self.repairs} repairs" if self.repairs else "")


def use_of_models(events: Iterable[Event]) -> dict[str, ModelUse]:
    """The use of each model, by its name, in the order in which they came in."""
    found: dict[str, ModelUse] = {}
    last = ModelUse()
    for event in events:
        payload = event.payload
        if event.type in ("model_response", "tool_model_response"):
            use = found.setdefault(str(payload.get("model") or "unnamed"), ModelUse())
            counted = Usage.model_validate(payload.get("usage") or {})
            use.calls += 1
            use.prompt_tokens += counted.prompt_tokens
            use.completion_tokens += counted.completion_tokens
            use.cached_tokens += counted.cached_tokens
            last = use if event.type == "model_response" else last
        elif event.type == "controller_message":
            last.repairs += payload["reason"] == MISFIT
        elif event.type == "tool_result":
            last.repairs += str(payload.get("error") or "").startswith(INVALID_ARGUMENTS)
    return found
