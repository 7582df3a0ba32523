"""Todos: what one phase has to do, and how `todos.yaml` hands them over (spec 003, "todos.yaml Format")."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StrictInt, model_validator

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
