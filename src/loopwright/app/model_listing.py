"""What answers and what could: endpoints found, proved with tiny calls, and chosen."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final, Literal

from loopwright.app.endpoints import (
    LOCAL,
    LOCAL_URL,
    Choice,
    choice_hint,
    keep_choice,
    knowledge_in,
    memory_in,
    names_of,
    nobody_named,
    with_choice,
)
from loopwright.app.models import DiscoveringModel, local_model, model_settings, prompt_repository
from loopwright.app.settings import Settings
from loopwright.kernel.errors import InvalidInput, LoopwrightError, Misconfigured
from loopwright.kernel.events import Usage
from loopwright.kernel.ports import Tier
from loopwright.models.client import OpenAIClient
from loopwright.models.discovery.asking import discover, shown_address
from loopwright.models.discovery.endpoint import Endpoint, Proof
from loopwright.models.discovery.proving import Finding, Form, Proving
from loopwright.models.exchange import Exchange
from loopwright.models.prices import PriceList
from loopwright.models.settings import ModelSettings
from loopwright.models.transport.http import HttpTransport

USUAL_PORTS: Final = (11434, 1234, 8080, 8000)
"""Ollama, LM Studio, llama.cpp, vLLM."""
LOOK_SECONDS: Final = 2.0
"""How long a question to a port may take where nobody said that somebody answers there."""
MOST_ROWS: Final = 20
RESTING: Final = "the local model rests, and is started when somebody asks it"
TIERS: Final[tuple[Tier, ...]] = ("fast", "standard", "powerful")
Source = Literal["environment", "chosen", "found"]


@dataclass(frozen=True)
class ModelRow:
    """One model as it is shown; None is unknown. `tiers` are those for which it answers, `tools` the form in use."""

    model: str
    tiers: Sequence[Tier]
    window: int | None
    window_assumed: bool
    tools: str
    vision: bool | None
    prompt_speed: float | None
    answer_speed: float | None
    profile: str
    price: str
    proven: bool


@dataclass(frozen=True)
class EndpointRows:
    """An endpoint and its models.

    `problem` says why it could not be asked, `advice` what is amiss and what to set; `others` counts models left out.
    """

    address: str
    kind: str
    source: Source
    rows: Sequence[ModelRow]
    problem: str = ""
    advice: str = ""
    others: int = 0

    def as_json(self) -> dict[str, Any]:
        """As programs see it."""
        return {"type": "endpoint", **asdict(self)}


async def configured(settings: Settings, *, every: bool = False) -> EndpointRows | None:
    """The endpoint that answers, asked now; None where the offline model answers.

    Raises:
        Misconfigured: a setting is unusable.
    """
    fitted = with_choice(settings)
    if fitted.offline:
        return None
    async with open_endpoint(fitted) as client:
        resting = client.local is not None and client.local.running is None
        problem = RESTING if resting else await client.ask_anew()
        source: Source = "environment" if fitted is settings else "chosen"
        return _rows(client, source, problem, every=every)


def open_endpoint(settings: Settings) -> DiscoveringModel:
    """The client for the endpoint that these settings name, not yet asked anything."""
    prompts = prompt_repository(settings, "models", "loopwright.models")
    return DiscoveringModel(model_settings(settings), settings.home, prompts)


async def found(settings: Settings, ports: Sequence[int] = USUAL_PORTS) -> list[EndpointRows]:
    """Servers of models on this machine, other than the configured one; no key is sent to them."""
    fitted = with_choice(settings)
    known = "" if fitted.offline else shown_address(model_settings(fitted).base_url)
    transport = HttpTransport(connect_seconds=LOOK_SECONDS, proxies=False)
    try:
        asked = await asyncio.gather(*(_at_port(port, transport) for port in ports))
    finally:
        await transport.aclose()
    rows = []
    for endpoint in asked:
        if endpoint is None or endpoint.base_url == known or not endpoint.chat_models:
            continue
        memory_in(settings.home).note(endpoint.base_url, endpoint=endpoint)
        told = ModelSettings(base_url=endpoint.base_url)
        client = OpenAIClient(told, transport, known=knowledge_in(settings.home, endpoint.base_url))
        rows.append(_rows(client, "found", "", every=False))
    return rows


async def _at_port(port: int, transport: HttpTransport) -> Endpoint | None:
    try:
        return await discover(f"http://127.0.0.1:{port}/v1", None, transport, seconds=LOOK_SECONDS)
    except LoopwrightError:
        return None  # nobody is there, which is how it mostly is


def _rows(client: OpenAIClient, source: Source, problem: str, *, every: bool) -> EndpointRows:
    endpoint = client.known.endpoint
    served = [model.name for model in endpoint.chat_models] if endpoint else []
    used: dict[str, list[Tier]] = {}
    advice = [endpoint.unlisted] if endpoint else []
    if source != "found":
        for tier in TIERS:
            model = client.model_of(tier)
            if client.is_meant(model):
                used.setdefault(model, []).append(tier)
        lost = [model for model in used if not client.known.may_serve(model)]
        advice += [nobody_named(client), *(f"It does not list {model}, which is set." for model in lost)]
        advice.append(choice_hint(client, lost[0] if lost else client.model_of("standard")))
    names = list(dict.fromkeys([*used, *served]))
    shown = names if every else names[:MOST_ROWS]
    return EndpointRows(
        address=LOCAL if client.settings.base_url == LOCAL_URL else shown_address(client.settings.base_url),
        kind=endpoint.kind if endpoint else "unknown",
        source=source,
        rows=[_row(client, name, used.get(name, ())) for name in shown],
        problem=problem,
        advice=" ".join(filter(None, advice)),
        others=len(names) - len(shown) + (endpoint.more if endpoint else 0),
    )


def _row(client: OpenAIClient, name: str, tiers: Sequence[Tier]) -> ModelRow:
    can, known = client.capabilities(name), client.known
    served, speed = known.served(name), known.speed(name)
    proof = known.remembered.proofs.get(name)
    seen = can.vision if served is None or served.vision is not None or proof is not None else None
    return ModelRow(
        model=name,
        tiers=tiers,
        window=can.context_tokens,
        window_assumed=served.window_assumed if served else False,
        tools="none" if proof is not None and proof.tools is None else can.tools,
        vision=seen,
        prompt_speed=round(speed.prompt, 1) if speed else None,
        answer_speed=round(speed.answer, 1) if speed else None,
        profile=can.profile,
        price=_price(PriceList(client.settings.base_url, known=known, named=client.settings.named), name),
        proven=proof is not None and proof.tools is not None,
    )


def _price(prices: PriceList, model: str) -> str:
    """USD for a million tokens of prompt and of answer."""
    million = 1_000_000
    prompt = prices.cost(model, Usage(prompt_tokens=million))
    answer = prices.cost(model, Usage(completion_tokens=million))
    if prompt is None or answer is None:
        return "unknown"
    return "free" if prompt == answer == 0 else f"${prompt:.2f} / ${answer:.2f} per million"


# Proves an endpoint with tiny calls, and keeps what was found for the runs to come.

LEAST_WINDOW: Final = 4_096
"""Tokens with which an agent's shortest prompts and an answer still fit."""
GOOD_WINDOW: Final = 8_192


@dataclass(frozen=True)
class Verdict:
    """What a check came to."""

    address: str
    model: str
    findings: tuple[Finding, ...]
    proof: Proof
    settings: tuple[str, ...]
    """What to set so that agents use what works, a line each; nothing where they do so already."""

    @property
    def usable(self) -> bool:
        """Whether agents can run."""
        return all(finding.works for finding in self.findings if finding.needed)


async def check_endpoint(
    settings: Settings,
    url: str | None,
    model: str | None,
    begin: Callable[[str], None],
    show: Callable[[Finding], None],
) -> Verdict:
    """Make the calls, and keep what they show for this endpoint and model.

    Args:
        settings: the user's; their key goes along only where no other address is given than theirs.
        url: another endpoint than the one that is set.
        model: another model than the one of the standard tier.
        begin: is told what is tried.
        show: is told what came of it.

    Raises:
        InvalidInput: no endpoint is set, and none was given.
        Misconfigured: the endpoint serves several models, and none was named.
    """
    fitted = with_choice(settings)
    if url is not None:
        own = not fitted.offline and shown_address(url) == shown_address(fitted.openai_base_url or url)
        fitted = fitted.model_copy(update={"openai_base_url": url} | ({} if own else {"openai_api_key": None}))
    if fitted.offline:
        raise InvalidInput(
            "No endpoint is set: the built-in offline model answers.",
            hint="Name one: loopwright models check http://127.0.0.1:8080/v1",
        )
    if model is not None:
        fitted = fitted.model_copy(update={"model_standard": model})
    async with open_endpoint(fitted) as client:
        begin("what the endpoint says of itself")
        problem = await client.ask_anew() or (client.known.endpoint.unlisted if client.known.endpoint else "")
        if problem:
            show(Finding("what the endpoint says of itself", False, problem, needed=False))
        return await _prove(client, begin, show)


async def _prove(client: DiscoveringModel, begin: Callable[[str], None], show: Callable[[Finding], None]) -> Verdict:
    name = client.model_of("standard")
    if problem := nobody_named(client):
        raise Misconfigured(problem, hint=f"{choice_hint(client, name)} Here: --model NAME.")
    if client.settings.tools != "auto":
        forms: tuple[Form, ...] = (client.settings.tools,)
    else:
        forms = ("schema", "native") if client.capabilities(name).tools == "schema" else ("native", "schema")
    clients: dict[Form, OpenAIClient] = {
        form: OpenAIClient(replace(client.settings, tools=form, attempts=2), client.transport, known=client.known)
        for form in ("native", "schema")
    }
    exchange = Exchange(client.settings, client.transport)
    proving = Proving(clients.__getitem__, exchange, name, forms, begin, show)
    proof = await proving.prove(vision=served.vision if (served := client.known.served(name)) else None)
    await client.ask_anew()  # a server that loads its model on demand tells its window only now
    window = _window(client, name)
    proving.findings.append(window)
    show(window)
    address = shown_address(client.settings.base_url)
    memory_in(client.home).note(address, proofs={name: proof})
    client.known.learn(memory_in(client.home).recall(address))
    return Verdict(address, name, tuple(proving.findings), proof, _advice(client, name, proof))


def _window(client: DiscoveringModel, name: str) -> Finding:
    window, served = client.capabilities(name).context_tokens, client.known.served(name)
    if window is None:
        return Finding("window", True, "not told", needed=False)
    told = f"{window:,} tokens{' (assumed)' if served and served.window_assumed else ''}"
    advice = "" if window >= GOOD_WINDOW else "Start the server with a larger one: 8,192 tokens at least."
    return Finding("window", window >= LEAST_WINDOW, told, advice=advice)


def _advice(client: DiscoveringModel, name: str, proof: Proof) -> tuple[str, ...]:
    lines = []
    if proof.tools is not None and client.settings.tools not in ("auto", proof.tools):
        lines.append(f"MODEL_TOOLS={proof.tools}")
    if client.settings.answer_tokens is None and (speed := client.known.speed(name)) and speed.answer < SLOW_ANSWER:
        lines.append(f"MODEL_MAX_TOKENS={ANSWER_MINUTES * 60 * int(speed.answer) // 100 * 100}")
    return tuple(lines)


SLOW_ANSWER: Final = 20.0
"""Tokens per second below which long answers take minutes."""
ANSWER_MINUTES: Final = 3


# Takes and keeps the user's choice of an endpoint.


@dataclass(frozen=True)
class Chosen:
    """What was kept; `overruled` where the environment says something else."""

    endpoint: str | None
    model: str | None
    text: str
    overruled: bool


async def choose(settings: Settings, name: str | None, model: str | None) -> Chosen:
    """Keep the choice of a server by its kind, or of an address; None takes the choice back.

    Raises:
        InvalidInput: no server of that name was found, or the model is not served.
        Misconfigured: the address is none.
        ModelUnavailable: nobody answers there.
    """
    overruled = settings.openai_base_url is not None or settings.openai_api_key is not None
    if name is None:
        keep_choice(settings.home, None)
        return Chosen(None, None, "The choice is taken back; without settings the offline model answers.", overruled)
    if name == LOCAL:
        config = local_model(settings.home).config
        if config is None:
            raise InvalidInput(
                "No local model is set up.", hint="loopwright models local FILE.gguf, or a name it knows."
            )
        keep_choice(settings.home, Choice(endpoint=LOCAL))
        return Chosen(LOCAL, None, f"{config.name}, run on this machine, answers from now on.", overruled)
    address = name if name.startswith(("http://", "https://")) else await _address_of(settings, name)
    asked = settings.model_copy(update={"openai_base_url": address, "openai_api_key": None})
    async with open_endpoint(asked) as client:
        problem = await client.ask_anew()
        if problem:
            raise InvalidInput(f"{name} was not chosen: {problem}", hint="Start the server, or give another address.")
        endpoint = client.known.endpoint
        told = f"It serves {names_of(endpoint)}." if endpoint and endpoint.models else endpoint and endpoint.unlisted
        meant = model or client.model_of("standard")
        if not client.known.may_serve(meant) and not (model and endpoint and endpoint.more):
            missing = f"{address} does not serve {meant}." if model else f"{address} serves several models."
            raise InvalidInput(missing, hint=f"Name one with --model. {told}")
        if model is None and endpoint is not None and endpoint.unlisted:
            raise InvalidInput(f"{address} does not tell its models.", hint=f"Name one with --model. {told}")
    keep_choice(settings.home, Choice(endpoint=address, model=model))
    text = f"{meant} at {address} answers from now on. To prove it: loopwright models check"
    return Chosen(address, model, text, overruled)


async def _address_of(settings: Settings, name: str) -> str:
    rows = await found(settings.model_copy(update={"openai_base_url": "offline"}))
    for each in rows:
        if each.kind == name:
            return each.address
    known = ", ".join(f"{each.kind} ({each.address})" for each in rows) or "none"
    raise InvalidInput(
        f"No server {name!r} was found on this machine.", hint=f"Found: {known}. Any address works as well."
    )
