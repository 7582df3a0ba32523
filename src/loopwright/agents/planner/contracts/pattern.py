"""Which kind of plan it is."""

import re
from typing import Annotated, Literal, get_args

from pydantic import AfterValidator, Field

from loopwright.agents.planner.contracts.base import Contract

PatternType = Literal[
    "milestone_project",
    "recurring_cycle",
    "progressive_accumulation_arc",
    "hybrid_project_cycle",
    "strategic_transformation",
]
PATTERN_TYPES: tuple[PatternType, ...] = get_args(PatternType)
KNOWN_SUBTYPES = (
    "learning_arc",
    "training_arc",
    "creative_arc",
    "career_arc",
    "therapeutic_arc",
    "financial_arc",
    "protocol_routine",
)
PROPOSED = re.compile(r"proposed:[a-z][a-z0-9_]{0,62}")


def _known_subtype(subtype: str | None) -> str | None:
    if subtype is None or subtype in KNOWN_SUBTYPES or PROPOSED.fullmatch(subtype):
        return subtype
    raise ValueError(
        f"unknown subtype {subtype!r}; known are {', '.join(KNOWN_SUBTYPES)}, new ones are written proposed:<name>"
    )


Subtype = Annotated[str | None, AfterValidator(_known_subtype)]


class PatternSpec(Contract):
    """The pattern of a plan. A proposed subtype needs an RFC: a short rationale for a human to decide on."""

    pattern_type: PatternType
    subtype: Subtype = None
    variant: str | None = Field(default=None, max_length=120)
    confidence: float | None = Field(default=None, ge=0, le=1)
    introduced_by: Literal["system", "user_feedback", "ai_adaptation"] = "system"
    source_pattern: str | None = Field(default=None, max_length=120)
    rfc: str | None = Field(default=None, max_length=4_000)

    @property
    def is_proposal(self) -> bool:
        """Whether the subtype is new and waits for a human."""
        return self.subtype is not None and self.subtype.startswith("proposed:")
