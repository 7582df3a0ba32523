"""The user's switches of one message: mode, reasoning, permissions. Nothing but the user sets them."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

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
    qa: bool = True
    allowed: list[Category] = ["read"]
    always: list[str] = Field(default_factory=list)
    project_prompts: bool = False
    """Whether prompts in the project's own `.loopwright/prompts/` replace the packaged ones: they are the repository's
    text, so the user says it."""
