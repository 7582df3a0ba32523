"""The rules a page is checked against: one file per group, one row per rule in the table below.

A new rule is a function from a page to issues and a row here.
"""

from loopwright.agents.pages.compliance.rules.accessibility import ACCESSIBILITY_RULES
from loopwright.agents.pages.compliance.rules.contrast import CONTRAST_RULES
from loopwright.agents.pages.compliance.rules.document import DOCUMENT_RULES
from loopwright.agents.pages.compliance.rules.headings import HEADING_RULES
from loopwright.agents.pages.compliance.rules.layout import LAYOUT_RULES
from loopwright.agents.pages.compliance.rules.links import LINK_RULES
from loopwright.agents.pages.compliance.rules.names import NAME_RULES
from loopwright.agents.pages.compliance.rules.resources import RESOURCE_RULES
from loopwright.agents.pages.compliance.rules.rule import Rule
from loopwright.agents.pages.compliance.rules.scripts import SCRIPT_RULES
from loopwright.agents.pages.compliance.rules.touch import TOUCH_RULES
from loopwright.agents.pages.compliance.rules.typography import TYPOGRAPHY_RULES

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
