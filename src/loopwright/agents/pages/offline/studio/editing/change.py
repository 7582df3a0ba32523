"""What an edit gives back to the one that chose it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Change:
    """A request that was understood: the page after it, and what was done, or why nothing was."""

    html: str
    told: str
