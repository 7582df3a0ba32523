"""What an event is."""

from datetime import datetime
from typing import Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict

Effect = Literal["pure", "idempotent", "once"]


class Payload(BaseModel):
    """What happened; the class attribute `type` names it on the wire."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        validate_by_name=True,
        validate_by_alias=True,
        serialize_by_alias=True,
        # Built on first use: a run uses a third of the forty classes, and building all of them is felt at every start.
        defer_build=True,
    )

    type: ClassVar[str]


class Event(BaseModel):
    """One line of a run's journal, as surfaces see it."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    run_id: str
    seq: int
    type: str
    at: datetime
    payload: dict[str, Any]


class Usage(BaseModel):
    """Tokens of one model call, as the endpoint counted them, or estimated (`estimated`) where it does not tell."""

    model_config = ConfigDict(frozen=True, extra="ignore", defer_build=True)

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    estimated: bool = False

    @property
    def total(self) -> int:
        """Prompt and completion together."""
        return self.prompt_tokens + self.completion_tokens


class SentRequest(BaseModel):
    """How a request was put to the endpoint, so that its body can be written again byte for byte.

    `settings` is the JSON object of what the body says besides messages and tools; `form` tells how it speaks of tools:
    by the wire's own means, or as schema-constrained steps. `tools` is the JSON array of the tools that were offered,
    or None where they are those of the request before it. `digest` is the SHA-256 (hex) of the SHA-256 of each piece of
    the body in turn: messages, tools if they are told natively, settings; so that a long dialogue is not hashed anew.
    Without `may_answer` the request left space for nothing but a tool call; `callable_now` are those that it left space
    for, None for all. `rules` names the endpoint's rules by which it was composed (`models/composing.py`; in journals
    of earlier versions nothing was composed), `endpoint` is its host, `told` what was told last.
    """

    model_config = ConfigDict(frozen=True, extra="ignore", defer_build=True)

    form: Literal["native", "schema"]
    settings: str
    digest: str
    tools: str | None = None
    may_answer: bool = True
    callable_now: list[str] | None = None
    rules: str = ""
    endpoint: str = ""
    told: str = ""
