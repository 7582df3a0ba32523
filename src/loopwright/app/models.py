"""Which model answers: an endpoint, or the offline model when none is set."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from loopwright.app.agents import playbooks
from loopwright.app.settings import Settings
from loopwright.kernel.ports import ModelClient, Tier
from loopwright.kernel.prompts import PromptRepository
from loopwright.models.client import OpenAIClient
from loopwright.models.offline.app import create_offline_app
from loopwright.models.offline.client import create_offline_client
from loopwright.models.settings import DEFAULT_MODELS, ModelSettings
from loopwright.models.transport.asgi import ASGIApp


@asynccontextmanager
async def open_model(settings: Settings) -> AsyncIterator[ModelClient]:
    """The client for the configured endpoint, closed at the end."""
    if settings.offline:
        async with open_offline_model() as offline:
            yield offline
        return
    prompts = prompt_repository(settings, "models", "loopwright.models")
    async with OpenAIClient(model_settings(settings), prompts=prompts) as client:
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
        base_url=settings.openai_base_url or default.base_url,
        api_key=settings.openai_api_key.get_secret_value() if settings.openai_api_key else None,
        models={**DEFAULT_MODELS, **{tier: name for tier, name in models.items() if name}},
        secondary={tier: name for tier, name in fallbacks.items() if name},
        tools=settings.model_tools,
        answer_tokens=settings.model_max_tokens,
        silence_seconds=settings.model_timeout,
        attempts=settings.model_retries + 1,
    )


def offline_app() -> ASGIApp:
    """The offline model as an application for a server."""
    return create_offline_app(playbooks())
