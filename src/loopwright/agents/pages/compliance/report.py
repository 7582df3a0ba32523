"""What a validation says: issues, and the report a model can act on."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, computed_field


class Issue(BaseModel):
    """One thing that is wrong, where it is and what would be right."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    rule: str
    """Identifier of the rule, such as `touch-target`."""
    severity: Literal["error", "warning"]
    message: str
    """What is wrong and what to do about it, in one or two sentences."""
    selector: str | None = None
    """CSS selector of the element at fault; None when the page as a whole is."""
    measured: str | None = None
    """What was found, with its unit."""
    required: str | None = None
    """What the rule asks for, with its unit."""
    auto_fixable: bool = False
    """Whether `fix_page` mends it without a model."""


class ValidationReport(BaseModel):
    """The outcome of all rules on one page."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    slug: str
    issues: tuple[Issue, ...] = ()
    """Errors first, then warnings, each in the order of the rules."""
    rules_checked: tuple[str, ...] = ()

    @computed_field  # type: ignore[prop-decorator]
    @property
    def valid(self) -> bool:
        """Whether the page has no issue of severity `error`."""
        return not self.errors

    @property
    def errors(self) -> tuple[Issue, ...]:
        """The issues that make the page invalid."""
        return tuple(issue for issue in self.issues if issue.severity == "error")

    @property
    def warnings(self) -> tuple[Issue, ...]:
        """The issues that are worth a look but leave the page valid."""
        return tuple(issue for issue in self.issues if issue.severity == "warning")

    def for_model(self, limit: int = 20) -> str:
        """A compact text for a language model: what is wrong, where, what to do.

        Issues that differ only in their element are one line, so that thirty small buttons do not crowd out the rest.
        At most `limit` lines of issues are given; the number left out is said.
        """
        if not self.issues:
            return f"Page '{self.slug}' is valid: {len(self.rules_checked)} rules passed, nothing to fix."
        verdict = "valid" if self.valid else "not valid"
        lines = [f"Page '{self.slug}' is {verdict}: {len(self.errors)} errors, {len(self.warnings)} warnings."]
        groups = self._grouped()
        lines += [_describe(group) for group in groups[:limit]]
        if len(groups) > limit:
            lines.append(f"- and {len(groups) - limit} more of these kinds; fix the ones above first.")
        return "\n".join(lines)

    def _grouped(self) -> list[list[Issue]]:
        groups: dict[tuple[str | None, ...], list[Issue]] = {}
        for issue in self.issues:
            key = (issue.rule, issue.severity, issue.message, issue.measured, issue.required)
            groups.setdefault(key, []).append(issue)
        return list(groups.values())


def _describe(group: list[Issue], selectors_shown: int = 3) -> str:
    first = group[0]
    selectors = [issue.selector for issue in group if issue.selector]
    where = ", ".join(selectors[:selectors_shown])
    if len(selectors) > selectors_shown:
        where += f" and {len(selectors) - selectors_shown} more"
    figures = [
        f"{label} {value}" for label, value in (("found", first.measured), ("required", first.required)) if value
    ]
    line = f"- {first.severity} [{first.rule}]" + (f" at {where}" if where else "") + f": {first.message}"
    if figures:
        line += f" ({', '.join(figures)})"
    return line + (" It can be repaired automatically." if first.auto_fixable else "")
