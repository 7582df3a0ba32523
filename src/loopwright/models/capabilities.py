"""What models and endpoints can do, as data: a new one is a row here, never a class."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, Literal

from loopwright.kernel.ports import Profile
from loopwright.models.settings import ProfileMode, ToolsMode


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
