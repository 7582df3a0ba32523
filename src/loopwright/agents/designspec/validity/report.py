"""The validity report."""

from typing import Any, Literal

from pydantic import BaseModel, Field


class Fix(BaseModel):
    """The smallest patch that would repair a failed check, in the document's own units."""

    explanation: str
    patch: list[dict[str, Any]]


class Check(BaseModel):
    """One check. `measured` and `required` are in `unit`; `location` is where it fails, in metres.

    A `skipped` check was switched off by its policy or had nothing to look at; it has not passed and not failed.
    """

    name: str
    passed: bool
    skipped: bool = False
    message: str
    measured: float | int | str | None = None
    required: float | int | str | None = None
    unit: str = ""
    location: tuple[float, float, float] | None = None
    subject: str = ""
    """The component, port or segment that it is about."""
    details: dict[str, Any] = Field(default_factory=dict)
    warnings: list[str] = Field(default_factory=list)
    errors: list[str] = Field(default_factory=list)
    fix: Fix | None = None


class ValidityReport(BaseModel):
    """`validity_report.json`: `fail` when a check failed, `warnings` when only those did that may."""

    success: bool
    status: Literal["ok", "warnings", "fail"]
    checks: list[Check] = Field(default_factory=list)
    policies: dict[str, Any] = Field(default_factory=dict)
    metadata: dict[str, Any] = Field(default_factory=dict)
