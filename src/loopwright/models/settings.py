"""What the client is told about the endpoint; nothing in this package reads the environment for it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from loopwright.kernel.ports import Tier

ToolsMode = Literal["native", "schema", "auto"]
ProfileMode = Literal["small", "frontier", "auto"]

DEFAULT_MODELS: Mapping[Tier, str] = {"fast": "gpt-4.1-mini", "standard": "gpt-4.1", "powerful": "o3-mini"}
"""Spec 000, phase 4."""


@dataclass(frozen=True)
class ModelSettings:
    """An endpoint, its models, and how patiently it is asked. All times are in seconds."""

    base_url: str = "https://api.openai.com/v1"
    api_key: str | None = field(default=None, repr=False)
    """None sends no Authorization header, as local servers like it."""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Sent with every request besides our own."""
    models: Mapping[Tier, str] = field(default_factory=dict)
    """A tier without one gets the model that the endpoint serves, or its usual one."""
    secondary: Mapping[Tier, str] = field(default_factory=dict)
    """The model that is asked when the tier's own one cannot be had; a tier without one ends in an error."""
    tools: ToolsMode = "auto"
    profile: ProfileMode = "auto"
    """What kind of model answers; by its name, where the user says nothing."""
    free: bool = False
    """Whether the endpoint costs nothing, as the offline model does; otherwise the price is the model's, or unknown."""
    answer_tokens: int | None = None
    """The longest answer that is asked for, in tokens: a slow model should not write all that callers allow."""
    found: str = ""
    """What the endpoint was found to be, by the names of `wire_rules.py`; empty where only its host is known."""
    proxies: bool = True
    """Whether HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY are obeyed."""
    connect_seconds: float = 10.0
    silence_seconds: float = 300.0
    """The longest wait for the next byte; without streaming that is the time the whole answer takes to write."""
    attempt_seconds: float = 900.0
    """The longest that one attempt may take."""
    deadline_seconds: float = 1_200.0
    """The longest that all attempts with one model may take, waiting included."""
    attempts: int = 6
    backoff_seconds: float = 0.5
    """The first wait is random up to this, each later one up to twice the one before."""
    backoff_cap_seconds: float = 20.0
    retry_after_cap_seconds: float = 60.0
    """An endpoint that asks for more patience than this is given up, so that the secondary model gets its turn."""
    loading_seconds: float = 300.0
    """How long a local server that says it is still loading its model is waited for."""
    answer_bytes: int = 8 * 1024 * 1024
    """The largest answer that is read."""

    @property
    def named(self) -> frozenset[str]:
        """The models that the user has named."""
        return frozenset((*self.models.values(), *self.secondary.values()))
