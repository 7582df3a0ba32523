"""Validation of one page: every rule of the table, run over one parsed page."""

from collections.abc import Collection
from functools import lru_cache

from loopwright.agents.pages.compliance.cascade.computed import MAXIMUM_DEPTH
from loopwright.agents.pages.compliance.page import MAXIMUM_ELEMENTS, Issue, Page, ValidationReport, is_too_large
from loopwright.agents.pages.compliance.rules import RULES
from loopwright.agents.pages.compliance.rules.resources import check_hosts

# Pages that send something to other hosts, or leave for one by themselves: no prototype does, so none is saved.


def calls_out(html: str) -> list[str]:
    """What the page does that reaches another host, each with the address, where that is certain without running it."""
    page = Page.read(html, css="", slug="page", known_slugs=None)
    issues = [issue for issue in check_hosts(page) if issue.severity == "error"]
    return list(dict.fromkeys(f"{issue.message.partition('. ')[0]}: {issue.measured}" for issue in issues))


def validate_page(
    html: str, *, css: str = "", slug: str = "index", known_slugs: Collection[str] | None = None
) -> ValidationReport:
    """Check a page against all rules.

    Parameters: `css` is the design system that the page links (or has to link: a missing link is one issue of its own,
    and the rest is judged as if it were there); `slug` names the page in the report; `known_slugs` are the pages of
    the app, and without them links to other pages are not judged.  What the CSS leaves open (an unknown variable, a
    stylesheet that was not given) is never reported as an error.
    """
    return _report(html, css, slug, None if known_slugs is None else frozenset(known_slugs))


# A run asks about most pages three times and more: when it writes them, when the model asks, and at its end.
@lru_cache(maxsize=128)
def _report(html: str, css: str, slug: str, known_slugs: frozenset[str] | None) -> ValidationReport:
    if is_too_large(html):
        return _unchecked(slug, _TOO_LARGE)
    return report_on(Page.read(html, css=css, slug=slug, known_slugs=known_slugs))


_TOO_LARGE = Issue(
    rule="page-size",
    severity="error",
    message="The page has so many elements that it was not checked. Write lists out in a script, or part the page.",
    required=f"{MAXIMUM_ELEMENTS} elements at most",
)
_TOO_COSTLY = Issue(
    rule="page-styles",
    severity="error",
    message=(
        "The styles ask for so much work that the page was not checked. Write fewer rules that apply to everything, "
        "and selectors with fewer steps through ancestors and siblings: give what you mean a class."
    ),
)
_TOO_DEEP = Issue(
    rule="page-size",
    severity="error",
    message="Elements stand inside each other so deeply that the page was not checked. Close them, or nest fewer.",
    required=f"{MAXIMUM_DEPTH} levels at most",
)


def _unchecked(slug: str, why: Issue) -> ValidationReport:
    """The report on a page that would keep the rules busy for too long; not having been checked, it is not valid."""
    return ValidationReport(slug=slug, issues=(why,), rules_checked=(why.rule,))


def report_on(page: Page) -> ValidationReport:
    """Check a page that is parsed already."""
    if page.cascade.exhausted_by:
        return _unchecked(page.slug, _TOO_DEEP if page.cascade.exhausted_by == "nesting" else _TOO_COSTLY)
    issues: list[Issue] = []
    for rule in RULES:
        issues.extend(rule.check(page))
    ordered = sorted(issues, key=lambda issue: issue.severity != "error")
    return ValidationReport(slug=page.slug, issues=tuple(ordered), rules_checked=tuple(rule.id for rule in RULES))
