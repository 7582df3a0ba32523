"""`job_complete`: the plan is done and the job ends; only a strategic phase may say so."""

from pydantic import BaseModel, Field, field_validator

from loopwright.agents.jobs.contracts.state import JobCompletion
from loopwright.agents.jobs.memory import load_job, save_job
from loopwright.agents.jobs.ports import JobServices
from loopwright.kernel.tools import BaseTool, ToolContext, ToolResult

JOB_COMPLETE = "job_complete"


class JobCompleteParameters(BaseModel):
    """Parameters of `job_complete`."""

    summary: str = Field(min_length=1, max_length=10_000, description="What the job has reached, for the user")
    deliverables: list[str] = Field(default_factory=list, max_length=200, description="Files of the workspace")
    confidence: float = Field(1.0, ge=0, le=1, description="How sure you are that the order is fulfilled")
    notes: str = Field("", max_length=10_000, description="What is left, doubtful or worth knowing")

    @field_validator("deliverables", mode="before")
    @classmethod
    def _one_is_a_list(cls, value: object) -> object:
        """A single file, or a comma list of them, may be given as text."""
        return [part.strip() for part in value.split(",") if part.strip()] if isinstance(value, str) else value


class JobComplete(BaseTool[JobCompleteParameters, JobServices]):
    """Keeps the completion and asks the controller for the end."""

    name = "job_complete"
    parameters_model = JobCompleteParameters
    effect = "idempotent"

    async def execute(self, params: JobCompleteParameters, ctx: ToolContext[JobServices]) -> ToolResult:
        """End the job."""
        state = await load_job(ctx.db, ctx.session_id)
        completion = JobCompletion(**params.model_dump())
        await save_job(ctx.db, state.model_copy(update={"completion": completion}), ctx.idempotency_key)
        return ToolResult(success=True, output=f"The job ends: {params.summary}", signal=JOB_COMPLETE)
