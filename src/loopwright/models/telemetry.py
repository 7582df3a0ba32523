"""What is told about every request: one OpenTelemetry span and one log line, neither with any content or secret.

Span names and attributes follow OpenTelemetry's semantic conventions for generative AI clients (`gen_ai.*`); the six
labels of spec 002 are in both.
"""

import logging
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from loopwright.kernel.errors import LoopwrightError
from loopwright.kernel.events import ModelResponse
from loopwright.kernel.ports import ModelRequest, RequestLabels
from loopwright.kernel.telemetry import SECONDS, TOKENS, measure, tracer

if TYPE_CHECKING:
    from opentelemetry.trace import Span

logger = logging.getLogger("loopwright.models")


_OPERATION = {"gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai"}


class RequestRecord:
    """One request, from its first attempt to its answer or its end."""

    def __init__(self, request: ModelRequest, host: str) -> None:
        """Start the clock and the span."""
        self._request = request
        self._started = time.perf_counter()
        self.attempts = 0
        self._span = start_span()
        if self._span.is_recording():
            self._span.set_attributes(
                {
                    **_OPERATION,
                    "gen_ai.conversation.id": request.labels.conversation_id,
                    "gen_ai.request.max_tokens": request.max_tokens,
                    "server.address": host,
                    **{f"loopwright.{name}": value for name, value in labels_of(request.labels).items()},
                }
            )

    def answered(self, response: ModelResponse, model: str) -> None:
        """The request has its answer; `model` is the one that was asked."""
        if self._span.is_recording():
            self._span.update_name(f"chat {model}")
            self._span.set_attributes(
                {
                    "gen_ai.request.model": model,
                    "gen_ai.response.model": response.model,
                    "gen_ai.response.finish_reasons": [response.finish_reason],
                    "gen_ai.usage.input_tokens": response.usage.prompt_tokens,
                    "gen_ai.usage.output_tokens": response.usage.completion_tokens,
                    "gen_ai.usage.cache_read.input_tokens": response.usage.cached_tokens,
                }
            )
        self._span.end()
        told = {**_OPERATION, "gen_ai.request.model": model, "gen_ai.response.model": response.model}
        measure("gen_ai.client.operation.duration", SECONDS, time.perf_counter() - self._started, told)
        for kind, count in (("input", response.usage.prompt_tokens), ("output", response.usage.completion_tokens)):
            measure("gen_ai.client.token.usage", TOKENS, count, {**told, "gen_ai.token.type": kind})
        if logger.isEnabledFor(logging.INFO):
            self._log(
                model=response.model,
                finish_reason=response.finish_reason,
                prompt_tokens=response.usage.prompt_tokens,
                completion_tokens=response.usage.completion_tokens,
                cost_usd=response.cost_usd,
            )

    def failed(self, error: BaseException) -> None:
        """The request has ended without an answer."""
        code = error.code if isinstance(error, LoopwrightError) else type(error).__name__
        if self._span.is_recording():
            from opentelemetry.trace import Status, StatusCode

            self._span.set_attribute("error.type", code)
            self._span.set_status(Status(StatusCode.ERROR, str(error)))
        self._span.end()
        told = {**_OPERATION, "gen_ai.request.model": self._request.model or "", "error.type": code}
        measure("gen_ai.client.operation.duration", SECONDS, time.perf_counter() - self._started, told)
        self._log(model=self._request.model or self._request.tier, error=code)

    def _log(self, **found: Any) -> None:
        seconds = round(time.perf_counter() - self._started, 3)
        fields = {**labels_of(self._request.labels), "attempts": self.attempts, "seconds": seconds, **found}
        line = " ".join(f"{name}={value}" for name, value in fields.items())
        logger.info("model request %s", line, extra={"model_request": fields})


def start_span() -> "Span":
    """A new span for a request to a model."""
    from opentelemetry.trace import SpanKind

    return tracer().start_span("chat", kind=SpanKind.CLIENT)


def labels_of(labels: RequestLabels) -> Mapping[str, str | int | bool]:
    """The six fields of spec 002, observability."""
    return {
        "conversation_id": labels.conversation_id,
        "run_id": labels.run_id,
        "mode": labels.mode,
        "stage": labels.stage,
        "tool_count": labels.tool_count,
        "reasoning": labels.reasoning,
    }
