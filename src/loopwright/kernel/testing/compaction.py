"""What every compaction strategy must keep (spec 000, phase 2; field notes, decision 12)."""

import json
from collections.abc import Sequence

from pydantic_core import to_json

from loopwright.kernel.compaction import DIMENSIONS, CompactionStrategy
from loopwright.kernel.context import ConversationContext, units
from loopwright.kernel.errors import ModelError
from loopwright.kernel.events import ModelResponse
from loopwright.kernel.messages import Message, ToolCall
from loopwright.kernel.ports import ModelRequest
from loopwright.kernel.prompts import PromptRepository

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
    for rounds in range(1, 2_000):
        context = dialogue(rounds, calls=calls, size=size, said_at=said_at)
        if rounds > said_at and strategy.due(context):
            return context
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
