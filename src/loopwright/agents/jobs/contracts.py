"""What the jobs agent's parts exchange: configs, todos, phases, the state of a job."""

from datetime import datetime
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StrictInt, model_validator

Language = Literal["en", "de"]
LANGUAGES: tuple[str, ...] = get_args(Language)


class _Section(BaseModel):
    model_config = ConfigDict(extra="allow")


class ToolNames(_Section):
    """Tools by category. Strategic phases get workspace + strategic, tactical ones workspace + tactical + domain.

    `first` are those of a tactical phase that its first request tells of; the model gets the others by their names.
    Where it is empty all are told of.
    """

    workspace: list[str] = Field(default_factory=list)
    strategic: list[str] = Field(default_factory=list)
    tactical: list[str] = Field(default_factory=list)
    domain: list[str] = Field(default_factory=list)
    first: list[str] = Field(default_factory=list)


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
    reading: Literal["auto", "sentences", "tools"] = "auto"
    """`sentences`: every sentence is read by itself, one small question each; `tools`: the model works with tools;
    `auto`: by sentences with a small model, with tools otherwise."""
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


# What a model says of a requirement when it adds one, or changes one.

RequirementType = Literal["functional", "compliance", "constraint", "non_functional"]
Priority = Literal["high", "medium", "low"]


def _as_list(value: Any) -> Any:
    """A text of names with commas between them is the list that it means."""
    if isinstance(value, str):
        return [part.strip() for part in value.split(",") if part.strip()]
    return value


Names = Annotated[
    list[Annotated[str, Field(min_length=1, max_length=200)]], BeforeValidator(_as_list), Field(max_length=100)
]


class RequirementDraft(BaseModel):
    """A requirement that somebody proposes to add."""

    model_config = ConfigDict(extra="forbid")

    text: str = Field(min_length=1, max_length=10_000, description="The requirement, so that it is understood alone")
    name: str = Field("", max_length=200, description="A short name; without it the beginning of the text")
    req_type: RequirementType = "functional"
    priority: Priority = "medium"
    source_document: str = Field("", max_length=500, description="Such as documents/GoBD.pdf")
    source_location: str = Field("", max_length=500, description="Such as p. 12, section 3.2")
    gobd_relevant: bool = False
    gdpr_relevant: bool = False
    citations: Names = Field(default_factory=list, description="Ids of citations that bear it, such as CIT-001")
    mentioned_objects: Names = Field(default_factory=list, description="Business objects that it speaks of")
    mentioned_messages: Names = Field(default_factory=list, description="Messages that it speaks of")
    reasoning: str = Field("", max_length=10_000)
    research_notes: str = Field("", max_length=10_000)
    confidence: float = Field(1.0, ge=0, le=1)
    tags: Names = Field(default_factory=list)

    def fields(self) -> dict[str, Any]:
        """As the store takes it."""
        values = self.model_dump()
        values["type"] = values.pop("req_type")
        values["name"] = self.name.strip() or _beginning(self.text)
        return values


def _beginning(text: str, most: int = 80) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1].rpartition(' ')[0] or line[: most - 1]}…"


# Todos: what one phase has to do, and how `todos.yaml` hands them over (spec 003, "todos.yaml Format").

MAX_CONTENT = 1_000
MAX_TODOS_IN_A_FILE = 200
"""No config may allow more: a phase of this length has no plan."""

TodoStatus = Literal["pending", "in_progress", "completed"]


def _no_boolean(value: Any) -> Any:
    """YAML's `true` counts as an int in Python; as an id it is a mistake."""
    if isinstance(value, bool):
        raise ValueError("must be a whole number, not true or false")
    return value


class Witness(BaseModel):
    """What proves that a todo is done; without it the todo cannot be completed.

    `file`: the file exists, is not empty, and has this SHA-256 (hex) if one is given. `command`: one of the commands
    that the job's config allows ends with `exit_code`. `query`: a named count (`requirements`, `citations`), or a
    reading Cypher query, gives at least `at_least` rows.
    """

    model_config = ConfigDict(extra="forbid")

    kind: Literal["file", "command", "query"]
    path: str = Field("", max_length=500)
    sha256: str = Field("", pattern=r"^([0-9a-f]{64})?$")
    command: str = Field("", max_length=500)
    exit_code: int = 0
    query: str = Field("", max_length=2_000)
    at_least: int = Field(1, ge=0)

    @model_validator(mode="after")
    def _names_its_object(self) -> "Witness":
        needed = {"file": self.path, "command": self.command, "query": self.query}[self.kind]
        if not needed.strip():
            raise ValueError(f"a witness of kind {self.kind!r} needs {'path' if self.kind == 'file' else self.kind!r}")
        return self


class Todo(BaseModel):
    """One thing to do. `serves` names the goal of main_plan.md that it serves."""

    model_config = ConfigDict(extra="forbid")

    id: Annotated[StrictInt, BeforeValidator(_no_boolean)]
    content: str = Field(min_length=1, max_length=MAX_CONTENT)
    status: TodoStatus = "pending"
    priority: Literal["high", "medium", "low"] | None = None
    serves: str | None = Field(None, max_length=200)
    witness: Witness | None = None
    notes: str = Field("", max_length=4_000)


class TodoFile(BaseModel):
    """`todos.yaml`: the next phase, staged by the strategic phase and consumed by the transition."""

    model_config = ConfigDict(extra="forbid")

    phase: str = Field("", max_length=300)
    description: str = Field("", max_length=4_000)
    todos: list[Todo] = Field(max_length=MAX_TODOS_IN_A_FILE)


# The state of a job: its phases and their todos. The dialogue is not in it; that belongs to the run.

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
    """What `job_complete` said, as `output/job_completion.json` keeps it.

    Earlier versions kept a confidence that the model made up; it is passed over.
    """

    model_config = ConfigDict(extra="ignore")

    summary: str = Field(min_length=1, max_length=10_000)
    deliverables: list[str] = Field(default_factory=list, max_length=200)
    notes: str = Field("", max_length=10_000)


class JobState(BaseModel):
    """Everything that outlives the messages, besides the workspace's files and the stores.

    `phases` are those that have ended, oldest first; `phase` is the one under way. `reads`: the documents are read
    sentence by sentence, and the phases are led by code. `written` are the files that code has written as results of
    that reading, with the SHA-256 (hex) of what they had then.
    """

    model_config = ConfigDict(extra="forbid")

    job_id: str
    config: JobConfig
    prompt: str
    documents: list[str] = Field(default_factory=list)
    phase: Phase
    phases: list[Phase] = Field(default_factory=list)
    reads: bool = False
    written: dict[str, str] = Field(default_factory=dict)
    completion: JobCompletion | None = None

    def described(self) -> dict[str, Any]:
        """What the prompts show of the job, and the offline rules read: small, and the same for the same state.

        The phase's first message has its todos; here stand those that are done, since that message may be an old one.
        """
        settings = self.config.phase_settings
        todo_limits = {"min_todos": settings.min_todos, "max_todos": settings.max_todos}
        done = [each.model_dump(include={"id", "notes"}) for each in self.phase.todos if each.status == "completed"]
        return {
            "job_id": self.job_id,
            "job_type": self.config.job_type,
            "language": self.config.language,
            "phase_number": self.phase.number,
            "phase_kind": self.phase.kind,
            "phase_title": self.phase.title,
            "earlier_phases": [{"number": p.number, "kind": p.kind, "title": p.title} for p in self.phases],
            **({"done": done} if done else {}),
            **(todo_limits if self.phase.kind == "strategic" else {}),
            "documents": self.documents,
            "domain_tools": sorted(set(self.config.tools.domain)),
        }
