"""The state of a job: its phases and their todos. The dialogue is not in it; that belongs to the run."""

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from loopwright.agents.jobs.contracts.config import JobConfig
from loopwright.agents.jobs.contracts.todos import Todo

PhaseKind = Literal["strategic", "tactical"]


class Phase(BaseModel):
    """One phase. `number` counts from 1; `snapshot` names the picture of the workspace that was taken as it began.

    `orphans` are files changed in the phase that no todo speaks of, `unserved` the goals of the plan that no todo has
    served so far; both are filled in when the phase ends.
    """

    model_config = ConfigDict(extra="forbid")

    number: int
    kind: PhaseKind
    title: str = ""
    description: str = ""
    todos: list[Todo] = Field(default_factory=list)
    begun_at: datetime
    ended_at: datetime | None = None
    snapshot: str = ""
    orphans: list[str] = Field(default_factory=list)
    unserved: list[str] = Field(default_factory=list)

    @property
    def open_todos(self) -> list[Todo]:
        """What is still to do."""
        return [todo for todo in self.todos if todo.status != "completed"]


class JobCompletion(BaseModel):
    """What `job_complete` said, as `output/job_completion.json` keeps it."""

    model_config = ConfigDict(extra="forbid")

    summary: str = Field(min_length=1, max_length=10_000)
    deliverables: list[str] = Field(default_factory=list, max_length=200)
    confidence: float = Field(1.0, ge=0, le=1)
    notes: str = Field("", max_length=10_000)


class JobState(BaseModel):
    """Everything that outlives the messages, besides the workspace's files and the stores.

    `phases` are those that have ended, oldest first; `phase` is the one under way.
    """

    model_config = ConfigDict(extra="forbid")

    job_id: str
    config: JobConfig
    prompt: str
    documents: list[str] = Field(default_factory=list)
    phase: Phase
    phases: list[Phase] = Field(default_factory=list)
    completion: JobCompletion | None = None

    def described(self) -> dict[str, Any]:
        """What the prompts show of the job, and the offline rules read: small, and the same for the same state."""
        settings = self.config.phase_settings
        return {
            "job_id": self.job_id,
            "job_type": self.config.job_type,
            "language": self.config.language,
            "phase_number": self.phase.number,
            "phase_kind": self.phase.kind,
            "phase_title": self.phase.title,
            "earlier_phases": [{"number": p.number, "kind": p.kind, "title": p.title} for p in self.phases],
            "todos": [todo.model_dump(mode="json", exclude_defaults=True) for todo in self.phase.todos],
            "min_todos": settings.min_todos,
            "max_todos": settings.max_todos,
            "documents": self.documents,
            "domain_tools": sorted(set(self.config.tools.domain)),
        }
