"""The user's switches of one message: mode, reasoning, permissions. Nothing but the user sets them."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

Category = Literal["read", "write", "run", "protected"]
"""What a tool does to the project: reads it, changes files, runs commands."""


class IdeOptions(BaseModel):
    """Options of a run (`run_created.options`). `allowed` need no permission at each call.

    `always` are the categories that the user has allowed for this project for good, as they were when the run began.
    """

    model_config = ConfigDict(extra="ignore")

    mode: Literal["chat", "agent"] = "agent"
    reasoning: bool = False
    qa: bool = True
    allowed: list[Category] = ["read"]
    always: list[Category] = Field(default_factory=list)
    project_prompts: bool = False
    """Whether prompts in the project's own `.loopwright/prompts/` replace the packaged ones: they are the repository's
    text, so the user says it."""

    def allows(self, category: Category) -> bool:
        """Whether a call of this category may run without asking."""
        return category in self.allowed or category in self.always or category == "read"
