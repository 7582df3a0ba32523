"""Which model answers: an endpoint, the user's own in the background, or the offline model when none is set."""

import asyncio
import logging
import math
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from loopwright.app.agents import playbooks
from loopwright.app.endpoints import (
    LOCAL,
    LOCAL_URL,
    choice_hint,
    is_out_of_date,
    knowledge_in,
    memory_in,
    nobody_named,
)
from loopwright.app.settings import Settings
from loopwright.kernel.errors import InvalidInput, LoopwrightError, Misconfigured, ModelRejected
from loopwright.kernel.events import ModelResponse
from loopwright.kernel.files import make_private_folder
from loopwright.kernel.ports import DeltaSink, ModelClient, ModelRequest, Tier
from loopwright.kernel.prompts import PromptRepository
from loopwright.kernel.web.addresses import AddressRule, is_public
from loopwright.models.client import OpenAIClient
from loopwright.models.discovery.asking import QUESTION_SECONDS, discover, shown_address
from loopwright.models.local import FOLDER, KNOWN, LocalConfig, LocalModel, LocalState, LocalTransport, Weights
from loopwright.models.offline import create_offline_app, create_offline_client
from loopwright.models.settings import ModelSettings
from loopwright.models.transport import ASGIApp, ReadingTransport
from loopwright.models.transport.http import HttpTransport

WEIGHTS: Final = "models"
"""The folder, in the user's, of what was downloaded."""


def local_model(home: Path) -> LocalModel:
    """The background process of this user; nothing is started."""
    folder = home.resolve() / FOLDER
    make_private_folder(folder)
    return LocalModel(folder)


async def set_up(
    home: Path,
    wanted: str,
    *,
    context_tokens: int,
    idle_seconds: float,
    told: Callable[[str], None],
    allowed: AddressRule = is_public,
) -> LocalState:
    """Take a file, or a name that is known and is downloaded where it is not there yet, and start it.

    Args:
        home: the user's folder.
        wanted: a path that ends in `.gguf`, or a name of `KNOWN`.
        context_tokens: the window.
        idle_seconds: after how long without a question the process ends.
        told: is told what takes its time.
        allowed: judges the addresses that a download may come from.

    Raises:
        InvalidInput: the name is not known, or the download failed.
        Misconfigured: the extra is missing, or the file is no GGUF file.
        ModelUnavailable: it does not start.
    """
    if find_spec("xllamacpp") is None:
        raise Misconfigured(
            "Running a model here needs the extra `local`.", hint="Install it: pip install 'loopwright[local]'"
        )
    weights = KNOWN.get(wanted)
    if weights is not None:
        file, name = await _had(await asyncio.to_thread(home.resolve), weights, told, allowed), weights.name
    elif wanted.lower().endswith(".gguf"):
        file, name = await asyncio.to_thread(_path, wanted), Path(wanted).stem
    else:
        raise InvalidInput(
            f"{wanted!r} is no GGUF file, and no name that is known.", hint=f"Known: {', '.join(KNOWN)}."
        )
    model = local_model(home)
    model.configure(LocalConfig(file=file, name=name, context_tokens=context_tokens, idle_seconds=idle_seconds))
    return await model.ensure(told)


def _path(wanted: str) -> Path:
    return Path(wanted).expanduser().resolve()


async def _had(home: Path, weights: Weights, told: Callable[[str], None], allowed: AddressRule) -> Path:
    from loopwright.kernel.web.fetching import Expected, download

    folder = home / WEIGHTS
    await asyncio.to_thread(make_private_folder, folder)
    file = folder / weights.file
    if file.is_file() and file.stat().st_size == weights.size:
        return file

    def progress(have: int) -> None:
        told(f"{weights.file}: {have / 1e6:,.0f} of {weights.size / 1e6:,.0f} MB")

    told(f"Downloading {weights.file}")
    await download(Expected(weights.url, weights.size, weights.sha256), file, allowed, progress)
    return file


# Which model answers: an endpoint, or the offline model when none is set.

logger = logging.getLogger("loopwright.models")


class DiscoveringModel(OpenAIClient):
    """A client that asks its endpoint what it is, and keeps the answer in the user's folder."""

    def __init__(self, settings: ModelSettings, home: Path, prompts: PromptRepository) -> None:
        """Open nothing yet; `home` must exist when something is asked.

        Raises:
            Misconfigured: the base URL is none.
        """
        self.home = home
        self._asking = asyncio.Lock()
        self._asked = -math.inf
        http = HttpTransport(connect_seconds=settings.connect_seconds, proxies=settings.proxies)
        self.local = local_model(home) if settings.base_url == LOCAL_URL else None
        self.transport: ReadingTransport = LocalTransport(self.local, http) if self.local else http
        super().__init__(settings, self.transport, prompts=prompts, known=knowledge_in(home, settings.base_url))

    async def discover(self) -> None:
        """Ask where what is known may be out of date; call it before a run begins."""
        async with self._asking:  # of many runs that begin at once the first asks for all
            lately = time.monotonic() - self._asked < QUESTION_SECONDS  # in vain, or it would not be out of date
            problem = await self.ask_anew() if is_out_of_date(self.known) and not lately else ""
        if problem:  # the call itself will tell, if it fails as well
            logger.info("%s", problem)

    async def check_choice(self) -> None:
        """Call it before a run is made: `discover`, and see that some model is meant.

        Raises:
            Misconfigured: nobody has named a model, and the endpoint lists several, and not the usual one.
        """
        await self.discover()
        if problem := nobody_named(self):
            raise Misconfigured(problem, hint=choice_hint(self, self.model_of("standard")))

    async def complete(self, request: ModelRequest, on_delta: DeltaSink | None = None) -> ModelResponse:
        """See `OpenAIClient.complete`; a model that nobody has named and the endpoint does not list is not asked for.

        Where the endpoint refuses one that the user has named, those that it lists are told.
        """
        model = request.model or self.model_of(request.tier)
        hint = choice_hint(self, model)
        if not self.is_meant(model):
            raise ModelRejected(f"{shown_address(self.settings.base_url)} does not list {model}.", hint=hint)
        try:
            return await super().complete(request, on_delta)
        except ModelRejected as error:
            if not hint:
                raise
            raise ModelRejected(error.message, hint=hint) from error

    async def ask_anew(self) -> str:
        """Ask the endpoint what it is, however lately it was asked; what stands in the way, or nothing.

        What cannot be had is left as it was.
        """
        self._asked = time.monotonic()
        try:
            if self.local is not None:
                await self.local.ensure()  # a question would not wait until it is in memory
            endpoint = await discover(self.settings.base_url, self.settings.api_key, self.transport)
        except LoopwrightError as error:
            return error.message
        memory = memory_in(self.home)
        memory.note(endpoint.base_url, endpoint=endpoint)
        self.known.learn(memory.recall(endpoint.base_url))
        return ""


@asynccontextmanager
async def open_model(settings: Settings) -> AsyncIterator[ModelClient]:
    """The client for the configured endpoint, closed at the end."""
    if settings.offline:
        async with open_offline_model() as offline:
            yield offline
        return
    prompts = prompt_repository(settings, "models", "loopwright.models")
    async with DiscoveringModel(model_settings(settings), settings.home, prompts) as client:
        yield client


@asynccontextmanager
async def open_offline_model() -> AsyncIterator[ModelClient]:
    """The offline model's client; its playbooks are imported when they have to answer."""
    async with create_offline_client(playbooks()) as client:
        yield client


def prompt_repository(settings: Settings, name: str, package: str) -> PromptRepository:
    """The prompts of one package, under those that the user's folder replaces."""
    return PromptRepository({name: package}, [settings.prompts_dir] if settings.prompts_dir else [])


def model_settings(settings: Settings) -> ModelSettings:
    """The endpoint as the model client wants to be told."""
    default = ModelSettings()
    models: dict[Tier, str | None] = {
        "fast": settings.model_fast,
        "standard": settings.model_standard,
        "powerful": settings.model_powerful,
    }
    fallbacks: dict[Tier, str | None] = {
        "fast": settings.model_fast_fallback,
        "standard": settings.model_standard_fallback,
        "powerful": settings.model_powerful_fallback,
    }
    return ModelSettings(
        base_url=LOCAL_URL if settings.openai_base_url == LOCAL else settings.openai_base_url or default.base_url,
        api_key=settings.openai_api_key.get_secret_value() if settings.openai_api_key else None,
        models={tier: name for tier, name in models.items() if name},
        secondary={tier: name for tier, name in fallbacks.items() if name},
        tools=settings.model_tools,
        profile=settings.model_profile,
        answer_tokens=settings.model_max_tokens,
        silence_seconds=settings.model_timeout,
        attempts=settings.model_retries + 1,
    )


def offline_app() -> ASGIApp:
    """The offline model as an application for a server."""
    return create_offline_app(playbooks())
