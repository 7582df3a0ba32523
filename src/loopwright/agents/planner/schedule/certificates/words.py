"""Words for causes."""

from collections.abc import Sequence

MOST_NAMED = 6


def quoted(title: str) -> str:
    """A title as it stands in a sentence."""
    return f"“{title}”"


def listed(titles: Sequence[str]) -> str:
    """Titles as a list in a sentence; of many, the first ones."""
    shown = [quoted(title) for title in titles[:MOST_NAMED]]
    if len(titles) > MOST_NAMED:
        return f"{', '.join(shown)} and {len(titles) - MOST_NAMED} more"
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def lasting(minutes: int) -> str:
    """A duration: 50 minutes, 3 h, 2 h 30 min."""
    hours, rest = divmod(minutes, 60)
    if hours == 0:
        return f"{rest} minutes"
    return f"{hours} h {rest} min" if rest else f"{hours} h"
