"""An answer as the wire brings it: lenient in what local servers get wrong, strict in what would lose something."""

import uuid
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from pydantic_core import from_json, to_json

from loopwright.kernel.events import Usage
from loopwright.kernel.messages import Opaque, ToolCall
from loopwright.models.discovery.reading import amount
from loopwright.models.retry import AttemptFailed

# Tool-call arguments as models write them: repaired where the meaning is plain, refused where some is missing.


def repair_arguments(raw: str) -> dict[str, Any] | str:
    """The arguments as a dict, or what is wrong with them, told so that the model can send them again.

    Slips of form (trailing commas, single quotes, a missing last brace, Markdown fences, raw line breaks in strings)
    are put right by json-repair. Arguments that stop in the middle of a text are not completed: half a page written to
    disk would pass for a whole one.
    """
    text = raw.strip()
    if not text:
        return {}
    try:
        return _checked(from_json(text))
    except ValueError as error:
        complaint = str(error)
    if _stops_inside_text(text):
        return (
            f"they stop in the middle of a text ({complaint}). Send the whole call again, in smaller pieces if need be"
        )
    import json_repair

    repaired = json_repair.loads(text)
    if isinstance(repaired, dict) and repaired:
        return repaired
    return complaint


def _checked(value: Any) -> dict[str, Any] | str:
    if isinstance(value, str):  # arguments that were encoded twice
        with suppress(ValueError):
            value = from_json(value)
    if value is None:
        return {}
    return value if isinstance(value, dict) else f"they must be a JSON object, not {type(value).__name__}"


def _stops_inside_text(text: str) -> bool:
    """Whether a string is still open at the end; text that ends in a brace was meant to be whole."""
    if text.removesuffix("```").rstrip().endswith("}"):
        return False
    open_string = escaped = False
    for character in text:
        if escaped:
            escaped = False
        elif character == "\\":
            escaped = open_string
        elif character == '"':
            open_string = not open_string
    return open_string


TIMED_PROMPT: Final = 64
TIMED_ANSWER: Final = 16
"""Tokens below which a time says more about the wire than about the model."""


@dataclass(frozen=True)
class Timing:
    """How long an answer took: seconds until its first piece, and from there to its end; 0 where it came whole.

    The speeds, in tokens per second, are those that the server told itself.
    """

    first: float = 0.0
    rest: float = 0.0
    prompt_speed: float | None = None
    answer_speed: float | None = None


@dataclass(frozen=True)
class Answer:
    """What one exchange brought. `usage` is None where the endpoint does not count; `model` is who really answered."""

    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    usage: Usage | None = None
    finish_reason: str = "stop"
    model: str = ""
    timing: Timing = Timing()
    opaque: Opaque | None = None


OPAQUE_FIELDS = ("reasoning_content", "reasoning", "reasoning_details")
OPAQUE_CALL_FIELDS = ("extra_content", "thought_signature")
"""What endpoints send for themselves with an answer, and with its calls."""


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
    written = [call for call in message.get("tool_calls") or () if isinstance(call, dict)]
    calls = tuple(map(_tool_call, written))
    signed = {call.id: opaque_parts(each, OPAQUE_CALL_FIELDS) for call, each in zip(calls, written, strict=True)}
    return Answer(
        text=text_of(message.get("content")) or text_of(message.get("refusal")),
        tool_calls=calls,
        usage=usage_of(data.get("usage")),
        finish_reason=finish_reason_of(choice.get("finish_reason"), has_calls=bool(calls)),
        model=str(data.get("model") or ""),
        timing=timing_of(data.get("timings")),
        opaque=opaque_of(opaque_parts(message, OPAQUE_FIELDS), signed),
    )


def opaque_parts(data: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """Those of the fields that are there and not empty."""
    return {name: data[name] for name in names if data.get(name)}


def opaque_of(fields: Mapping[str, Any], calls: Mapping[str, Mapping[str, Any]]) -> Opaque | None:
    """What the endpoint sent for itself, if it sent anything."""
    signed = {name: dict(parts) for name, parts in calls.items() if parts}
    return Opaque(endpoint="", fields=dict(fields), calls=signed) if fields or signed else None


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


def timing_of(data: Any) -> Timing:
    """The speeds that llama.cpp tells; a prompt that was mostly in its cache tells nothing."""
    if not isinstance(data, dict):
        return Timing()
    enough = {"prompt": TIMED_PROMPT, "predicted": TIMED_ANSWER}
    speeds = [
        speed
        if (amount(data.get(f"{part}_n")) or 0) >= least and (speed := amount(data.get(f"{part}_per_second")))
        else None
        for part, least in enough.items()
    ]
    return Timing(prompt_speed=speeds[0], answer_speed=speeds[1])


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
