"""An answer as the wire brings it: lenient in what local servers get wrong, strict in what would lose something."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic_core import from_json, to_json

from loopwright.kernel.events import Usage
from loopwright.kernel.messages import ToolCall
from loopwright.models.failures import AttemptFailed


@dataclass(frozen=True)
class Answer:
    """What one exchange brought. `usage` is None where the endpoint does not count; `model` is who really answered."""

    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    usage: Usage | None = None
    finish_reason: str = "stop"
    model: str = ""


def parse_answer(body: bytes) -> Answer:
    """Read a `chat.completion` object.

    Raises:
        AttemptFailed: no JSON, no choices, or an error where an answer should be.
    """
    try:
        data = from_json(body)
    except ValueError as error:
        raise AttemptFailed(f"the answer is no JSON ({error}): {body[:200]!r}") from error
    data = check_object(data)
    choices = data.get("choices")
    if not choices or not isinstance(choices, list) or not isinstance(choices[0], dict):
        raise AttemptFailed("the answer has no choices")
    choice = choices[0]
    message = choice.get("message")
    if not isinstance(message, dict):
        raise AttemptFailed("the answer has no message")
    calls = tuple(_tool_call(call) for call in message.get("tool_calls") or () if isinstance(call, dict))
    return Answer(
        text=text_of(message.get("content")) or text_of(message.get("refusal")),
        tool_calls=calls,
        usage=usage_of(data.get("usage")),
        finish_reason=finish_reason_of(choice.get("finish_reason"), has_calls=bool(calls)),
        model=str(data.get("model") or ""),
    )


def check_object(data: Any) -> Mapping[str, Any]:
    """The data, if it is an object that reports no error: some gateways send errors with status 200.

    Raises:
        AttemptFailed: it is not.
    """
    if not isinstance(data, dict):
        raise AttemptFailed(f"the answer is no JSON object: {str(data)[:200]}")
    error = data.get("error")
    if error:
        told = error.get("message", error) if isinstance(error, dict) else error
        raise AttemptFailed(f"the endpoint reported an error: {str(told)[:500]}")
    return data


def text_of(content: Any) -> str:
    """Content is text, nothing, or a list of parts of which the text counts."""
    if isinstance(content, str):
        return content
    if isinstance(content, Sequence):
        return "".join(str(part.get("text") or "") for part in content if isinstance(part, dict))
    return ""


def usage_of(data: Any) -> Usage | None:
    """The endpoint's count, or None where it has none."""
    if not isinstance(data, dict):
        return None
    details = data.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, dict) else None
    return Usage(
        prompt_tokens=int(data.get("prompt_tokens") or 0),
        completion_tokens=int(data.get("completion_tokens") or 0),
        cached_tokens=int(cached or 0),
    )


def finish_reason_of(reason: Any, *, has_calls: bool) -> str:
    """Why the answer ended; several servers say `stop` after tool calls, or nothing at all."""
    if has_calls and reason in {None, "stop", "function_call"}:
        return "tool_calls"
    return str(reason or "stop")


def new_call_id() -> str:
    """An id for a call that came without one."""
    return f"call_{uuid.uuid4().hex[:16]}"


def arguments_text(arguments: Any) -> str:
    """Arguments as JSON text, where a server sent the object itself, or nothing for a tool without parameters."""
    if isinstance(arguments, str):
        return arguments
    return "" if arguments is None else to_json(arguments).decode()


def _tool_call(data: Mapping[str, Any]) -> ToolCall:
    function = data.get("function")
    if not isinstance(function, dict):
        function = {}
    return ToolCall(
        id=str(data.get("id") or new_call_id()),
        name=str(function.get("name") or ""),
        arguments=arguments_text(function.get("arguments")) or "{}",
    )
