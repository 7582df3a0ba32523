"""The sample pages of these tests: a good one, and ways to spoil it."""

from pathlib import Path

from loopwright.agents.pages.compliance import ValidationReport, validate_page

SAMPLES = Path(__file__).with_name("samples")
SLUGS = frozenset({"index", "cart", "terms"})


def good_html() -> str:
    """A page that keeps every rule together with `design_css`."""
    return (SAMPLES / "good.html").read_text(encoding="utf-8")


def design_css() -> str:
    """The design system of the good page."""
    return (SAMPLES / "design-system.css").read_text(encoding="utf-8")


def spoiled(old: str, new: str) -> str:
    """The good page with one passage replaced; fails when the passage is not there."""
    html = good_html()
    assert html.count(old) == 1, f"{old!r} occurs {html.count(old)} times"
    return html.replace(old, new)


def validate(html: str, css: str | None = None) -> ValidationReport:
    """Validate against the sample design system, knowing the sample slugs."""
    return validate_page(html, css=design_css() if css is None else css, slug="cart", known_slugs=SLUGS)


def broken_rules(html: str, css: str | None = None) -> list[tuple[str, str]]:
    """The (rule, severity) pairs that a page breaks, each once."""
    return list(dict.fromkeys((issue.rule, issue.severity) for issue in validate(html, css).issues))
