"""What the ide agent's parts exchange."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

# The delivery check: whether what the user asked for is there (spec 002, 2.5).

DeliveryState = Literal["DONE", "NEEDS_WORK"]


class DeliveryCheck(BaseModel):
    """The model's answer in the stage `delivery_check`."""

    model_config = ConfigDict(extra="forbid")

    state: DeliveryState
    missing: list[Annotated[str, Field(max_length=300)]] = Field(max_length=20)
    reason: str = Field(max_length=500)


# Local memory in three tiers (spec 002, 8.3; protection levels as the field notes have them).

Tier = Literal["short_term", "mid_term", "long_term"]
"""Recent run outcomes, architecture decisions, project facts."""
MemoryClass = Literal["fact", "decision", "outcome"]


class Memory(BaseModel):
    """One entry: concise, and found again by its words.

    `protection` (0 to 100) says how hard it is to change or delete: from 50 on it must be confirmed, from 80 on the
    user must approve it explicitly.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    memory_id: str
    tier: Tier
    content_class: MemoryClass
    category: str = Field("general", max_length=60)
    content: str = Field(min_length=3, max_length=2_000)
    protection: int = Field(ge=0, le=100)
    created_at: datetime


# The user's switches of one message: mode, reasoning, permissions. Nothing but the user sets them.

Category = Literal["read", "write", "run", "protected"]
"""What a tool does to the project: reads it, changes files, runs commands, or changes files that other programs trust
(git internals, hooks, environment files, configuration of editors and tools). None implies another."""


class IdeOptions(BaseModel):
    """Options of a run (`run_created.options`). `allowed` are categories that need no permission at each call.

    `always` are the rules by which the user has allowed things in this project for good, as they were when the run
    began: `write`, `protected`, or `run:PREFIX` for commands.
    """

    model_config = ConfigDict(extra="ignore")

    mode: Literal["chat", "agent"] = "agent"
    reasoning: bool = False
    qa: bool | None = None
    """Whether a reviewer reports. None: where files were changed and no tests have passed after that."""
    allowed: list[Category] = ["read"]
    always: list[str] = Field(default_factory=list)
    project_prompts: bool = False
    """Whether prompts in the project's own `.loopwright/prompts/` replace the packaged ones: they are the repository's
    text, so the user says it."""


# The QA report: advice beside the answer, which it cannot change (spec 002, 2.3).

Severity = Literal["critical", "major", "minor", "note"]


class QAFinding(BaseModel):
    """One thing that QA has found: `file` and `line` where it has a place, `evidence` is verbatim."""

    model_config = ConfigDict(extra="forbid")

    file: str | None = Field(max_length=500)
    line: int | None = Field(ge=1)
    severity: Severity
    finding: str = Field(min_length=1, max_length=2_000)
    evidence: str = Field(max_length=4_000)


class QAReport(BaseModel):
    """What a read-only reviewer says of a run."""

    model_config = ConfigDict(extra="forbid")

    summary: str = Field(min_length=1, max_length=4_000)
    findings: list[QAFinding] = Field(max_length=50)
    missing_steps: list[str] = Field(max_length=20)
    suggested_next_actions: list[str] = Field(max_length=20)


SECTIONS = ("Analyze", "Research", "Plan", "Reflect", "Action", "Delivery")
"""The sections of the macro format, in order."""


class ReasoningOutcome(BaseModel):
    """All that later requests see of a reasoning block."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    plan_delta: str = ""
    next_action: str = ""
    known_risks: str = ""
    delivery_state: Literal["DONE", "NEEDS_WORK"] = "NEEDS_WORK"

    def as_text(self) -> str:
        """The four lines that stand in the conversation in place of the block."""
        return (
            "ReasoningOutcome:\n"
            f"plan_delta: {self.plan_delta}\n"
            f"next_action: {self.next_action}\n"
            f"known_risks: {self.known_risks}\n"
            f"delivery_state: {self.delivery_state}"
        )


class Reasoning(BaseModel):
    """A reasoning block as it was written: for the user's eyes, never for a later request."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal["macro", "micro"]
    text: str
    outcome: ReasoningOutcome


# Symbols of source files, as the index knows them.

SymbolKind = Literal[
    "class", "struct", "enum", "interface", "protocol", "extension", "function", "method", "variable", "constant",
    "initializer", "module", "type", "macro", "unknown",
]  # fmt: skip


class Symbol(BaseModel):
    """A definition. Lines count from 1, `line_end` included; `container` is what it stands in, such as a class."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    kind: SymbolKind
    path: str
    line_start: int
    line_end: int
    container: str = ""
    signature: str = ""
