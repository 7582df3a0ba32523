"""The client, at an endpoint that is strict: it checks requests as they stand on the wire; the offline model answers.

The endpoint stands behind the client's transport, so what it checks is what a real one would get. The offline model is
asked with the request as the kernel made it, since the strict form of it holds less than its rules need; its answer
goes back in the form that the endpoint speaks, with the fields that it signs.
"""

import json
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from loopwright.kernel.events import ModelResponse
from loopwright.kernel.ports import DeltaSink, ModelRequest
from loopwright.models.client import OpenAIClient
from loopwright.models.settings import ModelSettings, ToolsMode
from tests.support.strict_endpoint import Profile, refusal

_ASKED: ContextVar[ModelRequest] = ContextVar("asked")


class Answering(Protocol):
    """What answers in the endpoint's place: the offline model, or answers written by hand."""

    async def complete(self, request: ModelRequest, on_delta: DeltaSink | None = None) -> ModelResponse: ...


@dataclass
class Given:
    """A reply that is there at once."""

    status: int
    body: bytes
    kind: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.headers = {"content-type": self.kind}

    async def next_chunk(self) -> bytes:
        piece, self.body = self.body, b""
        return piece

    async def close(self) -> None:
        """Nothing is open."""


@dataclass
class StrictEndpoint:
    """A `Transport` to an endpoint with this profile; `bodies` are the requests that came, with their stages.

    `instead` are answers by stage that come before those of the offline model: what no rule of it says.
    """

    profile: Profile
    offline: Answering
    instead: dict[str, list[str]] = field(default_factory=dict)
    bodies: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)

    async def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> Given:
        asked, data = _ASKED.get(), json.loads(body)
        self.bodies.append((asked.labels.stage, data))
        found = refusal(self.profile, data)
        if found is not None:
            self.refused.append(f"{asked.labels.stage}: {found.why}")
            if found.mode == "stream" and data.get("stream"):
                return Given(200, b"data: " + found.body + b"\n\n", "text/event-stream")
            return Given(found.status, found.body)
        said = self.instead.get(asked.labels.stage)
        text = said.pop(0) if said else ""
        if text:
            response = ModelResponse(text=text)
        else:
            response = await self.offline.complete(replace(asked, model=None))
        return Given(200, json.dumps(self._completion(asked, data, response)).encode())

    async def aclose(self) -> None:
        """Nothing is open."""

    def _completion(self, asked: ModelRequest, data: Mapping[str, Any], response: ModelResponse) -> dict[str, Any]:
        message: dict[str, Any] = {"role": "assistant", "content": response.text or None}
        schema = (data.get("response_format") or {}).get("json_schema", {}).get("schema", {})
        if len(asked.tools) and "tools" not in data:
            call = next(iter(response.tool_calls), None)
            said: Any = _json_or_text(response.text)
            step = {"answer": said} if call is None else {"tool": call.name, "arguments": json.loads(call.arguments)}
            message["content"] = json.dumps({"step": step} if "step" in schema.get("properties", {}) else step)
        elif response.tool_calls:
            message["tool_calls"] = [_call(call.id, call.name, call.arguments) for call in response.tool_calls]
            if "reasoning_content" in self.profile.signs:
                message["reasoning_content"] = "I think that this is next."
            if "extra_content" in self.profile.signs:
                message["tool_calls"][0]["extra_content"] = {"google": {"thought_signature": "c2ln"}}
        choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if response.tool_calls else "stop"}
        return {"model": self.profile.model, "choices": [choice], "usage": response.usage.model_dump()}


class StrictClient(OpenAIClient):
    """The client that the product uses, at such an endpoint."""

    def __init__(
        self, profile: Profile, form: ToolsMode, offline: Answering, instead: Mapping[str, Sequence[str]]
    ) -> None:
        """`form` is how tools are told."""
        said = {stage: list(texts) for stage, texts in instead.items()}
        self.endpoint = StrictEndpoint(profile, offline, said)
        name = profile.model
        settings = ModelSettings(
            base_url=f"https://{profile.host}/v1",
            models={"fast": name, "standard": name, "powerful": name},
            tools=form,
            found=profile.found,
            free=True,
        )
        super().__init__(settings, self.endpoint)

    async def complete(self, request: ModelRequest, on_delta: DeltaSink | None = None) -> ModelResponse:
        """The endpoint's answer."""
        token = _ASKED.set(request)
        try:
            return await super().complete(request, on_delta)
        finally:
            _ASKED.reset(token)


def _call(call_id: str, name: str, arguments: str) -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def _json_or_text(text: str) -> Any:
    """A structured answer as an object, any other as its text."""
    if not text.lstrip().startswith("{"):
        return text
    try:
        return json.loads(text)
    except ValueError:
        return text
