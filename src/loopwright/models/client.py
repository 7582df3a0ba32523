"""The one client for every OpenAI-compatible endpoint."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any, Self, TypeVar

from pydantic import ValidationError

from loopwright.kernel.errors import InvalidInput, ModelRejected, ModelUnavailable
from loopwright.kernel.events import ModelResponse, SentRequest, Usage
from loopwright.kernel.messages import Message, ToolCall, ToolSchemas
from loopwright.kernel.ports import DeltaSink, ModelRequest, Profile, Tier
from loopwright.kernel.prompts import PromptRepository, task_of
from loopwright.models.answer import Answer, repair_arguments
from loopwright.models.body import Writer, as_tool_calls, settings_of
from loopwright.models.composing import HOSTS
from loopwright.models.discovery.endpoint import Endpoint, Proof
from loopwright.models.discovery.knowledge import Knowledge, patience_for
from loopwright.models.exchange import Exchange
from loopwright.models.prices import PriceList, estimated_usage, prompt_tokens
from loopwright.models.retry import Clock, until_answered
from loopwright.models.settings import DEFAULT_MODELS, Capabilities, ModelSettings, capabilities_of
from loopwright.models.stream import RestartableSink, longest_answer, until_whole
from loopwright.models.telemetry import RequestRecord
from loopwright.models.transport import Transport
from loopwright.models.transport.http import HttpTransport

# Plain dictionaries in and out, for callers that speak the chat format (spec 000, phase 4).

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


# The client itself.
#
# Images go only to models that can see them: left out in silence, they would be invented by the model.


def check_images(messages: Sequence[Message], model: str, can: Capabilities) -> None:
    """Let the messages pass, if the model can take them.

    Raises:
        ModelRejected: there is an image among them and the model has no vision.
    """
    if not can.vision and any(message.images for message in messages):
        raise ModelRejected(
            f"{model} cannot see images, and one was sent.",
            hint="Choose a model with vision (MODEL_STANDARD, MODEL_POWERFUL), or send the message without the image.",
        )


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
        known: Knowledge | None = None,
    ) -> None:
        """Open nothing yet; without a transport of your own it is HTTP, without prompts the packaged ones.

        `known` is what was found out about the endpoint, and takes in what is found out from now on.
        """
        self.settings = settings
        self.known = known or Knowledge(settings.base_url)
        self._transport = transport or HttpTransport(connect_seconds=settings.connect_seconds, proxies=settings.proxies)
        self._clock = clock or Clock()
        self._exchange = Exchange(settings, self._transport)
        prompts = prompts or PromptRepository({"models": "loopwright.models"})
        self._write = lru_cache(maxsize=16)(partial(Writer, prompts, endpoint=self._exchange.host))
        self._judgements: dict[tuple[Tier, str | None], Capabilities] = {}
        self._judged_by: tuple[Endpoint | None, Mapping[str, Proof]] = self.known.endpoint, self.known.proofs
        self._prices = PriceList(settings.base_url, free=settings.free, known=self.known, named=settings.named)

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
        return self._judged("standard", model)

    def profile(self, tier: Tier = "standard", model: str | None = None) -> Profile:
        """What kind of model answers requests of this tier, or that name this model."""
        return self._judged(tier, model).profile

    def context_tokens(self, tier: Tier = "standard", model: str | None = None) -> int | None:
        """How many tokens prompt and answer may have together there; None where nobody knows."""
        return self._judged(tier, model).context_tokens

    def _judged(self, tier: Tier, model: str | None) -> Capabilities:
        """What a model can do; asked for ten times a step, so judged anew only once more is known of the endpoint."""
        endpoint, proofs = self.known.endpoint, self.known.proofs
        if endpoint is not self._judged_by[0] or proofs is not self._judged_by[1]:
            self._judged_by = endpoint, proofs
            self._judgements.clear()
        found = self._judgements.get((tier, model))
        if found is None:
            found = self._judgements[tier, model] = self._judge(model or self.model_of(tier))
        return found

    def _judge(self, model: str) -> Capabilities:
        mode = self.settings
        host = self._exchange.host
        guessed = capabilities_of(model, host, mode.tools, mode.profile)
        if host not in HOSTS and model not in mode.named and self.known.served(model) is None:
            guessed = replace(guessed, context_tokens=None)  # a name that nobody there has said tells no window
        return self.known.fitted(guessed, model, mode.tools, mode.profile)

    def model_of(self, tier: Tier) -> str:
        """The tier's model: the one that is set, or the one that the endpoint serves, or the usual one."""
        named = self.settings.models
        standard = named.get("standard") or DEFAULT_MODELS["standard"]
        return named.get(tier) or self.known.usual_model(DEFAULT_MODELS[tier], standard)

    def is_meant(self, model: str) -> bool:
        """Whether the user has named this model, or the endpoint lists it or lists none."""
        return model in self.settings.named or self.known.may_serve(model)

    async def complete(self, request: ModelRequest, on_delta: DeltaSink | None = None) -> ModelResponse:
        """Answer the request: retried, and given to the tier's secondary model if need be; see `ModelClient`.

        With `on_delta` the answer is streamed. If the stream breaks and is begun anew, the sink gets `RESTARTED` first.
        A request that names its model outright gets that model or an error.
        """
        record = RequestRecord(request, self._exchange.host)
        sink = RestartableSink(on_delta) if on_delta is not None else None

        async def ask(model: str) -> ModelResponse:
            response = await until_whole(
                lambda piece: self._ask(piece, model, sink, record),
                sink.keep if sink is not None else _hidden,
                request,
                self.settings.answer_tokens,
            )
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
            return await call(self.model_of(tier))
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
            models = [self.model_of(request.tier), *([secondary] if secondary else [])]
        prompt = prompt_tokens(request.messages, request.tools)
        longest = longest_answer(request, self.settings.answer_tokens)
        usage = Usage(prompt_tokens=prompt, completion_tokens=longest)
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

    async def _ask(
        self, request: ModelRequest, model: str, sink: "RestartableSink | None", record: RequestRecord
    ) -> ModelResponse:
        can = self.capabilities(model)
        check_images(request.messages, model, can)
        in_steps = can.tools == "schema" and (len(request.tools) > 0 or _speaks_of_tools(request.messages))
        rules = self.known.rules(self._exchange.host, model, self.settings.found)
        settings = settings_of(request, model, can, stream=sink is not None, rules=rules)
        body, sent = self._write(rules).write(request, "schema" if in_steps else "native", settings)
        task = (request.task or task_of(request.messages)) if rules.wants_task else ""
        # A step is JSON until it is read: its text is shown when it is whole.
        shown: DeltaSink | None = None if sink is None else _hidden if in_steps else sink

        patience = patience_for(
            self.settings,
            self.known.speed(model),
            prompt_tokens=prompt_tokens(request.messages, request.tools),
            answer_tokens=request.max_tokens,
            stream=sink is not None,
        )

        async def attempt(seconds: float, late: int) -> Answer:
            record.attempts += 1
            if sink is not None:
                sink.begin()
            seconds, first_byte = min(seconds, patience.attempt), patience.first_byte * (1 + late)
            return await self._exchange.attempt(body.json, model, shown, seconds, first_byte, task)

        answer = await until_answered(attempt, model, self.settings, self._clock, patience.deadline)
        if answer.usage is not None:
            self.known.observe(model, answer.usage, answer.timing)
        if in_steps:
            if len(request.tools) or request.response_format is None:  # else the form is the answer's own
                answer = as_tool_calls(answer, request.tools)
            if sink is not None and answer.text:
                sink(answer.text)
        return self._response(request, model, answer, sent)

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
            opaque=answer.opaque and answer.opaque.model_copy(update={"endpoint": self._exchange.host}),
        )


def _hidden(_: str) -> None:
    """Takes pieces that nobody is to see."""


def _speaks_of_tools(messages: Sequence[Message]) -> bool:
    return any(message.role == "tool" or message.tool_calls for message in messages)
