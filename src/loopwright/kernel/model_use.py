"""What a run has asked of its models, out of its journal: calls, tokens, and how often an answer had to be repaired."""

from collections.abc import Iterable
from dataclasses import dataclass

from loopwright.kernel.events import Event, Usage
from loopwright.kernel.registry import INVALID_ARGUMENTS
from loopwright.kernel.think import MISFIT


@dataclass
class ModelUse:
    """What one model was asked. `cached_tokens` are those of the prompts that its endpoint had read before.

    `repairs` counts what the model was told to send again because its form was wrong: answers and calls.
    """

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    repairs: int = 0

    def __str__(self) -> str:
        """In one line."""
        cached = f" ({self.cached_tokens:,} cached)" if self.cached_tokens else ""
        told = f"{self.calls} calls, {self.prompt_tokens:,}{cached} + {self.completion_tokens:,} tokens"
        return told + (f", {self.repairs} repairs" if self.repairs else "")


def use_of_models(events: Iterable[Event]) -> dict[str, ModelUse]:
    """The use of each model, by its name, in the order in which they came in."""
    found: dict[str, ModelUse] = {}
    last = ModelUse()
    for event in events:
        payload = event.payload
        if event.type in ("model_response", "tool_model_response"):
            use = found.setdefault(str(payload.get("model") or "unnamed"), ModelUse())
            counted = Usage.model_validate(payload.get("usage") or {})
            use.calls += 1
            use.prompt_tokens += counted.prompt_tokens
            use.completion_tokens += counted.completion_tokens
            use.cached_tokens += counted.cached_tokens
            last = use if event.type == "model_response" else last
        elif event.type == "controller_message":
            last.repairs += payload["reason"] == MISFIT
        elif event.type == "tool_result":
            last.repairs += str(payload.get("error") or "").startswith(INVALID_ARGUMENTS)
    return found
