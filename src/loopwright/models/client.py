"""The one client for every OpenAI-compatible endpoint."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Self, TypeVar

from loopwright.kernel.errors import ModelUnavailable
from loopwright.kernel.events import ModelResponse, SentRequest, Usage
from loopwright.kernel.messages import Message, ToolSchemas
from loopwright.kernel.ports import AnswerSink, DeltaSink, ModelRequest, Tier
from loopwright.kernel.prompts import PromptRepository
from loopwright.models.answer import Answer
from loopwright.models.body import native_body, settings_of
from loopwright.models.capabilities import Capabilities, capabilities_of
from loopwright.models.chat import AnyMessage, as_request, parsed_calls
from loopwright.models.exchange import Exchange
from loopwright.models.prices import PriceList
from loopwright.models.retry import Clock, until_answered
from loopwright.models.schema_steps import SchemaSteps, as_tool_calls
from loopwright.models.sent import sent_as
from loopwright.models.settings import ModelSettings
from loopwright.models.stream import RESTARTED
from loopwright.models.telemetry import RequestRecord
from loopwright.models.tokens import estimated_usage, prompt_tokens
from loopwright.models.transport import Transport
from loopwright.models.transport.http import HttpTransport
from loopwright.models.vision import check_images

T = TypeVar("T")


class OpenAIClient:
    """Implements `kernel.ports.ModelClient`, and the names of spec 000 (`chat_completion`, `chat_with_tools` …).

    Use it as an asynchronous context manager, or call `aclose` at the end of each event loop it was used in.
    """

    def __init__(
        self,
        settings: ModelSettings,
        transport: Transport | None = None,
        clock: Clock | None = None,
        prompts: PromptRepository | None = None,
    ) -> None:
        """Open nothing yet; without a transport of your own it is HTTP, without prompts the packaged ones."""
        self.settings = settings
        self._transport = transport or HttpTransport(connect_seconds=settings.connect_seconds, proxies=settings.proxies)
        self._clock = clock or Clock()
        self._exchange = Exchange(settings, self._transport)
        self._steps = SchemaSteps(prompts or PromptRepository({"models": "loopwright.models"}))
        self._prices = PriceList(settings.base_url, free=settings.free)

    async def __aenter__(self) -> Self:
        """The client itself."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close it."""
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections of the running event loop."""
        await self._transport.aclose()

    def capabilities(self, model: str) -> Capabilities:
        """What this model can do at this endpoint."""
        return capabilities_of(model, self._exchange.host, self.settings.tools)

    async def complete(self, request: ModelRequest, on_delta: DeltaSink | None = None) -> ModelResponse:
        """Answer the request: retried, and given to the tier's secondary model if need be; see `ModelClient`.

        With `on_delta` the answer is streamed. If the stream breaks and is begun anew, the sink gets `RESTARTED` first.
        A request that names its model outright gets that model or an error.
        """
        request = self._bounded(request)
        record = RequestRecord(request, self._exchange.host)
        sink = RestartableSink(on_delta) if on_delta is not None else None

        async def ask(model: str) -> ModelResponse:
            response = await self._ask(request, model, sink, record)
            record.answered(response, model)
            return response

        try:
            return await (ask(request.model) if request.model else self.run_with_fallback(ask, request.tier))
        except BaseException as error:
            record.failed(error)
            raise

    async def run_with_fallback(self, call: Callable[[str], Awaitable[T]], tier: Tier = "standard") -> T:
        """`call` with the tier's model; if that cannot be had, with its secondary one; if there is none, the error.

        Raises:
            ModelUnavailable: from `call`, when no other model is left.
            ModelRejected: from `call`, at once.
        """
        try:
            return await call(self.settings.model_of(tier))
        except ModelUnavailable as first:
            secondary = self.settings.secondary.get(tier)
            if not secondary:
                raise
            try:
                return await call(secondary)
            except ModelUnavailable as second:
                raise ModelUnavailable(f"{second.message} Before that: {first.message}", hint=second.hint) from second

    def estimate_cost(self, request: ModelRequest) -> float | None:
        """An upper estimate in USD: the longest answer, from the dearest model that may be asked."""
        if request.model:
            models = [request.model]
        else:
            secondary = self.settings.secondary.get(request.tier)
            models = [self.settings.model_of(request.tier), *([secondary] if secondary else [])]
        longest = self._bounded(request).max_tokens
        usage = Usage(prompt_tokens=prompt_tokens(request.messages, request.tools), completion_tokens=longest)
        costs = [self._prices.cost(model, usage) for model in models]
        known = [cost for cost in costs if cost is not None]
        return max(known) if len(known) == len(costs) else None

    async def chat_completion(
        self,
        messages: Sequence[AnyMessage],
        model: str | None = None,
        tools: Sequence[Mapping[str, Any]] | ToolSchemas | None = None,
        **options: Any,
    ) -> ModelResponse:
        """One answer. `options` are fields of `ModelRequest`: tier, max_tokens, temperature, response_format, labels.

        Raises:
            InvalidInput: a message is not in the chat format, or an option is unknown.
            ModelUnavailable: retries and fallback are spent.
            ModelRejected: the endpoint refuses the request for good.
        """
        return await self.complete(as_request(messages, model, tools, options))

    async def chat_completion_stream(
        self,
        messages: Sequence[AnyMessage],
        model: str | None = None,
        tools: Sequence[Mapping[str, Any]] | ToolSchemas | None = None,
        **options: Any,
    ) -> AsyncIterator[str | ModelResponse]:
        """Pieces of the text as they come, then the whole response; parameters and errors as `chat_completion`.

        An empty piece (`RESTARTED`) tells that the answer begins anew. Leaving the iteration early ends the request.
        """
        pieces: asyncio.Queue[str | None] = asyncio.Queue()
        request = as_request(messages, model, tools, options)
        task = asyncio.create_task(self.complete(request, pieces.put_nowait))
        task.add_done_callback(lambda _: pieces.put_nowait(None))
        try:
            while (piece := await pieces.get()) is not None:
                yield piece
            yield await task
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def chat_with_tools(
        self, messages: list[dict[str, Any]], tools: list[dict[str, Any]], model: str, max_tokens: int = 4096
    ) -> tuple[str, list[dict[str, Any]]]:
        """One answer as (text, tool calls), each call `{"id", "name", "arguments"}` with its arguments parsed.

        Arguments that nobody can read are empty, and `error` beside them says what is wrong. Raises what
        `chat_completion` raises.
        """
        response = await self.chat_completion(messages, model, tools, max_tokens=max_tokens)
        return response.text, parsed_calls(response.tool_calls)

    def _bounded(self, request: ModelRequest) -> ModelRequest:
        """The request with an answer no longer than the settings allow."""
        cap = self.settings.answer_tokens
        return request if cap is None or request.max_tokens <= cap else replace(request, max_tokens=cap)

    async def _ask(
        self, request: ModelRequest, model: str, sink: "RestartableSink | None", record: RequestRecord
    ) -> ModelResponse:
        can = self.capabilities(model)
        check_images(request.messages, model, can)
        in_steps = can.tools == "schema" and (len(request.tools) > 0 or _speaks_of_tools(request.messages))
        write = self._steps.body if in_steps else native_body
        settings = settings_of(request, model, can, stream=sink is not None)
        body = write(request.messages, request.tools, settings)
        # A step is JSON until it is read: its text is shown when it is whole.
        shown: DeltaSink | None = None if sink is None else _hidden if in_steps else sink

        async def attempt(seconds: float) -> Answer:
            record.attempts += 1
            if sink is not None:
                sink.begin()
            return await self._exchange.attempt(body.json, model, shown, seconds)

        answer = await until_answered(attempt, model, self.settings, self._clock)
        if in_steps:
            answer = as_tool_calls(answer, request.tools)
            if sink is not None and answer.text:
                sink(answer.text)
        return self._response(request, model, answer, sent_as("schema" if in_steps else "native", settings, body))

    def _response(self, request: ModelRequest, model: str, answer: Answer, sent: SentRequest) -> ModelResponse:
        usage = answer.usage
        if usage is None:
            written = answer.text + "".join(call.arguments for call in answer.tool_calls)
            usage = estimated_usage(request.messages, request.tools, written)
        cost = self._prices.cost(answer.model or model, usage)
        if cost is None and answer.model != model:
            cost = self._prices.cost(model, usage)
        return ModelResponse(
            text=answer.text,
            tool_calls=list(answer.tool_calls),
            usage=usage,
            cost_usd=cost,
            stage=request.labels.stage,
            model=answer.model or model,
            finish_reason=answer.finish_reason,
            sent=sent,
        )


class RestartableSink:
    """A sink that is told when what it has shown is void."""

    def __init__(self, on_delta: DeltaSink) -> None:
        """Nothing is shown yet."""
        self._on_delta = on_delta
        self._on_arguments = on_delta.arguments if isinstance(on_delta, AnswerSink) else None
        self._shown = False

    def begin(self) -> None:
        """An attempt begins; whatever an earlier one has shown is void."""
        if self._shown:
            self._on_delta(RESTARTED)
            self._shown = False

    def __call__(self, text: str) -> None:
        """Show a piece of the text."""
        self._shown = True
        self._on_delta(text)

    def arguments(self, index: int, name: str, text: str) -> None:
        """Show a piece of a call's arguments to those who want to see them."""
        if self._on_arguments is not None:
            self._shown = True
            self._on_arguments(index, name, text)


def _hidden(_: str) -> None:
    """Takes pieces that nobody is to see."""


def _speaks_of_tools(messages: Sequence[Message]) -> bool:
    return any(message.role == "tool" or message.tool_calls for message in messages)
