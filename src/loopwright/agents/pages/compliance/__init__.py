"""Mobile compliance: what is wrong with a page, and the repairs that need no judgement.

Everything here is a pure function over strings: no files, no network, no model.
"""

from loopwright.agents.pages.compliance.extract import ExtractedHtml, extract_html
from loopwright.agents.pages.compliance.links import Link, collect_links, page_links, rewrite_links
from loopwright.agents.pages.compliance.report import Issue, ValidationReport
from loopwright.agents.pages.compliance.shell import (
    ShellResult,
    ensure_mobile_shell,
    inline_css,
)
from loopwright.agents.pages.compliance.validate import validate_page

__all__ = [
    "ExtractedHtml",
    "Issue",
    "Link",
    "ShellResult",
    "ValidationReport",
    "collect_links",
    "ensure_mobile_shell",
    "extract_html",
    "inline_css",
    "page_links",
    "rewrite_links",
    "validate_page",
]
