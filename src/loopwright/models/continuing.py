"""Answers that the user's own limit has cut: asked for piece by piece, until they are whole."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Final

from loopwright.kernel.errors import ModelRejected
from loopwright.kernel.events import ModelResponse, Usage
from loopwright.kernel.messages import Message
from loopwright.kernel.ports import ModelRequest

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
