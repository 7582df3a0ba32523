"""What a rule is."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from loopwright.agents.pages.compliance.page import Page
from loopwright.agents.pages.compliance.report import Issue


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule of the table."""

    id: str
    """Identifier carried by its issues."""
    summary: str
    """What a page has to be like, in one sentence."""
    check: Callable[[Page], Iterable[Issue]]
    """Finds what breaks the rule; yields nothing for what cannot be judged."""
