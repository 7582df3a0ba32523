"""The body of a request, joined from pieces that were serialised before.

A message is turned into JSON once, when it is first sent; every later request copies its bytes. Only the handful of
small fields around the messages is serialised anew, so a step costs the same after 10 steps and after 300.
"""

from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from operator import attrgetter
from typing import Any, NamedTuple

from pydantic_core import to_json

from loopwright.kernel.messages import Message, ToolSchemas
from loopwright.kernel.ports import ModelRequest
from loopwright.models.capabilities import Capabilities

_wire: Callable[[Message], bytes] = attrgetter("wire")
_wire_digest: Callable[[Message], bytes] = attrgetter("wire_digest")


class Body(NamedTuple):
    """A body as it is sent, and its digest (`SentRequest.digest`)."""

    json: bytes
    digest: str


def native_body(messages: Sequence[Message], tools: ToolSchemas, settings: Mapping[str, Any]) -> Body:
    """The request as JSON for `/chat/completions`, with the wire's own tool calls."""
    fields = to_json(settings)
    pieces = [b'{"messages":[', b",".join(map(_wire, messages)), b"],"]
    digests = list(map(_wire_digest, messages))
    if len(tools):
        pieces += [b'"tools":', tools.wire, b","]
        digests.append(tools.wire_digest)
    return Body(b"".join([*pieces, fields[1:]]), digest_of_pieces(digests, fields))


def digest_of_pieces(digests: Sequence[bytes], last: bytes) -> str:
    """SHA-256 (hex) of these digests and of that of the last piece."""
    return sha256(b"".join(digests) + sha256(last).digest()).hexdigest()


def settings_of(request: ModelRequest, model: str, can: Capabilities, *, stream: bool) -> dict[str, Any]:
    """What the body says besides messages and tools."""
    fields: dict[str, Any] = {"model": model, can.limit_name: request.max_tokens}
    if request.temperature is not None and can.temperature:
        fields["temperature"] = request.temperature
    if stream:
        fields["stream"] = True
        if can.stream_usage:
            fields["stream_options"] = {"include_usage": True}
    if request.response_format is not None:
        fields["response_format"] = dict(request.response_format)
    elif request.grammar is not None and can.tools == "schema":
        schema = {"name": "answer", "schema": dict(request.grammar)}
        fields["response_format"] = {"type": "json_schema", "json_schema": schema}
    return fields
