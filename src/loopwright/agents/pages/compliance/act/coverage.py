"""Which ACT rules are covered, and by which rules of the validation."""

from loopwright.agents.pages.compliance.act.outcome import ActRule, Coverage
from loopwright.agents.pages.compliance.act.rules import ACT_RULES


def act_coverage() -> dict[str, Coverage]:
    """The identifiers of the ACT rules that are checked, with how far."""
    return {rule.id: rule.coverage for rule in ACT_RULES}


def coverage_table() -> str:
    """The declaration as a Markdown table."""
    lines = ["| ACT rule | name | WCAG | coverage | rules of `validate_html` |", "| --- | --- | --- | --- | --- |"]
    return "\n".join([*lines, *map(_row, ACT_RULES)])


def _row(rule: ActRule) -> str:
    address = f"https://www.w3.org/WAI/standards-guidelines/act/rules/{rule.id}/"
    own = ", ".join(f"`{name}`" for name in rule.rules) or "none"
    return f"| [{rule.id}]({address}) | {rule.name} | {', '.join(rule.criteria)} | {rule.coverage} | {own} |"
