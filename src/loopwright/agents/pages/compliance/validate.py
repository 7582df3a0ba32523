"""Validation of one page: every rule of the table, run over one parsed page."""

from collections.abc import Collection

from loopwright.agents.pages.compliance.page import Page
from loopwright.agents.pages.compliance.report import Issue, ValidationReport
from loopwright.agents.pages.compliance.rules import RULES


def validate_page(
    html: str, *, css: str = "", slug: str = "index", known_slugs: Collection[str] | None = None
) -> ValidationReport:
    """Check a page against all rules.

    Parameters: `css` is the design system that the page links (or has to link: a missing link is one issue of its own,
    and the rest is judged as if it were there); `slug` names the page in the report; `known_slugs` are the pages of
    the app, and without them links to other pages are not judged.  What the CSS leaves open (an unknown variable, a
    stylesheet that was not given) is never reported as an error.
    """
    page = Page.read(html, css=css, slug=slug, known_slugs=known_slugs)
    issues: list[Issue] = []
    for rule in RULES:
        issues.extend(rule.check(page))
    ordered = sorted(issues, key=lambda issue: issue.severity != "error")
    return ValidationReport(slug=slug, issues=tuple(ordered), rules_checked=tuple(rule.id for rule in RULES))
