"""What a worker is asked to do."""

from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from loopwright.agents.designspec.pipeline.reports import PipelineProgress, RunPlan, RunReport


class WorkerLimits(BaseModel):
    """What one run may take: memory of the worker, wall time of one stage, space of the project's cache."""

    model_config = ConfigDict(extra="forbid")

    memory_mb: int = Field(default=2_048, ge=128)
    stage_seconds: float = Field(default=300.0, gt=0)
    cache_mb: int = Field(default=1_024, ge=0)


class PipelineJob(BaseModel):
    """One run of the pipeline over one document.

    `document` is the document as the user wrote it, in its own units. `run_dir` is the folder of this run: every
    artifact and report goes into it. Paths within the document are relative to `project_dir`.
    """

    model_config = ConfigDict(extra="forbid")

    run_id: str
    document: dict[str, Any]
    project_dir: Path
    run_dir: Path
    plan: RunPlan = RunPlan()
    limits: WorkerLimits = WorkerLimits()


class WorkerMessage(BaseModel):
    """One line of the worker's answer: how far it is, or, last of all, the report of the run."""

    progress: PipelineProgress | None = None
    result: RunReport | None = None
