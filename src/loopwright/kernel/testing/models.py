"""Models that play a script, and one that can never be had."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic_core import to_json

from loopwright.kernel.errors import ModelError
from loopwright.kernel.events import ModelResponse, Usage
from loopwright.kernel.messages import ToolCall
from loopwright.kernel.ports import DeltaSink, ModelRequest, Profile, Tier

Reply = str | ModelResponse | Exception | Sequence[tuple[str, dict[str, Any]]]
"""A scripted answer: a text, a list of (tool, arguments), a whole response, or an exception to raise."""


@dataclass
class ScriptedModel:
    """A model that plays a script, one reply per request.

    A reply may be a function of the request. A request beyond the script fails the test at once, or in `assert_done`
    when a tool made it (there it is one failure of the tool among others); `assert_done` also fails when replies are
    left over.
    """

    script: Sequence[Reply | Callable[[ModelRequest], Reply]]
    requests: list[ModelRequest] = field(default_factory=list)
    latency: float = 0.0
    kind: Profile = "frontier"
    window: int | None = None
    unexpected: list[str] = field(default_factory=list)

    async def complete(self, request: ModelRequest, on_delta: DeltaSink | None = None) -> ModelResponse:
        """Play the next reply.

        Raises:
            AssertionError: the script is at its end.
        """
        index = len(self.requests)
        if index >= len(self.script):
            self.unexpected.append(f"unexpected model request {index + 1}: {request.messages[-1].content[:300]!r}")
            raise AssertionError(self.unexpected[-1])
        self.requests.append(replace(request, messages=list(request.messages)))
        if self.latency:
            await asyncio.sleep(self.latency)
        reply = self.script[index]
        response = as_response(reply(request) if callable(reply) else reply, index)
        if on_delta is not None and response.text:
            on_delta(response.text)
        return response

    def estimate_cost(self, request: ModelRequest) -> float | None:
        """Scripted answers cost nothing."""
        return 0.0

    def profile(self, tier: Tier = "standard", model: str | None = None) -> Profile:
        """The kind that the test has chosen."""
        return self.kind

    def context_tokens(self, tier: Tier = "standard", model: str | None = None) -> int | None:
        """The window that the test has chosen."""
        return self.window

    def assert_done(self) -> None:
        """Fail when the agent asked for more or fewer replies than the script has."""
        if self.unexpected:
            raise AssertionError("; ".join(self.unexpected))
        left = len(self.script) - len(self.requests)
        if left:
            raise AssertionError(f"{left} scripted replies were never asked for; the next one: {self.script[-left]!r}")


def as_response(reply: Reply, index: int = 0) -> ModelResponse:
    """The scripted reply as a model response.

    Raises:
        Exception: the reply is an exception.
    """
    if isinstance(reply, Exception):
        raise reply
    if isinstance(reply, ModelResponse):
        return reply
    usage = Usage(prompt_tokens=10, completion_tokens=5)
    if isinstance(reply, str):
        return ModelResponse(text=reply, usage=usage, cost_usd=0.0, model="scripted")
    calls = [
        ToolCall(id=f"call_{index}_{i}", name=name, arguments=to_json(arguments).decode())
        for i, (name, arguments) in enumerate(reply)
    ]
    return ModelResponse(
        text="", tool_calls=calls, usage=usage, cost_usd=0.0, model="scripted", finish_reason="tool_calls"
    )


class FailingModel:
    """A model that can never be had."""

    async def complete(self, request: ModelRequest, on_delta: DeltaSink | None = None) -> ModelResponse:
        """Fail.

        Raises:
            ModelError: always.
        """
        raise ModelError("the model is away")

    def estimate_cost(self, request: ModelRequest) -> float | None:
        """Unknown."""
        return None

    def profile(self, tier: Tier = "standard", model: str | None = None) -> Profile:
        """As any other."""
        return "frontier"

    def context_tokens(self, tier: Tier = "standard", model: str | None = None) -> int | None:
        """Unknown."""
        return None
