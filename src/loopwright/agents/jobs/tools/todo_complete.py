"""`todo_complete`: one todo of this phase is done; with the last one the phase ends."""

from pydantic import BaseModel, Field

from loopwright.agents.jobs.contracts.state import JobState
from loopwright.agents.jobs.contracts.todos import Todo
from loopwright.agents.jobs.memory import load_job, save_job, workspace_of
from loopwright.agents.jobs.phases.witnesses import check_witness
from loopwright.agents.jobs.ports import JobServices
from loopwright.agents.jobs.taint import require_provenance
from loopwright.kernel.tools import BaseTool, ToolContext, ToolResult

PHASE_COMPLETE = "phase_complete"


class TodoCompleteParameters(BaseModel):
    """Parameters of `todo_complete`."""

    todo_id: int = Field(description="The todo's id")
    notes: str = Field("", max_length=4_000, description="What was done, found or decided; kept in the archive")


class TodoComplete(BaseTool[TodoCompleteParameters, JobServices]):
    """Marks a todo, once its witness holds. The last one stays open until the controller has flipped the phase."""

    name = "todo_complete"
    parameters_model = TodoCompleteParameters
    effect = "idempotent"
    timeout_seconds = 330.0

    async def execute(self, params: TodoCompleteParameters, ctx: ToolContext[JobServices]) -> ToolResult:
        """Complete the todo, or ask for the flip."""
        state = await load_job(ctx.db, ctx.session_id)
        todo = next((each for each in state.phase.todos if each.id == params.todo_id), None)
        if todo is None:
            known = ", ".join(str(each.id) for each in state.phase.todos)
            return ToolResult.failure(f"This phase has no todo {params.todo_id}.", f"Its todos are: {known}.")
        if todo.status == "completed":
            return ToolResult(success=True, output=f"Todo {todo.id} was completed before. {_remaining(state)}")
        workspace = workspace_of(ctx.output_dir, state.config)
        if params.notes:  # they go into the archive, which later phases read as the agent's own words
            await require_provenance(workspace, params.notes, ctx.db, ctx.session_id, what="The todo's notes")
        if todo.witness is not None:
            against = await check_witness(todo.witness, workspace, ctx.db, state.config, ctx.session_id)
            if against is not None:
                return ToolResult.failure(
                    f"Todo {todo.id} cannot be completed: {against}.", "Do what is missing first."
                )
        last = [each.id for each in state.phase.open_todos] == [todo.id]
        done = todo.model_copy(
            update={"status": "in_progress" if last else "completed", "notes": params.notes or todo.notes}
        )
        state = _with(state, done)
        await save_job(ctx.db, state, ctx.idempotency_key)
        if last:
            said = f"Todo {todo.id} was the last one of phase {state.phase.number}: the phase ends."
            return ToolResult(success=True, output=said, signal=PHASE_COMPLETE)
        return ToolResult(success=True, output=f"Todo {todo.id} is completed. {_remaining(state)}")


def _with(state: JobState, todo: Todo) -> JobState:
    todos = [todo if each.id == todo.id else each for each in state.phase.todos]
    return state.model_copy(update={"phase": state.phase.model_copy(update={"todos": todos})})


def _remaining(state: JobState) -> str:
    following = state.phase.open_todos
    return f"{len(following)} left; next: {following[0].id}. {following[0].content}" if following else "None is left."
