"""The flips between phases, and the end: stages without a model, each done again safely after a crash.

The last todo of a phase is completed by the flip itself, so a refused flip has nothing to take back. What is copied is
copied before the new state is saved, and what is removed is removed after it.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import yaml

from loopwright.agents.jobs.contracts import JobConfig, JobState, Phase, Todo
from loopwright.agents.jobs.memory import load_job, save_job, workspace_of
from loopwright.agents.jobs.phases.entering import (
    Snapshots,
    put_away_stale,
    reset_dialogue,
    snapshot_name,
    transition_strategic_todos,
)
from loopwright.agents.jobs.phases.staging import TODOS_FILE, WRITE_IT, read_todo_file
from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.run import AgentRun
from loopwright.kernel.spec import ActionResult
from loopwright.kernel.workspace import Workspace

# --------------------------------------------------------------------------------------------------------------------
# The goals of main_plan.md, and what a phase did beside them: orphan work and unserved goals, shown at each flip.
# --------------------------------------------------------------------------------------------------------------------

GOAL = re.compile(r"^\s{0,6}[-*+]\s+\[(?P<mark>[ xX])\]\s+(?P<text>\S.*)$", re.MULTILINE)
NAME = re.compile(r"^\W*(?P<name>[A-Z]{1,3}\d{1,3})\b")
MEMORY_FILES = frozenset({"workspace.md", "main_plan.md", "instructions.md", "todos.yaml"})
MEMORY_FOLDERS = ("archive/", "extracted/", "sources/", "tools/", "documents/")
"""Where files come about by the way: by tools and by the controller, not as somebody's work."""


@dataclass(frozen=True)
class Goal:
    """A checkbox item of the plan; `name` is its first word where that is a number like G1."""

    text: str
    reached: bool

    @property
    def name(self) -> str:
        """How todos name it."""
        match = NAME.match(self.text)
        return match["name"] if match else self.text


def read_goals(plan: str) -> list[Goal]:
    """The goals of a plan: its checkbox items."""
    return [Goal(match["text"].strip(), match["mark"] != " ") for match in GOAL.finditer(plan)]


def unserved_goals(plan: str, todos: Iterable[Todo]) -> list[str]:
    """The open goals that no todo serves, by `serves` or by naming them."""
    todos = list(todos)
    said = "\n".join(f"{todo.serves or ''}\n{todo.content}" for todo in todos)
    return [
        goal.text
        for goal in read_goals(plan)
        if not goal.reached and not re.search(rf"(?<!\w){re.escape(goal.name)}(?!\w)", said)
    ]


def orphan_files(changed: Sequence[str], todos: Iterable[Todo]) -> list[str]:
    """Files changed in a phase that no todo of it speaks of, in its content, notes or witness."""
    said = "\n".join(f"{todo.content}\n{todo.notes}\n{todo.witness.path if todo.witness else ''}" for todo in todos)
    return [
        path
        for path in changed
        if path not in MEMORY_FILES and not path.startswith(MEMORY_FOLDERS) and path.rpartition("/")[2] not in said
    ]


PHASE_BEGUN = "phase_begun"
READING_BEGUN = "reading_begun"
"""A phase has begun that code leads."""
JOB_COMPLETED = "job_completed"
MEASURED = {
    "en": "Measured: {stored} requirements of this job are stored; {there} of {named} named files are there.",
    "de": "Gemessen: {stored} Anforderungen des Auftrags sind gespeichert; {there} von {named} genannten Dateien da.",
}
MISSING = {"en": "Not there: {files}.", "de": "Nicht da: {files}."}
COMPLETION_FILE = "output/job_completion.json"


async def refuse_without_todos(run: AgentRun) -> str | None:
    """The guard of the flip to a tactical phase: todos.yaml must be there and valid, and a phase must be left."""
    state = await load_job(run.services, run.state.session_id)
    if state.phase.number >= state.config.limits.max_phases:
        return (
            f"Phase transition rejected: the job has used all of its {state.config.limits.max_phases} phases. "
            "Call job_complete with what was reached and what is left."
        )
    workspace = workspace_of(run.output_dir, state.config)
    last = state.phase.open_todos[-1].id if state.phase.open_todos else 0
    stays = f"\nTodo {last} stays open; complete it again afterwards."
    if not workspace.exists(TODOS_FILE):
        return f"Phase transition rejected: {TODOS_FILE} not found. {WRITE_IT}{stays}"
    try:
        read_todo_file(workspace.read_text(TODOS_FILE), state.config)
    except InvalidInput as error:
        return f"Phase transition rejected: {error.message} {error.hint}{stays}"
    return None


async def begin_tactical(run: AgentRun) -> ActionResult:
    """Consume todos.yaml: it is archived, and its todos are those of the new phase."""
    state = await load_job(run.services, run.state.session_id)
    workspace = workspace_of(run.output_dir, state.config)
    if state.phase.kind == "strategic":
        staged = read_todo_file(workspace.read_text(TODOS_FILE), state.config)
        number = state.phase.number + 1
        workspace.write_text(f"archive/todos_of_phase_{number}.yaml", workspace.read_text(TODOS_FILE))
        todos = [todo.model_copy(update={"status": "pending"}) for todo in staged.todos]
        state = await _flip(run, state, workspace, "tactical", todos, staged.phase, staged.description)
    if workspace.exists(TODOS_FILE):
        workspace.delete(TODOS_FILE)
    return _begun(run, state)


async def begin_strategic(run: AgentRun) -> ActionResult:
    """Archive what the tactical phase did; a todos.yaml that it left behind cannot pass the next gate."""
    state = await load_job(run.services, run.state.session_id)
    workspace = workspace_of(run.output_dir, state.config)
    put_away_stale(workspace, f"archive/todos_left_by_phase_{state.phase.number}.yaml")
    if state.phase.kind == "tactical":
        state = await _flip(run, state, workspace, "strategic", transition_strategic_todos(state.config))
    return _begun(run, state)


async def finish_job(run: AgentRun) -> ActionResult:
    """Write `output/job_completion.json` and archive the last phase."""
    state = await load_job(run.services, run.state.session_id)
    completion = state.completion
    if completion is None:
        raise AssertionError("job_complete saves the completion before it signals")
    workspace = workspace_of(run.output_dir, state.config)
    workspace.write_text(COMPLETION_FILE, completion.model_dump_json(indent=2) + "\n")
    if state.phase.ended_at is None:
        ended = _ended(state, workspace, close_last=False)
        _archive(workspace, ended, state.config)
        await save_job(run.services, state.model_copy(update={"phase": ended}), f"{_key(run)}:finished")
    told = f"{completion.summary}\n{await _measured(run, state, workspace)}"
    return ActionResult(True, told, JOB_COMPLETED, text=told)


async def _measured(run: AgentRun, state: JobState, workspace: Workspace) -> str:
    """What the store and the folder hold at the end, beside what the agent says of it."""
    stored = sum((await run.services.requirements.counts(job_id=state.job_id)).values())
    named = state.completion.deliverables if state.completion is not None else []
    missing = [path for path in named if not _is_there(workspace, path)]
    values = {"stored": stored, "named": len(named), "there": len(named) - len(missing)}
    found = MEASURED[state.config.language].format(**values)
    return f"{found} {MISSING[state.config.language].format(files=', '.join(missing))}" if missing else found


def _is_there(workspace: Workspace, path: str) -> bool:
    try:
        return workspace.exists(path)
    except InvalidInput:
        return False


async def _flip(
    run: AgentRun,
    state: JobState,
    workspace: Workspace,
    kind: str,
    todos: Iterable[Todo],
    title: str = "",
    description: str = "",
) -> JobState:
    ended = _ended(state, workspace, close_last=True)
    _archive(workspace, ended, state.config)
    number = ended.number + 1
    phase = Phase(
        number=number,
        kind="tactical" if kind == "tactical" else "strategic",
        title=title,
        description=description,
        todos=list(todos),
        begun_at=datetime.now(UTC),
        snapshot=snapshot_name(number),
    )
    new = state.model_copy(update={"phase": phase, "phases": [*state.phases, ended]})
    Snapshots(workspace).take(phase.snapshot, new, earlier=ended.snapshot, without={TODOS_FILE})
    await save_job(run.services, new, f"{_key(run)}:flip")
    return new


def _ended(state: JobState, workspace: Workspace, *, close_last: bool) -> Phase:
    """The phase as it ends, with what it did beside its todos and what of the plan nobody serves."""
    phase = state.phase
    todos = [todo.model_copy(update={"status": "completed"}) for todo in phase.todos] if close_last else phase.todos
    all_todos = [todo for earlier in state.phases for todo in earlier.todos] + todos
    plan = workspace.read_text("main_plan.md") if workspace.exists("main_plan.md") else ""
    tactical = [t for p in (*state.phases, phase) if p.kind == "tactical" for t in p.todos]
    changed = Snapshots(workspace).changed_since(phase.snapshot)
    return phase.model_copy(
        update={
            "todos": todos,
            "ended_at": datetime.now(UTC),
            "orphans": orphan_files(changed, all_todos) if phase.kind == "tactical" else [],
            "unserved": unserved_goals(plan, tactical) if tactical else [],
        }
    )


def _archive(workspace: Workspace, phase: Phase, config: JobConfig) -> None:
    if config.phase_settings.archive_on_transition:
        data = phase.model_dump(mode="json", exclude_none=True)
        text = yaml.safe_dump(data, allow_unicode=True, sort_keys=False, width=100)
        workspace.write_text(f"archive/phase_{phase.number}.yaml", text)


def _begun(run: AgentRun, state: JobState) -> ActionResult:
    reset_dialogue(run, state)
    phase = state.phase
    ended = state.phases[-1]
    return ActionResult(
        True,
        f"Phase {phase.number} ({phase.kind}) begins with {len(phase.todos)} todos.",
        READING_BEGUN if state.reads else PHASE_BEGUN,
        artifacts={
            "phase": phase.number,
            "kind": phase.kind,
            "title": phase.title,
            "todos": len(phase.todos),
            "orphans": ended.orphans,
            "unserved": ended.unserved,
        },
    )


def _key(run: AgentRun) -> str:
    """The same for every attempt at this entry of the stage."""
    return f"{run.state.run_id}:{run.state.stage}:{run.state.stage_entries.get(run.state.stage, 1)}"
