"""How the user wants to be worked with."""

from typing import Literal

from pydantic import Field

from loopwright.agents.planner.contracts.base import Contract


class InteractionPolicy(Contract):
    """The sliders of spec 004, 4. A session's own values win over the user's remembered ones, those over these."""

    conversation_style: Literal["concise", "standard", "conversational", "coach"] = "standard"
    talkativeness: float = Field(default=0.5, ge=0, le=1)
    autonomy: Literal["high", "medium", "low"] = "medium"
    brainstorming_preference: Literal["on_demand", "suggest_when_uncertain", "always_offer"] = "suggest_when_uncertain"
    approval_policy: Literal["single_final", "milestone_approvals", "strict_every_step"] = "milestone_approvals"
    probing_depth: int = Field(default=1, ge=0, le=3)
    tone: Literal["neutral", "friendly", "clinical"] = "friendly"
