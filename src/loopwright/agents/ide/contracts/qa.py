"""The QA report: advice beside the answer, which it cannot change (spec 002, 2.3)."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

Severity = Literal["critical", "major", "minor", "note"]


class QAFinding(BaseModel):
    """One thing that QA has found; `file` and `line` where it has a place, `evidence` verbatim."""

    model_config = ConfigDict(extra="ignore")

    file: str | None = Field(None, max_length=500)
    line: int | None = Field(None, ge=1)
    severity: Severity = "note"
    finding: str = Field(min_length=1, max_length=2_000)
    evidence: str = Field("", max_length=4_000)


class QAReport(BaseModel):
    """What a read-only reviewer says of a run."""

    model_config = ConfigDict(extra="ignore")

    summary: str = Field(min_length=1, max_length=4_000)
    findings: list[QAFinding] = Field(default_factory=list, max_length=50)
    missing_steps: list[str] = Field(default_factory=list, max_length=20)
    suggested_next_actions: list[str] = Field(default_factory=list, max_length=20)
