"""What is told of a page's drift: findings with their weights, and the score."""

from collections import Counter
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

DriftRule = Literal[
    "unknown-variable", "redefined-token", "raw-colour", "raw-font", "raw-size", "raw-space", "raw-radius",
    "raw-shadow", "unknown-class", "inline-style", "important",
]  # fmt: skip

WEIGHTS: dict[DriftRule, int] = {
    "unknown-variable": 4,
    "redefined-token": 4,
    "raw-colour": 2,
    "raw-font": 2,
    "important": 2,
    "raw-size": 1,
    "raw-space": 1,
    "raw-radius": 1,
    "raw-shadow": 1,
    "unknown-class": 1,
    "inline-style": 1,
}
"""What is broken or undoes the system weighs most, then what a change of tokens would leave behind for all to see."""

WORDS: dict[DriftRule, str] = {
    "unknown-variable": "invented variable",
    "redefined-token": "redefined token",
    "raw-colour": "raw colour",
    "raw-font": "raw font",
    "raw-size": "raw font size",
    "raw-space": "raw space",
    "raw-radius": "raw radius",
    "raw-shadow": "raw shadow",
    "unknown-class": "unknown class",
    "inline-style": "inline style",
    "important": "!important",
}


class DriftFinding(BaseModel):
    """One decision that goes past the design system."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    rule: DriftRule
    where: str
    """The selectors of the rule, or the element."""
    property: str = ""
    found: str
    token: str | None = None
    """The nearest token, or the class beside an unknown one, where there is one."""
    auto_fixable: bool = False
    """Whether `fix_drift` puts the token in its place."""
    start: int = Field(default=-1, exclude=True)
    """Place in the page's source; -1 for what has none."""
    end: int = Field(default=-1, exclude=True)


class DriftReport(BaseModel):
    """How far a page has drifted from its design system."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    score: int
    """0 (not at all) to 100."""
    findings: tuple[DriftFinding, ...] = ()
    followed: int = 0
    """Decisions that follow the system: U of the formula."""

    def line(self) -> str:
        """The report in one line."""
        if not self.findings:
            return "Design drift 0 of 100: only the design system's tokens and classes are used."
        counts = Counter(finding.rule for finding in self.findings)
        parts = [f"{count} {_plural(WORDS[rule], count)}" for rule, count in counts.most_common()]
        return f"Design drift {self.score} of 100: {', '.join(parts)}.{self._invented()}"

    def _invented(self) -> str:
        """Variables that nobody sets, named: what refers to them has no value at all."""
        invented = [finding for finding in self.findings if finding.rule == "unknown-variable"]
        names = dict.fromkeys(f"{each.found} ({each.where} {{ {each.property} }})" for each in invented)
        if not names:
            return ""
        return f"\nError: no sheet sets {', '.join(list(names)[:5])}. Use the design system's variables."


def _plural(word: str, count: int) -> str:
    if count == 1 or word.startswith("!"):
        return word
    return f"{word}es" if word.endswith("s") and not word.endswith("us") else f"{word}s"
