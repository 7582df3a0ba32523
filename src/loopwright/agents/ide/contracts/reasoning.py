"""Reasoning blocks and what is kept of them (spec 002, 4)."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

SECTIONS = ("Analyze", "Research", "Plan", "Reflect", "Action", "Delivery")
"""The sections of the macro format, in order."""


class ReasoningOutcome(BaseModel):
    """All that later requests see of a reasoning block."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    plan_delta: str = ""
    next_action: str = ""
    known_risks: str = ""
    delivery_state: Literal["DONE", "NEEDS_WORK"] = "NEEDS_WORK"

    def as_text(self) -> str:
        """The four lines that stand in the conversation in place of the block."""
        return (
            "ReasoningOutcome:\n"
            f"plan_delta: {self.plan_delta}\n"
            f"next_action: {self.next_action}\n"
            f"known_risks: {self.known_risks}\n"
            f"delivery_state: {self.delivery_state}"
        )


class Reasoning(BaseModel):
    """A reasoning block as it was written: for the user's eyes, never for a later request."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal["macro", "micro"]
    text: str
    outcome: ReasoningOutcome
