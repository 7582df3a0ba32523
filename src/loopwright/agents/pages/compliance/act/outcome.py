"""What an ACT rule says of a page (W3C Accessibility Conformance Testing Rules Format 1.1, section 5; EARL 1.0)."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from selectolax.lexbor import LexborNode

from loopwright.agents.pages.compliance.act.subject import Subject

Outcome = Literal["passed", "failed", "inapplicable", "cantTell"]
Coverage = Literal["full", "partial"]
"""`full`: the rule is decided from the page alone.  `partial`: what the rule asks is a matter of judgement (does a
heading describe what follows?) or lies outside the page, so beyond its clear cases the answer is `cantTell`."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What a rule found on one element."""

    outcome: Literal["passed", "failed", "cantTell"]
    node: LexborNode | None
    """The test target; None when it is the page as a whole."""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ActRule:
    """One W3C rule and how far it is covered here."""

    id: str
    """The identifier the W3C gave it: https://www.w3.org/WAI/standards-guidelines/act/rules/ID/."""
    name: str
    criteria: tuple[str, ...]
    """WCAG success criteria it tests."""
    coverage: Coverage
    rules: tuple[str, ...]
    """Rules of `validate_page` that report what it finds."""
    check: Callable[[Subject], Iterable[Finding]]
    """Findings, one for each test target; none when the rule does not apply."""
    depends_on_css: bool = True
    """Whether a stylesheet that is not known leaves the outcome open."""


@dataclass(frozen=True, slots=True)
class ActResult:
    """The outcome of one rule on one page."""

    rule: ActRule
    outcome: Outcome
    selector: str | None = None
    """Where the element stands that decided the outcome."""
    reason: str = ""


def combine(findings: Iterable[Finding]) -> tuple[Outcome, Finding | None]:
    """The outcome of a page from those of its elements, with the one that decided it: the worst."""
    worst: dict[str, Finding] = {}
    for finding in findings:
        worst.setdefault(finding.outcome, finding)
    for outcome in ("failed", "cantTell", "passed"):
        if outcome in worst:
            return worst[outcome].outcome, worst[outcome]
    return "inapplicable", None
