"""A job's config (spec 003, "Configuration"), after `$extends` was resolved.

Fields of older configs (`agent_id`, `todo`, `connections`, `polling`, …) are read as they are; what is not known is
kept, so that a config of another version is not refused for a remark.
"""

from typing import Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, model_validator

Language = Literal["en", "de"]
LANGUAGES: tuple[str, ...] = get_args(Language)


class _Section(BaseModel):
    model_config = ConfigDict(extra="allow")


class ToolNames(_Section):
    """Tools by category. Strategic phases get workspace + strategic, tactical ones workspace + tactical + domain."""

    workspace: list[str] = Field(default_factory=list)
    strategic: list[str] = Field(default_factory=list)
    tactical: list[str] = Field(default_factory=list)
    domain: list[str] = Field(default_factory=list)


class PhaseSettings(_Section):
    """How many todos a phase has. Fewer than five are for small jobs, and need `reason`."""

    min_todos: int = Field(5, ge=1, le=200)
    max_todos: int = Field(20, ge=1, le=200)
    reason: str = ""
    archive_on_transition: bool = True

    @model_validator(mode="after")
    def _in_order(self) -> "PhaseSettings":
        if self.min_todos > self.max_todos:
            raise ValueError(f"min_todos ({self.min_todos}) is above max_todos ({self.max_todos})")
        if self.min_todos < 5 and not self.reason.strip():
            raise ValueError("min_todos below 5 needs a reason (phase_settings.reason)")
        return self


class WorkspaceSettings(_Section):
    """The workspace: folders made at the start, and how many characters one reading may give."""

    structure: list[str] = Field(default_factory=lambda: ["archive/", "documents/", "output/"])
    instructions_template: str = "instructions.md"
    max_read_size: int = Field(25_000, ge=500, le=200_000)
    max_file_bytes: int = Field(20_000_000, ge=1_000)


class Limits(_Section):
    """Caps of one job; `context_threshold_tokens` is where the dialogue of a phase is compacted."""

    context_threshold_tokens: int = Field(80_000, ge=1_000)
    max_iterations: int = Field(2_000, ge=1)
    max_phases: int = Field(100, ge=2)
    wall_seconds: float = Field(86_400.0, gt=0)
    pinned_tokens: int = Field(6_000, ge=500)
    """Tokens that each pinned file (instructions, workspace.md, main_plan.md) may take in the prompt."""


class DocumentProcessing(_Section):
    """How documents are cut and searched for requirements."""

    chunking_strategy: Literal["legal", "technical", "general"] = "general"
    max_chunk_size: int = Field(1_000, ge=100, le=20_000)
    chunk_overlap: int = Field(200, ge=0)
    extraction_mode: Literal["strict", "balanced", "permissive"] = "balanced"
    min_confidence_threshold: float = Field(0.6, ge=0, le=1)


class Research(_Section):
    """Where the web search looks: `folder` is a local folder (full text), `web` a search service on the net."""

    web_search_enabled: bool = True
    provider: Literal["folder", "web"] = "folder"
    folder: str = "documents"


class Validation(_Section):
    """Thresholds of the Validator."""

    related_threshold: float = Field(0.70, ge=0, le=1)
    duplicate_threshold: float = Field(0.95, ge=0, le=1)
    require_citations: bool = True
    fulfillment_confidence_threshold: float = Field(0.7, ge=0, le=1)
    batch_size: int = Field(20, ge=1, le=500)
    lease_seconds: float = Field(600.0, gt=0)


class JobConfig(_Section):
    """What kind of job it is: tools by phase, limits, what the agent is told."""

    job_type: str = Field(min_length=1, max_length=80)
    display_name: str = ""
    description: str = ""
    language: Language = "en"
    instructions: str = Field("", max_length=200_000)
    llm: dict[str, Any] = Field(default_factory=dict)
    workspace: WorkspaceSettings = Field(default_factory=WorkspaceSettings)
    tools: ToolNames = Field(default_factory=ToolNames)
    phase_settings: PhaseSettings = Field(default_factory=PhaseSettings)
    limits: Limits = Field(default_factory=Limits)
    connections: dict[str, Any] = Field(default_factory=dict)
    document_processing: DocumentProcessing = Field(default_factory=DocumentProcessing)
    research: Research = Field(default_factory=Research)
    validation: Validation = Field(default_factory=Validation)
    witness_commands: list[str] = Field(default_factory=list)
    """The only commands that a todo's witness may run."""
