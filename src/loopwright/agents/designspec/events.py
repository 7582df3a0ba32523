"""Events that the designspec agent adds to a run's journal."""

from typing import Any, ClassVar

from pydantic import Field

from loopwright.kernel.events import Payload


class ContextExpanded(Payload):
    """The model asked to see more before it answers, and was shown these parts; once per message."""

    type: ClassVar[str] = "context_expanded"
    granted: list[str]
    why: str = ""


class PatchProposed(Payload):
    """A patch waits for the user's word. The approval names `base_hash` and these operations."""

    type: ClassVar[str] = "patch_proposed"
    proposal_id: str
    title: str
    operations: list[dict[str, Any]]
    base_hash: str
    preview: dict[str, Any] = Field(default_factory=dict)
    stale: list[str] = Field(default_factory=list)
    """What changed under an earlier approval of the same patch, which was therefore refused."""


class PatchApplied(Payload):
    """A patch was approved and stored; `rebased` says that the document had moved on under it, without a conflict."""

    type: ClassVar[str] = "patch_applied"
    proposal_id: str
    operations: list[dict[str, Any]]
    old_hash: str
    new_hash: str
    rebased: bool = False


class PatchRejected(Payload):
    """The user said no."""

    type: ClassVar[str] = "patch_rejected"
    proposal_id: str
    comment: str = ""


class PatchDropped(Payload):
    """A patch cannot be applied any more, so nobody is asked about it."""

    type: ClassVar[str] = "patch_dropped"
    proposal_id: str
    reason: str


class ApprovalStale(Payload):
    """An approval was refused, because the document is not the one that was approved upon."""

    type: ClassVar[str] = "approval_stale"
    subject: str
    """The proposal's id, or `run`."""
    approved_hash: str
    current_hash: str
    differences: list[str]


class PipelineRejected(Payload):
    """The user did not want the run."""

    type: ClassVar[str] = "pipeline_rejected"
    spec_hash: str
    comment: str = ""


class PipelineStarted(Payload):
    """The pipeline begins on an approved document; its files go to `folder`, relative to the project's."""

    type: ClassVar[str] = "pipeline_started"
    spec_hash: str
    folder: str
    plan: dict[str, Any]
    reason: str = ""
    expected_signal: str = ""


class PipelineStageFinished(Payload):
    """A stage of the pipeline has ended."""

    type: ClassVar[str] = "pipeline_stage_finished"
    stage: str
    success: bool
    cached: bool
    duration_s: float
    warnings: list[str] = Field(default_factory=list)
    errors: list[str] = Field(default_factory=list)


class PipelineFinished(Payload):
    """The pipeline has ended; the whole report lies in `folder`/run_report.json."""

    type: ClassVar[str] = "pipeline_finished"
    folder: str
    success: bool
    stage_failed: str | None = None
    validity: str | None = None
    duration_s: float = 0.0
