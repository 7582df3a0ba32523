"""Pages that send something to other hosts, or leave for one by themselves: no prototype does, so none is saved."""

from loopwright.agents.pages.compliance.page import Page
from loopwright.agents.pages.compliance.rules.resources import check_hosts


def calls_out(html: str) -> list[str]:
    """What the page does that reaches another host, each with the address, where that is certain without running it."""
    page = Page.read(html, css="", slug="page", known_slugs=None)
    issues = [issue for issue in check_hosts(page) if issue.severity == "error"]
    return list(dict.fromkeys(f"{issue.message.partition('. ')[0]}: {issue.measured}" for issue in issues))
