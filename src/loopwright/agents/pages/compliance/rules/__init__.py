"""The rules a page is checked against: one file per group, one row per rule in the table below.

A new rule is a function from a page to issues and a row here.
"""

from loopwright.agents.pages.compliance.rules.accessibility import ACCESSIBILITY_RULES, CONTRAST_RULES, NAME_RULES
from loopwright.agents.pages.compliance.rules.layout import LAYOUT_RULES
from loopwright.agents.pages.compliance.rules.markup_rules import (
    DOCUMENT_RULES,
    HEADING_RULES,
    LINK_RULES,
    TOUCH_RULES,
    TYPOGRAPHY_RULES,
    Rule,
)
from loopwright.agents.pages.compliance.rules.resources import RESOURCE_RULES, SCRIPT_RULES

RULES: tuple[Rule, ...] = (
    *DOCUMENT_RULES,
    *RESOURCE_RULES,
    *LAYOUT_RULES,
    *TOUCH_RULES,
    *TYPOGRAPHY_RULES,
    *CONTRAST_RULES,
    *NAME_RULES,
    *HEADING_RULES,
    *ACCESSIBILITY_RULES,
    *LINK_RULES,
    *SCRIPT_RULES,
)
"""All rules, in the order in which their issues are reported."""

__all__ = ["RULES", "Rule"]
