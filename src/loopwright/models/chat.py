"""Plain dictionaries in and out, for callers that speak the chat format (spec 000, phase 4)."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.messages import Message, ToolCall, ToolSchemas
from loopwright.kernel.ports import ModelRequest
from loopwright.models.answer import repair_arguments

AnyMessage = Message | Mapping[str, Any]


def as_request(
    messages: Sequence[AnyMessage],
    model: str | None,
    tools: Sequence[Mapping[str, Any]] | ToolSchemas | None,
    options: Mapping[str, Any],
) -> ModelRequest:
    """The request that these mean.

    Raises:
        InvalidInput: a message is not in the chat format, or an option is not a field of `ModelRequest`.
    """
    schemas = tools if isinstance(tools, ToolSchemas) else ToolSchemas(tuple(tools or ()))
    try:
        return ModelRequest([as_message(message) for message in messages], schemas, model=model, **options)
    except TypeError as error:
        raise InvalidInput(f"Not an option of a model request: {error}") from error


def as_message(message: AnyMessage) -> Message:
    """The message itself, or what its dictionary in the chat format means.

    Raises:
        InvalidInput: the dictionary is not in that format.
    """
    if isinstance(message, Message):
        return message
    try:
        return Message.from_dict(message)
    except (ValidationError, KeyError, TypeError, AttributeError) as error:
        raise InvalidInput(f"Not a message in the chat format: {error!r}") from error


def parsed_calls(calls: Sequence[ToolCall]) -> list[dict[str, Any]]:
    """Tool calls as `{"id", "name", "arguments"}` with parsed arguments; `error` tells of any that cannot be read."""
    parsed = []
    for call in calls:
        arguments = repair_arguments(call.arguments)
        if isinstance(arguments, str):
            parsed.append({"id": call.id, "name": call.name, "arguments": {}, "error": arguments})
        else:
            parsed.append({"id": call.id, "name": call.name, "arguments": arguments})
    return parsed
