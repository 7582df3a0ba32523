"""`todo_write`: stages the todos of the next phase in todos.yaml."""

import json
from typing import Any

from pydantic import BaseModel, Field, field_validator

from loopwright.agents.jobs.memory import config_of, workspace_of
from loopwright.agents.jobs.phases.staging import TODOS_FILE, check_todos, dump_todo_file
from loopwright.agents.jobs.ports import JobServices
from loopwright.agents.jobs.taint import require_provenance
from loopwright.kernel.tools import BaseTool, ToolContext, ToolResult


class TodoWriteParameters(BaseModel):
    """Parameters of `todo_write`."""

    todos: list[dict[str, Any]] = Field(
        max_length=200,
        description="{id: int, content: text, priority?, serves?: goal, witness?: {kind, path | command | query}}",
    )
    phase: str = Field("", max_length=300, description="The phase's title")
    description: str = Field("", max_length=4_000, description="What the phase is to reach")

    @field_validator("todos", mode="before")
    @classmethod
    def _out_of_json(cls, value: Any) -> Any:
        """A JSON string of the list is accepted (decision 18 of the field notes)."""
        if not isinstance(value, str):
            return value
        try:
            return json.loads(value)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"the text is no JSON list of todos: {error}") from error


class TodoWrite(BaseTool[TodoWriteParameters, JobServices]):
    """Checks and writes todos.yaml; the live todos stay as they are."""

    name = "todo_write"
    parameters_model = TodoWriteParameters
    effect = "idempotent"

    async def execute(self, params: TodoWriteParameters, ctx: ToolContext[JobServices]) -> ToolResult:
        """Stage the next phase."""
        config = config_of(ctx.settings)
        workspace = workspace_of(ctx.output_dir, config)
        file = check_todos({"phase": params.phase, "description": params.description, "todos": params.todos}, config)
        text = dump_todo_file(file)
        await require_provenance(workspace, text, ctx.db, ctx.session_id, what=TODOS_FILE)
        workspace.write_text(TODOS_FILE, text)
        return ToolResult(
            success=True,
            output=f"{TODOS_FILE} has {len(file.todos)} todos for the next phase. It begins when the last todo of this "
            "phase is completed.",
            artifacts={"todos": len(file.todos), "phase": file.phase},
        )
