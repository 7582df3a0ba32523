"""What the client is told about its endpoint, and what is known of models and endpoints, as data."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final, Literal

from loopwright.kernel.ports import Profile, Tier

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


# What models and endpoints can do, as data: a new one is a row here, never a class.


@dataclass(frozen=True)
class Capabilities:
    """One model at one endpoint.

    `tools` says how tool calls are had: by the wire's own means, or as schema-constrained steps. `profile` is what kind
    of model it is. `context_tokens` bounds prompt and answer together; None where nobody knows.
    """

    tools: Literal["native", "schema"] = "native"
    profile: Profile = "frontier"
    vision: bool = True
    stream_usage: bool = True
    temperature: bool = True
    limit_name: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    context_tokens: int | None = None


REASONING: Final[Mapping[str, Any]] = {"temperature": False, "limit_name": "max_completion_tokens"}
"""OpenAI's reasoning models count their thoughts in the limit, under another name, and refuse a temperature."""
SMALL: Final[Mapping[str, Any]] = {"tools": "schema", "profile": "small"}

MODELS: Final[tuple[tuple[re.Pattern[str], Mapping[str, Any]], ...]] = tuple(
    (re.compile(pattern, re.IGNORECASE), traits)
    for pattern, traits in (
        (r"^gpt-4\.1", {"context_tokens": 1_047_576}),
        (r"^gpt-4o", {"context_tokens": 128_000}),
        (r"^gpt-3\.5", {"context_tokens": 16_385, "vision": False}),
        (r"^o\d", {**REASONING, "context_tokens": 200_000}),
        (r"^o[13]-mini", {"vision": False}),
        (r"^gpt-5", {**REASONING, "context_tokens": 400_000}),
        (r"^gpt-5[\w.-]*-chat", {"context_tokens": 128_000, "temperature": True}),
        (r"deepseek-(chat|reasoner)", {"vision": False, "context_tokens": 128_000}),
        # Small local models pick the right tool far more often when a grammar holds them: a file of weights named
        # outright (llama.cpp), or a size below 4 billion parameters in the name (Ollama, LM Studio).
        (r"\.gguf$", SMALL),
        (r"(^|[:_-])(0\.\d+|[1-3](\.\d+)?)b([:_.-]|$)", SMALL),
    )
)
"""Traits by the model's name without its vendor prefix; where several patterns fit, the later one wins."""

ENDPOINTS: Final[Mapping[str, Mapping[str, Any]]] = {
    "api.mistral.ai": {"stream_usage": False},  # it counts without being asked, and refuses the question
}
"""Traits by host name; they win over the model's."""


@lru_cache(maxsize=256)
def capabilities_of(
    model: str, host: str = "", tools: ToolsMode = "auto", profile: ProfileMode = "auto"
) -> Capabilities:
    """What this model can do at this host; `tools` and `profile` other than `auto` are the user's word, and hold."""
    traits: dict[str, Any] = {}
    name = model.rpartition("/")[2]
    for pattern, more in MODELS:
        if pattern.search(name):
            traits.update(more)
    traits.update(ENDPOINTS.get(host, {}))
    if tools != "auto":
        traits["tools"] = tools
    if profile != "auto":
        traits["profile"] = profile
    return Capabilities(**traits)
