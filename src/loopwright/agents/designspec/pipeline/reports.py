"""What a run of the pipeline tells: the plan it followed, each stage, and the whole."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from loopwright.agents.designspec.pipeline.stages import FULL
from loopwright.agents.designspec.validity.report import ValidityReport


class RunPlan(BaseModel):
    """Which stages run: up to `run_until` (inclusive), only `run_only`, without `skip`, for some components only."""

    model_config = ConfigDict(extra="forbid")

    run_until: str = FULL
    run_only: list[str] = Field(default_factory=list)
    skip: list[str] = Field(default_factory=list)
    components_subset: list[str] | None = None


class StageReport(BaseModel):
    """One stage. `cached` stages were taken from an earlier run, since nothing that they depend on has changed."""

    stage: str
    success: bool
    cached: bool = False
    duration_s: float = 0.0
    requested_policy: dict[str, Any] = Field(default_factory=dict)
    effective_policy: dict[str, Any] = Field(default_factory=dict)
    warnings: list[str] = Field(default_factory=list)
    errors: list[str] = Field(default_factory=list)
    metadata: dict[str, Any] = Field(default_factory=dict)


class RunReport(BaseModel):
    """`run_report.json`. `artifacts` are paths relative to `output_dir`, by what they are."""

    run_id: str
    success: bool
    spec_hash: str
    spec_name: str = ""
    plan: RunPlan = RunPlan()
    stages_completed: list[str] = Field(default_factory=list)
    stages_skipped: list[str] = Field(default_factory=list)
    stage_failed: str | None = None
    stage_reports: list[StageReport] = Field(default_factory=list)
    warnings: list[str] = Field(default_factory=list)
    errors: list[str] = Field(default_factory=list)
    artifacts: dict[str, str] = Field(default_factory=dict)
    validity: ValidityReport | None = None
    total_duration_s: float = 0.0
    peak_memory_mb: float = 0.0
    output_dir: str = ""


class PipelineProgress(BaseModel):
    """What the worker says while it works; a `finished` stage carries its report."""

    kind: Literal["stage_started", "progress", "stage_finished"]
    stage: str
    share: float = 0.0
    message: str = ""
    report: StageReport | None = None
