"""The text that a model reads."""

import pytest
from pydantic import ValidationError

from loopwright.agents.pages.compliance import Issue, ValidationReport


def issue(number: int, severity: str = "error", message: str = "Too small.") -> Issue:
    return Issue.model_validate(
        {"rule": "touch-target", "severity": severity, "message": message, "selector": f"#b{number}", "measured": "9px"}
    )


def test_a_report_without_errors_is_valid() -> None:
    report = ValidationReport(slug="a", issues=(issue(1, "warning"),), rules_checked=("touch-target",))
    assert report.valid
    assert report.model_dump()["valid"] is True
    assert not ValidationReport(slug="a", issues=(issue(1),)).valid


def test_reports_are_frozen() -> None:
    with pytest.raises(ValidationError):
        issue(1).message = "other"  # type: ignore[misc]


def test_alike_issues_share_a_line() -> None:
    report = ValidationReport(slug="a", issues=tuple(issue(number) for number in range(30)))
    lines = report.for_model().splitlines()
    assert lines[0] == "Page 'a' is not valid: 30 errors, 0 warnings."
    assert len(lines) == 2
    assert "#b0, #b1, #b2 and 27 more" in lines[1]
    assert "found 9px" in lines[1]


def test_the_text_says_how_much_it_leaves_out() -> None:
    report = ValidationReport(slug="a", issues=tuple(issue(1, message=f"Kind {number}.") for number in range(9)))
    lines = report.for_model(limit=4).splitlines()
    assert len(lines) == 6
    assert lines[-1].startswith("- and 5 more")


def test_a_clean_page_is_told_in_one_line() -> None:
    report = ValidationReport(slug="a", rules_checked=("x", "y"))
    assert report.for_model() == "Page 'a' is valid: 2 rules found no issue."
