"""Which endpoint answers: the environment's, or the one that the user chose; and what is known of it."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from loopwright.app.settings import Settings
from loopwright.kernel.errors import Misconfigured
from loopwright.kernel.files import write_whole
from loopwright.models.client import OpenAIClient
from loopwright.models.discovery.asking import shown_address
from loopwright.models.discovery.endpoint import Endpoint, EndpointMemory, Speed
from loopwright.models.discovery.knowledge import Knowledge, is_loopback
from loopwright.models.settings import DEFAULT_MODELS

LOCAL: Final = "local"
"""In the place of an address: the model that runs in the background on this machine."""
LOCAL_URL: Final = "http://localhost/v1"
"""Stands for it where an address is needed; nobody connects to it."""
CHOICE, MEMORY = "model.json", "endpoints.json"
"""Names in the user's folder."""

LOCAL_FRESH: Final = timedelta(seconds=30)
"""How long what a server on this machine has said holds: it may be started anew with another model."""
REMOTE_FRESH: Final = timedelta(days=7)
TOLD_NOTHING: Final = ("https://api.openai.com/",)
"""Addresses that name nothing but names; their models are known."""


class Choice(BaseModel):
    """What `loopwright models use` keeps: an address or `local`, and a model where there are several."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    endpoint: str = Field(min_length=1, max_length=2_000)
    model: str | None = Field(None, min_length=1, max_length=300)


def read_choice(home: Path) -> Choice | None:
    """The user's choice, or None where there is none.

    Raises:
        Misconfigured: what is kept cannot be read.
    """
    try:
        return Choice.model_validate_json((home / CHOICE).read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValidationError) as error:
        raise Misconfigured(
            f"{home / CHOICE} cannot be read.", hint="Choose anew: loopwright models use NAME, or --none."
        ) from error


def keep_choice(home: Path, choice: Choice | None) -> None:
    """Keep the choice, or none, in the user's folder, which must exist."""
    if choice is None:
        (home / CHOICE).unlink(missing_ok=True)
    else:
        write_whole(home / CHOICE, choice.model_dump_json(exclude_none=True).encode())


def with_choice(settings: Settings) -> Settings:
    """The settings with the user's choice where the environment names neither an endpoint nor a key.

    Raises:
        Misconfigured: what is kept cannot be read.
    """
    if settings.openai_base_url is not None or settings.openai_api_key is not None:
        return settings
    choice = read_choice(settings.home)
    if choice is None:
        return settings
    tiers = ("model_fast", "model_standard", "model_powerful")
    models = {name: getattr(settings, name) or choice.model for name in tiers}
    return settings.model_copy(update={"openai_base_url": choice.endpoint, **models})


def memory_in(home: Path) -> EndpointMemory:
    """What is kept of endpoints."""
    return EndpointMemory(home / MEMORY)


def knowledge_in(home: Path, base_url: str) -> Knowledge:
    """What is known of an endpoint; speeds that are seen from now on are kept."""
    memory, address = memory_in(home), shown_address(base_url)

    def keep(model: str, speed: Speed) -> None:
        memory.note(address, speeds={model: speed})

    return Knowledge(base_url, memory.recall(address), keep)


def is_out_of_date(known: Knowledge) -> bool:
    """Whether the endpoint should be asked again before it is used."""
    if known.base_url.startswith(TOLD_NOTHING):
        return False
    fresh = LOCAL_FRESH if is_loopback(known.base_url) else REMOTE_FRESH
    return known.endpoint is None or datetime.now(UTC) - known.endpoint.asked_at > fresh


def names_of(endpoint: Endpoint) -> str:
    """The names of the first models that answer there, and how many more there are."""
    names = [served.name for served in endpoint.chat_models[:8]]
    more = len(endpoint.chat_models) - len(names) + endpoint.more
    return f"{', '.join(names)}{f' and {more} more' if more else ''}" if names else "no model that answers"


def choice_hint(client: OpenAIClient, model: str) -> str:
    """What the user can do where the endpoint lists its models, and this is none of them; else nothing."""
    endpoint = client.known.endpoint
    if endpoint is None or client.known.may_serve(model):
        return ""
    told = f"It serves {names_of(endpoint)}."
    return f"{told} Name one: MODEL_STANDARD=NAME, or loopwright models use ADDRESS --model NAME."


def nobody_named(client: OpenAIClient) -> str:
    """What is said where no model is named, and the endpoint lists several and not the usual one; else nothing."""
    missing = next((name for tier in DEFAULT_MODELS if not client.is_meant(name := client.model_of(tier))), None)
    if missing is None:
        return ""
    address = shown_address(client.settings.base_url)
    return f"MODEL_STANDARD is not set, and {address} does not list the usual model, {missing}."
