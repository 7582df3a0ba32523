"""What must hold of every journal, every compaction strategy and every controller, whoever wrote them."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic_core import to_json

from loopwright.kernel import events as ev
from loopwright.kernel.compaction import DIMENSIONS, CompactionStrategy
from loopwright.kernel.errors import ModelError
from loopwright.kernel.events import ModelResponse
from loopwright.kernel.messages import ConversationContext, Message, ToolCall, units
from loopwright.kernel.policy import TERMINAL_STAGES, Controller
from loopwright.kernel.ports import ModelRequest
from loopwright.kernel.prompts import PromptRepository
from loopwright.kernel.state import TERMINAL

# What every compaction strategy must keep (spec 000, phase 2; field notes, decision 12).

GOOD_SUMMARY = json.dumps(dict.fromkeys(DIMENSIONS, "so it was"))

_BAD_ANSWERS = ("", "I cannot do that.", "{", "[1, 2]", "null", '{"goal": "one key only"}', '{"a":' * 20_000)


class SummaryModel:
    """A `ToolModel` that gives one answer to every request, or raises; `requests` are what it was asked."""

    def __init__(self, answer: str | Exception = GOOD_SUMMARY) -> None:
        """Give this answer, whatever is asked."""
        self.answer = answer
        self.requests: list[ModelRequest] = []

    async def complete(self, request: ModelRequest) -> ModelResponse:
        """Answer.

        Raises:
            Exception: the answer is one.
        """
        self.requests.append(request)
        if isinstance(self.answer, Exception):
            raise self.answer
        return ModelResponse(text=self.answer)


def dialogue(rounds: int, *, calls: int = 1, said_at: int = 0, size: int = 40) -> ConversationContext:
    """A dialogue of so many rounds of tool calls, in which the user spoke last before round `said_at`."""
    context = ConversationContext(system="You are an agent.")
    context.pins |= {"plan": "first this, then that", "mode": "agent"}
    context.set_system(context.system)
    for number in range(rounds):
        if number in (0, said_at):
            context.newest_user = Message.user(f"request {number}")
            context.add(context.newest_user)
        asked = [ToolCall(id=f"c{number}-{i}", name="look", arguments='{"n": 1}') for i in range(calls)]
        context.add(Message.assistant(f"step {number}", asked))
        for call in asked:
            context.add(Message.tool(call.id, "x" * size))
        if number % 5 == 4:
            context.add(Message.user("The controller says: go on."))
    return context


async def check_compaction_strategy(strategy: CompactionStrategy, *, good: str = GOOD_SUMMARY) -> None:
    """Check a strategy on dialogues of many shapes; `good` is a model's answer that it can use.

    It must be due some time and at rest after it has worked; keep the newest user message and every tool call with its
    results; shorten; leave the context as it is, whatever comes back; and give up, not break, on an unusable answer.

    Raises:
        AssertionError: the strategy breaks one of these.
    """
    prompts = PromptRepository({})
    _require(not strategy.due(ConversationContext()), "an empty dialogue needs no compaction")
    for calls, size, said_at in ((1, 40, 0), (3, 4_000, 7), (2, 20_000, 0), (1, 4_000, 15)):
        context = _due_dialogue(strategy, calls=calls, size=size, said_at=said_at)
        before = _bytes_of(context)
        result = await strategy.compact(context, SummaryModel(good), prompts)
        if result is None:
            raise AssertionError("a good answer makes a summary")
        _require(_bytes_of(context) == before, "a strategy gives a result and changes nothing itself")
        _check_result(context, result.messages)
        context.replace(result.messages, result.summary)
        _require(all(text in context.build_messages()[0].content for text in context.pins.values()), "pins survive")
        _require(not strategy.due(context), "it rests afterwards")
    await _check_failures(strategy, prompts)


def _require(holds: bool, promise: str) -> None:
    if not holds:
        raise AssertionError(promise)


def _due_dialogue(strategy: CompactionStrategy, *, calls: int, size: int, said_at: int) -> ConversationContext:
    rounds = 1
    while rounds < 6_000:
        context = dialogue(rounds, calls=calls, size=size, said_at=said_at)
        if rounds > said_at and strategy.due(context):
            return context
        rounds += 1 + rounds // 8  # a strategy that goes by tokens alone may want a long one
    raise AssertionError("the strategy is never due")


def _check_result(context: ConversationContext, kept: Sequence[Message]) -> None:
    _require(context.newest_user in kept, "the newest user message survives every compaction")
    _require(sum(m.estimated_tokens for m in kept) < sum(m.estimated_tokens for m in context.messages), "it shortens")
    for unit in units(kept):
        asked = [call.id for call in unit[0].tool_calls]
        answered = [message.tool_call_id for message in unit[1:]]
        _require(unit[0].role != "tool", "a result never stands without its call")
        _require(asked == answered, f"calls {asked} are answered by {answered}")


async def _check_failures(strategy: CompactionStrategy, prompts: PromptRepository) -> None:
    context = _due_dialogue(strategy, calls=1, size=400, said_at=3)
    before = _bytes_of(context)
    asks = SummaryModel()
    await strategy.compact(context, asks, prompts)
    if not asks.requests:
        return  # a strategy without a model has nothing that could fail
    for answer in _BAD_ANSWERS:
        result = await strategy.compact(context, SummaryModel(answer), prompts)
        _require(result is None, f"{answer[:40]!r} is no summary")
        _require(_bytes_of(context) == before, "a failure changes nothing")
    try:
        await strategy.compact(context, SummaryModel(ModelError("away")), prompts)
    except ModelError:
        _require(_bytes_of(context) == before, "a failure changes nothing")
    else:
        raise AssertionError("a model that is away is told to the caller")


def _bytes_of(context: ConversationContext) -> bytes:
    return to_json([message.to_dict() for message in context.build_messages()])


_TERMINAL_TYPES = frozenset(f"run_{status}" for status in TERMINAL)


def check_journal(events: Sequence[ev.Event], *, over: bool = True) -> None:
    """Check the order that `loopwright.kernel.events` promises; `over` demands the one terminal event.

    Raises:
        AssertionError: the first broken promise, with the event that breaks it.
    """
    book = _Book()
    for position, event in enumerate(events, 1):
        book.require(event.seq == position, event, f"seq {position} was due")
        book.require((event.type == "run_created") == (position == 1), event, "run_created comes first, and once")
        book.require(book.end is None, event, f"nothing may follow {book.end}")
        check = _CHECKS.get(event.type)
        if check is not None:
            check(book, event, event.payload)
        if event.type in _TERMINAL_TYPES:
            book.end = event.type
    if over and book.end is None:
        raise AssertionError(f"the journal has no terminal event; it ends with {[e.type for e in events[-4:]]}")


@dataclass
class _Book:
    """What the journal said so far."""

    end: str | None = None
    started: bool = False
    asked: dict[str, bool] = field(default_factory=dict)
    begun: dict[str, dict[str, Any]] = field(default_factory=dict)
    gates: dict[str, str] = field(default_factory=dict)
    asked_by_call: set[str] = field(default_factory=set)
    used: dict[str, str] = field(default_factory=dict)
    inner: dict[str, list[str]] = field(default_factory=dict)

    def require(self, holds: bool, event: ev.Event, promise: str) -> None:
        if not holds:
            raise AssertionError(f"event {event.seq} {event.type}: {promise} — {str(event.payload)[:300]}")


def _run_started(book: _Book, event: ev.Event, payload: dict[str, Any]) -> None:
    book.require(not book.started, event, "a run starts once; later owners resume it")
    book.started = True


def _model_response(book: _Book, event: ev.Event, payload: dict[str, Any]) -> None:
    open_calls = [call for call, done in book.asked.items() if not done]
    book.require(not open_calls, event, f"the model is asked only when every call has its result, not {open_calls}")
    ids = [call["id"] for call in payload["tool_calls"]]
    book.require(len({*ids, *book.asked}) == len(ids) + len(book.asked), event, "ids of calls are unique in a run")
    book.asked |= dict.fromkeys(ids, False)


def _inner_calls(book: _Book, event: ev.Event, payload: dict[str, Any]) -> None:
    parent, ids = payload["call_id"], [call["id"] for call in payload["calls"]]
    book.require(parent in book.begun and not book.asked[parent], event, "only a call that runs makes calls")
    book.require(len({*ids, *book.asked}) == len(ids) + len(book.asked), event, "ids of calls are unique in a run")
    book.asked |= dict.fromkeys(ids, False)
    book.inner.setdefault(parent, []).extend(ids)


def _tool_call(book: _Book, event: ev.Event, payload: dict[str, Any]) -> None:
    call, gate = payload["call_id"], payload["gate_id"]
    book.require(call in book.asked, event, "a call is started only after the response that asks for it")
    book.require(not book.asked.get(call, True), event, "a finished call never runs again")
    before = book.begun.get(call)
    book.require(payload["attempt"] == (before["attempt"] + 1 if before else 1), event, "attempts are counted")
    if gate is not None:
        book.require(book.gates.get(gate) == "approved", event, "a call runs only after its gate said yes")
        book.require(book.used.setdefault(gate, call) == call, event, "an approval serves one call")
    if before is not None and payload["effect"] == "once":
        book.require(gate is not None and gate != before["gate_id"], event, "a repetition needs an approval of its own")
    book.begun[call] = payload


def _tool_result(book: _Book, event: ev.Event, payload: dict[str, Any]) -> None:
    call = payload["call_id"]
    book.require(call in book.asked, event, "a result answers a call that was asked for")
    book.require(not book.asked.get(call, True), event, "a call has one result")
    book.require(all(book.asked[each] for each in book.inner.get(call, ())), event, "the calls within it end first")
    if payload["success"]:
        book.require(call in book.begun, event, "only a call that was started can succeed")
    book.asked[call] = True


def _gate_opened(book: _Book, event: ev.Event, payload: dict[str, Any]) -> None:
    gate = payload["gate_id"]
    book.require(gate not in book.gates, event, "a gate is opened once")
    book.require("open" not in book.gates.values(), event, "one gate is open at a time")
    book.gates[gate] = "open"
    if payload.get("asked_by_call"):
        book.asked_by_call.add(gate)


def _gate_answered(book: _Book, event: ev.Event, payload: dict[str, Any]) -> None:
    book.require(book.gates.get(payload["gate_id"]) == "open", event, "an open gate is answered, and once")
    answer = payload["answer"]
    said = answer.keys() & {"answers", "result", "error"} or answer.get("decision") == "approve"
    yes = said or payload["gate_id"] in book.asked_by_call  # that call hears a no as well as a yes
    book.gates[payload["gate_id"]] = "approved" if yes else "rejected"


def _run_waiting(book: _Book, event: ev.Event, payload: dict[str, Any]) -> None:
    book.require(book.gates.get(payload["gate_id"]) == "open", event, "a run waits only at an open gate")


_CHECKS = {
    "run_started": _run_started,
    "model_response": _model_response,
    "inner_calls_asked": _inner_calls,
    "tool_call": _tool_call,
    "tool_result": _tool_result,
    "gate_opened": _gate_opened,
    "gate_answered": _gate_answered,
    "run_waiting_input": _run_waiting,
}


def check_controller(controller: Controller, entries: Sequence[str]) -> None:
    """Check a table as a graph: every stage can be reached from an entry, and from every stage an end can be reached.

    Guards are taken as passable; caps end a run whose guards never pass.

    Raises:
        AssertionError: the stages that break this.
    """
    stages = set(controller.stages)
    edges = {
        (stage, row.target)
        for stage in controller.stages
        for row in controller.transitions
        if controller.row(stage, row.signal) is row
    }
    unknown = sorted(set(entries) - stages)
    unreachable = sorted(stages - _closure(set(entries), edges))
    endless = sorted(stages - _closure(set(TERMINAL_STAGES), {(target, source) for source, target in edges}))
    problems = [
        f"{text}: {', '.join(names)}"
        for text, names in (
            ("entries that are no stages", unknown),
            ("stages that nothing leads to", unreachable),
            ("stages from which nothing leads to an end", endless),
        )
        if names
    ]
    if problems or not entries:
        raise AssertionError("; ".join(problems) or "a controller needs an entry")


def _closure(found: set[str], edges: set[tuple[str, str]]) -> set[str]:
    while more := {target for source, target in edges if source in found} - found:
        found = found | more
    return found
