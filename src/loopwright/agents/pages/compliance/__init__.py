"""Mobile compliance: what is wrong with a page, and the repairs that need no judgement.

Everything here is a pure function over strings: no files, no network, no model.
"""

from loopwright.agents.pages.compliance.markup import ExtractedHtml, extract_html
from loopwright.agents.pages.compliance.page import (
    Issue,
    Link,
    ValidationReport,
    collect_links,
    page_links,
    rewrite_links,
)
from loopwright.agents.pages.compliance.shell import (
    ShellResult,
    ensure_mobile_shell,
    inline_css,
    inline_runtime,
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
    "inline_runtime",
    "page_links",
    "rewrite_links",
    "validate_page",
]
