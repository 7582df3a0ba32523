"""The tools for a job's todos and its end."""

import asyncio
import json
from collections import Counter
from typing import Annotated, Any

from pydantic import Field, WithJsonSchema, field_validator

from loopwright.agents.jobs.contracts import JobCompletion, JobState, Todo
from loopwright.agents.jobs.memory import config_of, load_job, save_job, workspace_of
from loopwright.agents.jobs.phases.transitions import TODOS_FILE, check_todos, check_witness, dump_todo_file
from loopwright.agents.jobs.ports import JobServices
from loopwright.agents.jobs.taint import require_provenance
from loopwright.agents.jobs.tools.files import workspace_in
from loopwright.agents.jobs.tools.job_tool import Arguments, JobTool
from loopwright.kernel.tools import ToolContext, ToolResult
from loopwright.kernel.workspace import Workspace

PHASE_COMPLETE = "phase_complete"


class TodoCompleteParameters(Arguments):
    """Parameters of `todo_complete`."""

    todo_id: int = Field(description="The todo's id")
    notes: str = Field("", max_length=4_000, description="What was done, found or decided; kept in the archive")


class TodoComplete(JobTool[TodoCompleteParameters, JobServices]):
    """Marks a todo, once its witness holds. The last one stays open until the controller has flipped the phase."""

    name = "todo_complete"
    parameters_model = TodoCompleteParameters
    told = ("notes",)
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


# `todo_rewind`: a todo of this phase that was completed too early is opened again.


class TodoRewindParameters(Arguments):
    """Parameters of `todo_rewind`."""

    todo_id: int = Field(description="The todo's id")
    reason: str = Field(min_length=3, max_length=1_000, description="Why it is not done after all")


class TodoRewind(JobTool[TodoRewindParameters, JobServices]):
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


# `todo_write`: stages the todos of the next phase in todos.yaml.


class TodoWriteParameters(Arguments):
    """Parameters of `todo_write`."""

    todos: Annotated[
        list[dict[str, Any]],
        WithJsonSchema({"type": "array", "items": {"type": "string", "maxLength": 1_000}, "maxItems": 200}),
    ] = Field(max_length=200)
    phase: str = Field("", max_length=300, description="The phase's title")
    description: str = Field("", max_length=4_000, description="What the phase is to reach")

    @field_validator("todos", mode="before")
    @classmethod
    def _out_of_json(cls, value: Any) -> Any:
        """A JSON string of the list is accepted (decision 18 of the field notes), and contents alone are numbered."""
        if isinstance(value, str):
            try:
                value = json.loads(value)
            except (ValueError, RecursionError) as error:
                raise ValueError(f"the text is not a JSON list of todos: {error}") from error
        if not isinstance(value, list):
            return value
        return [
            {"id": number, "content": each} if isinstance(each, str) else each for number, each in enumerate(value, 1)
        ]


class TodoWrite(JobTool[TodoWriteParameters, JobServices]):
    """Checks and writes todos.yaml; the live todos stay as they are."""

    name = "todo_write"
    parameters_model = TodoWriteParameters
    told = ("phase",)
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


# `job_complete`: the plan is done and the job ends; only a strategic phase may say so.

JOB_COMPLETE = "job_complete"


class JobCompleteParameters(Arguments):
    """Parameters of `job_complete`."""

    summary: str = Field(min_length=1, max_length=10_000, description="What the job has reached, for the user")
    deliverables: list[str] = Field(default_factory=list, max_length=200, description="Files of the workspace")
    notes: str = Field("", max_length=10_000, description="What is left, doubtful or worth knowing")

    @field_validator("deliverables", mode="before")
    @classmethod
    def _one_is_a_list(cls, value: object) -> object:
        """A single file, or a comma list of them, may be given as text."""
        return [part.strip() for part in value.split(",") if part.strip()] if isinstance(value, str) else value


class JobComplete(JobTool[JobCompleteParameters, JobServices]):
    """Keeps the completion and asks the controller for the end."""

    name = "job_complete"
    parameters_model = JobCompleteParameters
    told = ("deliverables", "notes")
    effect = "idempotent"

    async def execute(self, params: JobCompleteParameters, ctx: ToolContext[JobServices]) -> ToolResult:
        """End the job."""
        state = await load_job(ctx.db, ctx.session_id)
        completion = JobCompletion(**params.model_dump())
        await save_job(ctx.db, state.model_copy(update={"completion": completion}), ctx.idempotency_key)
        return ToolResult(success=True, output=f"The job ends: {params.summary}", signal=JOB_COMPLETE)


# `get_workspace_summary`: where the job stands, in one look.

MEMORY = ("instructions.md", "workspace.md", "main_plan.md", "todos.yaml")


class GetWorkspaceSummaryParameters(Arguments):
    """Parameters of `get_workspace_summary`: none."""


class GetWorkspaceSummary(JobTool[GetWorkspaceSummaryParameters, JobServices]):
    """Sums up the workspace."""

    name = "get_workspace_summary"
    parameters_model = GetWorkspaceSummaryParameters
    effect = "pure"

    async def execute(self, params: GetWorkspaceSummaryParameters, ctx: ToolContext[JobServices]) -> ToolResult:
        """Count, and say where the phase stands."""
        state = await load_job(ctx.db, ctx.session_id)
        folders, memory = await asyncio.to_thread(_count, workspace_in(ctx))
        added = dict(await ctx.db.requirements.counts(job_id=ctx.session_id))
        sources = len(await ctx.db.sources.sources(ctx.session_id))
        lines = [
            *_phase_lines(state),
            "Files: " + (", ".join(f"{folder} {count}" for folder, count in folders.items()) or "none"),
            "Memory: " + ", ".join(f"{name} {size}" for name, size in memory.items()),
            f"Documents: {', '.join(state.documents) or 'none'}",
            "Requirements added: "
            + (", ".join(f"{count} {status}" for status, count in added.items() if count) or "0"),
            f"Sources: {sources}",
        ]
        artifacts: dict[str, Any] = {"folders": folders, "memory": memory, "requirements": added, "sources": sources}
        return ToolResult(success=True, output="\n".join(lines), artifacts=artifacts)


def _phase_lines(state: JobState) -> list[str]:
    phase = state.phase
    done = len(phase.todos) - len(phase.open_todos)
    title = f": {phase.title}" if phase.title else ""
    return [
        f"Job {state.job_id} ({state.config.job_type}), phase {phase.number} ({phase.kind}){title}",
        f"Todos: {done} of {len(phase.todos)} done",
    ]


def _count(workspace: Workspace) -> tuple[dict[str, int], dict[str, str]]:
    """Files by top folder, and the memory files with their sizes."""
    paths = workspace.list()
    folders = Counter(f"{path.partition('/')[0]}/" if "/" in path else "./" for path in paths)
    sizes = {name: f"{len(workspace.read_bytes(name)):,} bytes" for name in MEMORY if name in paths}
    return dict(sorted(folders.items())), {name: sizes.get(name, "missing") for name in MEMORY}
