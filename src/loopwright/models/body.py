"""The body of a request, joined from pieces that were serialised before.

A message is turned into JSON once, when it is first sent; every later request copies its bytes. Only the handful of
small fields around the messages is serialised anew, so a step costs the same after 10 steps and after 300.
"""

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from hashlib import sha256
from typing import Any, NamedTuple

from pydantic_core import to_json

from loopwright.kernel.messages import Message, ToolSchemas
from loopwright.kernel.ports import ModelRequest
from loopwright.models.capabilities import Capabilities
from loopwright.models.composing import RULES, Composer, WireRules, without_keywords
from loopwright.models.identity_cache import IdentityCache


class Body(NamedTuple):
    """A body as it is sent, and its digest (`SentRequest.digest`)."""

    json: bytes
    digest: str


def joined(pieces: Sequence[bytes], digests: Sequence[bytes], tools: ToolSchemas, settings: Mapping[str, Any]) -> Body:
    """The request as JSON for `/chat/completions`, out of composed messages (`composing.Composer`)."""
    fields = to_json(settings)
    parts, kept = [b'{"messages":[', b",".join(pieces), b"],"], list(digests)
    if len(tools):
        parts += [b'"tools":', tools.wire, b","]
        kept.append(tools.wire_digest)
    return Body(b"".join([*parts, fields[1:]]), digest_of_pieces(kept, fields))


class NativeForm:
    """Writes requests with the wire's own tool calls."""

    def __init__(self, rules: WireRules, endpoint: str = "") -> None:
        """Remember nothing yet."""
        self._composer = Composer(rules, endpoint)
        self._tools: IdentityCache[ToolSchemas, ToolSchemas] = IdentityCache(partial(_fitting, rules.without))

    def body(
        self,
        messages: Sequence[Message],
        tools: ToolSchemas,
        settings: Mapping[str, Any],
        may_answer: bool = True,
        told: str = "",
        callable_now: Collection[str] | None = None,
    ) -> Body:
        """The request; whether it may be answered without a call, and by which ones, the settings have said already."""
        pieces, digests = self._composer.compose(messages, told)
        return joined(pieces, digests, self._tools.get(tools), settings)


def _fitting(keywords: frozenset[str], tools: ToolSchemas) -> ToolSchemas:
    return ToolSchemas(tuple(without_keywords(schema, keywords) for schema in tools.schemas))


def digest_of_pieces(digests: Sequence[bytes], last: bytes) -> str:
    """SHA-256 (hex) of these digests and of that of the last piece."""
    return sha256(b"".join(digests) + sha256(last).digest()).hexdigest()


def settings_of(
    request: ModelRequest, model: str, can: Capabilities, *, stream: bool, rules: WireRules = RULES["unknown"]
) -> dict[str, Any]:
    """What the body says besides messages and tools."""
    fields: dict[str, Any] = {"model": model, can.limit_name: request.max_tokens}
    if request.temperature is not None and can.temperature:
        fields["temperature"] = request.temperature
    if stream:
        fields["stream"] = True
        if can.stream_usage:
            fields["stream_options"] = {"include_usage": True}
    form = _form_of(request, can, rules)
    if form is not None:
        fields["response_format"] = form
    if can.tools == "native" and len(request.tools):
        if request.callable_now is not None and not request.callable_now:
            fields |= {"tool_choice": "none"} if rules.no_call else {}
        elif not request.may_answer and rules.must_call:
            fields["tool_choice"] = "required"
    return fields


def _form_of(request: ModelRequest, can: Capabilities, rules: WireRules) -> dict[str, Any] | None:
    """The `response_format` as the endpoint takes it; None where it takes none: then the kernel's own check must do."""
    form = dict(request.response_format or {})
    if not form and request.grammar is not None and can.tools == "schema":
        form = {"type": "json_schema", "json_schema": {"name": "answer", "schema": dict(request.grammar)}}
    if form.get("type") != "json_schema" or (can.tools == "schema" and len(request.tools)):
        return form or None  # beside steps the form is one of them, see `SchemaSteps`
    if rules.object_root and form["json_schema"].get("schema", {}).get("type") != "object":
        return None
    forbidden = rules.no_call and request.callable_now is not None and not request.callable_now
    if len(request.tools) and not rules.beside_tools and not forbidden:
        return None
    if rules.answers != "json_schema":
        return {"type": rules.answers} if rules.answers == "json_object" else None
    described = {
        key: value for key, value in form["json_schema"].items() if key != "strict" or (value and rules.strict)
    }
    return form | {"json_schema": described | {"schema": without_keywords(described.get("schema"), rules.without)}}
