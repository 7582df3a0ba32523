"""How hard an entry is to change or to delete (field notes, 002)."""

from datetime import datetime

from loopwright.agents.ide.contracts.memory import Memory, Tier

BASE: dict[Tier, int] = {"short_term": 10, "mid_term": 40, "long_term": 80}
MOST_FOR_AGE = 20
PER_DAY = 0.5
WEIGHTY = frozenset({"architecture", "security"})
FOR_WEIGHT = 15
CONFIRM, APPROVE = 50, 80
"""From the first on a change must be confirmed, from the second on the user must approve it explicitly."""


def protection_of(tier: Tier, category: str, age_days: float) -> int:
    """0 to 100: by tier, by age, and more for what is architecture or security."""
    age = min(MOST_FOR_AGE, max(0.0, age_days) * PER_DAY)
    return min(100, int(BASE[tier] + age + (FOR_WEIGHT if category in WEIGHTY else 0)))


def protection_now(memory: Memory, now: datetime) -> int:
    """The entry's protection at a moment: it grows with age."""
    return protection_of(memory.tier, memory.category, (now - memory.created_at).total_seconds() / 86_400)
