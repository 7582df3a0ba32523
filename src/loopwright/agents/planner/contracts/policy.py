"""How the user wants to be worked with."""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field, ValidationError

from loopwright.agents.planner.contracts.base import Contract
from loopwright.kernel.errors import InvalidInput


class InteractionPolicy(Contract):
    """The sliders of spec 004, 4. A session's own values win over the user's remembered ones, those over these."""

    conversation_style: Literal["concise", "standard", "conversational", "coach"] = "standard"
    talkativeness: float = Field(default=0.5, ge=0, le=1)
    autonomy: Literal["high", "medium", "low"] = "medium"
    brainstorming_preference: Literal["on_demand", "suggest_when_uncertain", "always_offer"] = "suggest_when_uncertain"
    approval_policy: Literal["single_final", "milestone_approvals", "strict_every_step"] = "milestone_approvals"
    probing_depth: int = Field(default=1, ge=0, le=3)
    tone: Literal["neutral", "friendly", "clinical"] = "friendly"


def effective_policy(session: Mapping[str, Any], remembered: Mapping[str, Any]) -> InteractionPolicy:
    """Field by field: what the session sets, else what is remembered of the user, else the default.

    Raises:
        InvalidInput: a field or value does not exist.
    """
    return read_policy({**remembered, **session})


def read_policy(data: Any, source: str = "The interaction policy") -> InteractionPolicy:
    """A policy out of data from outside; `source` begins the message when it is refused.

    Raises:
        InvalidInput: it is no object, or a field or value does not exist.
    """
    try:
        return InteractionPolicy.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "it"
        raise InvalidInput(
            f"{source} cannot be used: {where}: {first['msg']}.",
            hint=f"The fields are {', '.join(InteractionPolicy.model_fields)}.",
        ) from error
