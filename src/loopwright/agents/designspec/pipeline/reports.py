"""What a run of the pipeline tells: the plan it followed, each stage, and the whole."""

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from loopwright.agents.designspec.validity.report import ValidityReport
from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.files import write_whole

# The stages' names and their order (spec 001 and its notes).

COMPONENT_STAGES = ("component_ports", "component_build", "component_mesh")
"""Run once for each component; with an id they name one: `component_build:net_1`."""

PIPELINE_STAGES = (
    "compile_policies",
    "compile_domains",
    *COMPONENT_STAGES,
    "union_voids",
    "mesh_domain",
    "embed",
    "port_recarve",
    "validity",
    "export",
)
FULL = "full"
ALIASES = {"mesh_merge": "union_voids", "union_void": "union_voids"}
"""Names of spec 001 for stages that its system calls otherwise."""


def resolve_stage(name: str) -> tuple[str, str | None]:
    """The stage's own name and the component it is narrowed to; `full` is the last stage.

    Raises:
        InvalidInput: there is no such stage; the message lists those there are.
    """
    base, _, component = name.strip().partition(":")
    stage = PIPELINE_STAGES[-1] if base == FULL else ALIASES.get(base, base)
    if stage not in PIPELINE_STAGES or (component and stage not in COMPONENT_STAGES):
        near = difflib.get_close_matches(base, [*PIPELINE_STAGES, *ALIASES, FULL], 1)
        raise InvalidInput(
            f"There is no pipeline stage {name!r}." + (f" Did you mean {near[0]!r}?" if near else ""),
            hint="The stages are: " + ", ".join((*PIPELINE_STAGES, FULL)) + ".",
        )
    return stage, component or None


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
    """`run_report.json`. `artifacts` are paths relative to `output_dir`, by what they are.

    `spec_hash` is that of what the document means, `document_hash` that of the document as it was written.
    """

    run_id: str
    success: bool
    spec_hash: str
    document_hash: str = ""
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


# From a plan to the concrete steps of one run.


@dataclass(frozen=True)
class Step:
    """One stage, for one component where the stage runs once for each."""

    stage: str
    component: str = ""

    @property
    def name(self) -> str:
        """As reports and plans write it: `component_build:net_1`."""
        return f"{self.stage}:{self.component}" if self.component else self.stage


def all_steps(component_ids: Sequence[str]) -> tuple[Step, ...]:
    """Every step of a document with these components, in order: a stage is done for all before the next begins."""
    return tuple(
        Step(stage, component)
        for stage in PIPELINE_STAGES
        for component in (component_ids if stage in COMPONENT_STAGES else ("",))
    )


def chosen_components(component_ids: Sequence[str], plan: RunPlan) -> tuple[str, ...]:
    """The components of the run, in the document's order; an empty subset counts as none.

    Raises:
        InvalidInput: the subset names a component that the document does not have.
    """
    subset = plan.components_subset or component_ids
    for component in subset:
        _known_component(component, component_ids, "components_subset")
    return tuple(component for component in component_ids if component in subset)


def plan_steps(component_ids: Sequence[str], plan: RunPlan) -> tuple[Step, ...]:
    """The steps that the plan asks for, in order.

    `run_until` is inclusive; where it names a component, the steps end with that one's. All filters apply together.

    Raises:
        InvalidInput: the plan names an unknown stage or component, or it leaves nothing to do.
    """
    chosen = chosen_components(component_ids, plan)
    only = _named_steps(plan.run_only, chosen)
    skipped = _named_steps(plan.skip, chosen)
    steps = tuple(step for step in _until(plan.run_until, chosen) if (not only or step in only) and step not in skipped)
    if not steps:
        raise InvalidInput(
            "The plan leaves nothing to run.",
            hint=f"run_until={plan.run_until!r}, run_only={plan.run_only}, skip={plan.skip}: let one stage remain.",
        )
    return steps


def skipped_steps(component_ids: Sequence[str], plan: RunPlan) -> tuple[Step, ...]:
    """The steps up to `run_until` that the plan leaves out on purpose.

    Raises:
        InvalidInput: as `plan_steps`.
    """
    kept = plan_steps(component_ids, plan)
    whole = plan_steps(component_ids, plan.model_copy(update={"run_only": [], "skip": [], "components_subset": None}))
    return tuple(step for step in whole if step not in kept)


def _until(name: str, component_ids: Sequence[str]) -> tuple[Step, ...]:
    """The steps up to the named one; a component stage without a component ends with its last."""
    stage, component = _resolve(name, component_ids)
    steps = all_steps(component_ids)
    last = max(
        (k for k, step in enumerate(steps) if step.stage == stage and component in (None, step.component)), default=None
    )
    if last is None:
        # There are no components: what comes before their stages is all there is.
        reached = PIPELINE_STAGES.index(stage)
        return tuple(step for step in steps if PIPELINE_STAGES.index(step.stage) < reached)
    return steps[: last + 1]


def _named_steps(names: Iterable[str], component_ids: Sequence[str]) -> frozenset[Step]:
    """The steps of these names; a component stage without a component means all components."""
    found: set[Step] = set()
    for name in names:
        stage, component = _resolve(name, component_ids)
        found |= {
            step for step in all_steps(component_ids) if step.stage == stage and component in (None, step.component)
        }
    return frozenset(found)


def _resolve(name: str, component_ids: Sequence[str]) -> tuple[str, str | None]:
    stage, component = resolve_stage(name)
    if component is not None:
        _known_component(component, component_ids, f"stage {name!r}")
    return stage, component


def _known_component(component: str, component_ids: Sequence[str], where: str) -> None:
    if component not in component_ids:
        raise InvalidInput(
            f"There is no component {component!r} ({where}).",
            hint=f"The components are: {', '.join(component_ids) or 'none'}.",
        )


# What a worker is asked to do.


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


# The files that every run leaves.

RUN_REPORT = "run_report.json"
WORKER_LOG = "worker.log"


def write_run_report(run_dir: Path, report: RunReport) -> None:
    """Write `run_report.json` into the run's folder."""
    write_whole(run_dir / RUN_REPORT, report.model_dump_json(indent=2).encode() + b"\n")
