"""The auto-fixer: repairs that need no judgement, each a splice into the source that changes only what it says."""

from loopwright.agents.pages.compliance.fixes.fix import Fix
from loopwright.agents.pages.compliance.fixes.fixer import FixedPage, fix_page

__all__ = ["Fix", "FixedPage", "fix_page"]
