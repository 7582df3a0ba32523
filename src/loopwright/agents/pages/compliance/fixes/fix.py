"""What a fix is."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from loopwright.agents.pages.compliance.markup import Edit, apply_edits
from loopwright.agents.pages.compliance.page import Page
from loopwright.agents.pages.compliance.report import Issue


@dataclass(frozen=True, slots=True)
class Fix:
    """A repair of one issue, or of several that share a place: the spans of the source that it replaces."""

    rules: tuple[str, ...]
    """Identifiers of the rules whose issues it mends."""
    summary: str
    """What it does, in a few words and the past tense: `set font-size: 16px on #mail`."""
    edits: tuple[Edit, ...]
    """Replacements and insertions in the text that the fix was made for; everything outside them stays."""

    def apply(self, source: str) -> str:
        """The text with the fix in it."""
        return apply_edits(source, self.edits)


Fixer = Callable[[Page, Issue], Iterator[Fix]]
"""Proposes fixes of an issue, the gentlest first; the first one that works is taken."""
