"""What the client knows of its endpoint besides its settings: found out, proved, and measured as it runs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from ipaddress import ip_address
from typing import Any, Final, Literal, NamedTuple
from urllib.parse import urlsplit

from loopwright.kernel.events import Usage
from loopwright.models.answer import TIMED_ANSWER, TIMED_PROMPT, Timing
from loopwright.models.composing import WireRules, rules_of
from loopwright.models.discovery.endpoint import (
    LOCAL_KINDS,
    Endpoint,
    Proof,
    Remembered,
    ServedModel,
    Speed,
    TokenPrice,
)
from loopwright.models.settings import Capabilities, ModelSettings, ProfileMode, ToolsMode

TINY_PARAMETERS: Final = 4_000_000_000
"""Models with fewer pick the right tool far more often when a grammar holds them."""
CHANGE: Final = 1.2
"""A speed is kept anew when it differs by this factor from the one that is kept."""

Billing = Literal["free", "told", "maker", "unknown"]


def is_loopback(url: str) -> bool:
    """Whether the address is this very machine."""
    host = urlsplit(url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


@dataclass
class Knowledge:
    """One endpoint, by its address; `keep` is told of speeds that are worth keeping."""

    base_url: str = ""
    remembered: Remembered = field(default_factory=Remembered)
    keep: Callable[[str, Speed], None] = lambda model, speed: None

    @property
    def endpoint(self) -> Endpoint | None:
        """What the endpoint said of itself, if it was asked."""
        return self.remembered.endpoint

    @property
    def proofs(self) -> Mapping[str, Proof]:
        """What was tried with each model."""
        return self.remembered.proofs

    def learn(self, remembered: Remembered) -> None:
        """Take what is known now in the place of what was."""
        self.remembered = remembered

    def served(self, model: str) -> ServedModel | None:
        """What the endpoint says of this model."""
        return self.endpoint.model(model) if self.endpoint else None

    def may_serve(self, model: str) -> bool:
        """Whether the endpoint lists this model, or gives no list at all."""
        return self.endpoint is None or not self.endpoint.models or self.endpoint.model(model) is not None

    def usual_model(self, guess: str, standard: str) -> str:
        """The model that is meant where a tier has none.

        It is the guess, unless the endpoint lists its models and not this one: then the only one there is, or else the
        one of the standard tier, whether that is listed or not.
        """
        if self.endpoint is None or self.may_serve(guess):
            return guess
        only = self.endpoint.only_model
        return only.name if only else standard

    def fitted(self, can: Capabilities, model: str, tools: ToolsMode, profile: ProfileMode) -> Capabilities:
        """What a model can do, where this is known better than from its name; what the user has set stays."""
        known: dict[str, Any] = {}
        served, proof = self.served(model), self.remembered.proofs.get(model)
        if served is not None:
            known = {"vision": served.vision, "context_tokens": served.context_tokens, "tools": _form(served)}
            known["profile"] = served.profile
        if proof is not None:
            known |= {"tools": proof.tools} if proof.tools else {}
            known |= {"vision": proof.vision} if proof.vision is not None else {}
        known |= {"tools": None} if tools != "auto" else {}
        known |= {"profile": None} if profile != "auto" else {}
        return replace(can, **{name: value for name, value in known.items() if value is not None})

    def rules(self, host: str, model: str, found: str = "") -> WireRules:
        """What the endpoint accepts in a request for this model, as its kind and a proof say.

        `found` is a name of `wire_rules.py` that the settings give, and wins over the kind.
        """
        kind = self.endpoint.kind if self.endpoint else ""
        rules = rules_of(host, found or kind.replace(".", "").replace("-", ""), model)
        proof = self.remembered.proofs.get(model)
        return rules if proof is None else replace(rules, must_call=proof.tool_choice_required)

    @property
    def billing(self) -> Billing:
        """Who tells what a call costs: nobody, since it is free; the endpoint; the model's maker; or it is unknown."""
        kind = self.endpoint.kind if self.endpoint else "other"
        if kind in LOCAL_KINDS:
            return "free" if is_loopback(self.base_url) else "unknown"
        return "told" if kind == "openrouter" else "maker"

    def price(self, model: str) -> TokenPrice | None:
        """The price that the endpoint tells."""
        served = self.served(model)
        return served.price if served else None

    def speed(self, model: str) -> Speed | None:
        """How fast the model was lately."""
        return self.remembered.speeds.get(model)

    def observe(self, model: str, usage: Usage, timing: Timing) -> None:
        """Take in how long an answer took; what is too short to tell is left out."""
        fresh = usage.prompt_tokens - usage.cached_tokens
        told, wrote = timing.prompt_speed, timing.answer_speed
        if told is None and fresh >= TIMED_PROMPT and timing.first > 0:
            told = fresh / timing.first
        if wrote is None and usage.completion_tokens >= TIMED_ANSWER and timing.rest > 0:
            wrote = usage.completion_tokens / timing.rest
        old = self.speed(model)
        if old is not None:
            told, wrote = ((new + kept) / 2 if new else kept for new, kept in ((told, old.prompt), (wrote, old.answer)))
        if not told or not wrote:
            return
        speed = Speed(prompt=told, answer=wrote, at=datetime.now(UTC))
        if old is None or _differs(old.prompt, speed.prompt) or _differs(old.answer, speed.answer):
            self.remembered = self.remembered.model_copy(update={"speeds": {**self.remembered.speeds, model: speed}})
            self.keep(model, speed)


def _form(served: ServedModel) -> Literal["schema"] | None:
    tiny = served.size is not None and served.size < TINY_PARAMETERS
    return "schema" if (tiny or served.tools is False) and served.json_schema is not False else None


def _differs(old: float, new: float) -> bool:
    return max(old, new) > CHANGE * min(old, new)


# How long an answer is waited for: as the settings say, and longer where prompt and speed demand it.

SLACK: Final = 3.0
"""So many times the expected time is no sign of trouble: the machine may be busy, and others may be served first."""


class Patience(NamedTuple):
    """Seconds: until the first byte, for one attempt, and for all attempts with one model."""

    first_byte: float
    attempt: float
    deadline: float


def patience_for(
    settings: ModelSettings, speed: Speed | None, *, prompt_tokens: int, answer_tokens: int, stream: bool
) -> Patience:
    """The patience for one request; without a known speed it is what the settings say."""
    if speed is None:
        return Patience(settings.silence_seconds, settings.attempt_seconds, settings.deadline_seconds)
    reading, writing = SLACK * prompt_tokens / speed.prompt, SLACK * answer_tokens / speed.answer
    first_byte = max(settings.silence_seconds, reading if stream else reading + writing)
    attempt = max(settings.attempt_seconds, reading + writing)
    return Patience(first_byte, attempt, max(settings.deadline_seconds, 2 * (reading + writing)))
