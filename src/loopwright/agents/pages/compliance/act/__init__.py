"""The W3C's ACT rules, asked of a page: https://www.w3.org/WAI/standards-guidelines/act/rules/."""

from loopwright.agents.pages.compliance.act.evaluate import check_act
from loopwright.agents.pages.compliance.act.outcome import ActResult, ActRule
from loopwright.agents.pages.compliance.act.rules import ACT_RULES, act_coverage

__all__ = ["ACT_RULES", "ActResult", "ActRule", "act_coverage", "check_act"]
