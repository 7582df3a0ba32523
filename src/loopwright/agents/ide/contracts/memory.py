"""Local memory in three tiers (spec 002, 8.3; protection levels as the field notes have them)."""

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

Tier = Literal["short_term", "mid_term", "long_term"]
"""Recent run outcomes, architecture decisions, project facts."""
MemoryClass = Literal["fact", "decision", "outcome"]


class Memory(BaseModel):
    """One entry: concise, and found again by its words.

    `protection` (0 to 100) says how hard it is to change or delete: from 50 on it must be confirmed, from 80 on the
    user must approve it explicitly.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    memory_id: str
    tier: Tier
    content_class: MemoryClass
    category: str = Field("general", max_length=60)
    content: str = Field(min_length=3, max_length=2_000)
    protection: int = Field(ge=0, le=100)
    created_at: datetime
