"""`todo_rewind`: a todo of this phase that was completed too early is opened again."""

from pydantic import BaseModel, Field

from loopwright.agents.jobs.memory import load_job, save_job, workspace_of
from loopwright.agents.jobs.ports import JobServices
from loopwright.agents.jobs.taint import require_provenance
from loopwright.kernel.tools import BaseTool, ToolContext, ToolResult


class TodoRewindParameters(BaseModel):
    """Parameters of `todo_rewind`."""

    todo_id: int = Field(description="The todo's id")
    reason: str = Field(min_length=3, max_length=1_000, description="Why it is not done after all")


class TodoRewind(BaseTool[TodoRewindParameters, JobServices]):
    """Opens a completed todo of the phase under way."""

    name = "todo_rewind"
    parameters_model = TodoRewindParameters
    effect = "idempotent"

    async def execute(self, params: TodoRewindParameters, ctx: ToolContext[JobServices]) -> ToolResult:
        """Open it."""
        state = await load_job(ctx.db, ctx.session_id)
        todos = list(state.phase.todos)
        place = next((n for n, todo in enumerate(todos) if todo.id == params.todo_id), None)
        if place is None:
            known = ", ".join(str(todo.id) for todo in todos)
            return ToolResult.failure(f"This phase has no todo {params.todo_id}.", f"Its todos are: {known}.")
        if todos[place].status != "completed":
            return ToolResult(success=True, output=f"Todo {params.todo_id} is open.")
        workspace = workspace_of(ctx.output_dir, state.config)
        await require_provenance(workspace, params.reason, ctx.db, ctx.session_id, what="The reason")
        notes = f"{todos[place].notes}\nOpened again: {params.reason}".strip()[-4_000:]
        todos[place] = todos[place].model_copy(update={"status": "pending", "notes": notes})
        phase = state.phase.model_copy(update={"todos": todos})
        await save_job(ctx.db, state.model_copy(update={"phase": phase}), ctx.idempotency_key)
        return ToolResult(success=True, output=f"Todo {params.todo_id} is open again: {todos[place].content}")
