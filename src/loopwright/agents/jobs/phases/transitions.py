"""From phase to phase: the next is written ahead and checked, flips bring it about, and the last one ends the job."""

import asyncio
import hashlib
import re
import shlex
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import yaml
from pydantic import ValidationError

from loopwright.agents.jobs.contracts import JobConfig, JobState, Phase, Todo, TodoFile, Witness
from loopwright.agents.jobs.memory import load_job, save_job, workspace_of
from loopwright.agents.jobs.phases.entering import (
    Snapshots,
    put_away_stale,
    reset_dialogue,
    snapshot_name,
    transition_strategic_todos,
)
from loopwright.agents.jobs.ports import JobServices
from loopwright.kernel.errors import InvalidInput, NotFound
from loopwright.kernel.programs import find_program, program_environment
from loopwright.kernel.run import AgentRun
from loopwright.kernel.spec import ActionResult
from loopwright.kernel.workspace import Workspace

# `todos.yaml`: the next phase, written ahead and checked before it may begin.
#
# Writing it never touches the live todos; the transition consumes it (decision 7 of the field notes).
#
# Whether a todo's witness speaks for it: without that the todo cannot be completed.

COMMAND_SECONDS = 300.0
SHOWN_OUTPUT = 1_000
COUNTS = ("requirements", "citations")


async def check_witness(
    witness: Witness, workspace: Workspace, services: JobServices, config: JobConfig, job_id: str
) -> str | None:
    """What speaks against the witness, or None when it holds."""
    if witness.kind == "file":
        return await asyncio.to_thread(_check_file, witness, workspace)
    if witness.kind == "command":
        return await _check_command(witness, workspace, config)
    found = await _count(witness.query, services, job_id)
    return None if found >= witness.at_least else f"{witness.query!r} gives {found}, and {witness.at_least} are needed"


def _check_file(witness: Witness, workspace: Workspace) -> str | None:
    try:
        data = workspace.read_bytes(witness.path)
    except NotFound:
        return f"the file {witness.path} does not exist"
    if not data.strip():
        return f"the file {witness.path} is empty"
    found = hashlib.sha256(data).hexdigest()
    if witness.sha256 and found != witness.sha256:
        return f"the SHA-256 of {witness.path} is {found}, and {witness.sha256} was promised"
    return None


async def _check_command(witness: Witness, workspace: Workspace, config: JobConfig) -> str | None:
    """Run a command that the user's config allows, word for word, without this process's secrets."""
    if witness.command not in config.witness_commands:
        return f"the command {witness.command!r} is not allowed by the job's config (witness_commands)"
    name, *words = shlex.split(witness.command)
    program = workspace.root / name if "/" in name else find_program(name, outside=workspace.root)
    if program is None:
        return f"the program {name!r} is not installed"
    process = await asyncio.create_subprocess_exec(
        str(program),
        *words,
        cwd=workspace.root,
        env={**program_environment(workspace.root), "PYTHON": sys.executable},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        async with asyncio.timeout(COMMAND_SECONDS):
            output, _ = await process.communicate()
    except TimeoutError:
        return f"{witness.command!r} did not end within {COMMAND_SECONDS:g} seconds"
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode == witness.exit_code:
        return None
    shown = output.decode(errors="replace")[-SHOWN_OUTPUT:].strip()
    return f"{witness.command!r} ended with {process.returncode}, not {witness.exit_code}: {shown}"


async def _count(query: str, services: JobServices, job_id: str) -> int:
    name = query.strip()
    if name == "requirements":
        return sum((await services.requirements.counts(job_id=job_id)).values())
    if name == "citations":
        return len(await services.sources.citations(job_id))
    if not name.upper().startswith(("MATCH", "OPTIONAL MATCH")):
        raise InvalidInput(f"A witness can count {', '.join(COUNTS)} or a Cypher query that begins with MATCH.")
    return len((await services.graph.query(name)).rows)


TODOS_FILE = "todos.yaml"
MAX_CHARACTERS = 400_000
WRITE_IT = "Write it with todo_write(todos, phase, description)."


class _PlainLoader(yaml.SafeLoader):
    """YAML without aliases, which can blow a small file up, and without doubled keys, of which one would be lost."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.events.AliasEvent):
            raise yaml.YAMLError("aliases (*name) are not allowed")
        return super().compose_node(parent, index)

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        keys = [key.value for key, _ in node.value]
        twice = next((key for key, count in Counter(map(str, keys)).items() if count > 1), None)
        if twice is not None:
            raise yaml.YAMLError(f"the key {twice!r} stands twice in one mapping")
        return super().construct_mapping(node, deep)


def read_todo_file(text: str, config: JobConfig) -> TodoFile:
    """The todos of the next phase out of the text of todos.yaml.

    Raises:
        InvalidInput: it is not YAML, has not the structure, or not as many todos as the config wants.
    """
    if len(text) > MAX_CHARACTERS:
        raise InvalidInput(f"{TODOS_FILE} is longer than {MAX_CHARACTERS:,} characters.", hint=WRITE_IT)
    try:
        data = yaml.load(text, _PlainLoader)  # noqa: S506  (a SafeLoader)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise InvalidInput(f"{TODOS_FILE} is not valid YAML: {_one_line(error)}", hint=WRITE_IT) from error
    if not isinstance(data, dict) or not isinstance(data.get("todos"), list):
        raise InvalidInput(f"{TODOS_FILE} must have a 'todos' list.", hint=WRITE_IT)
    return check_todos(data, config)


def check_todos(data: dict[str, Any], config: JobConfig) -> TodoFile:
    """The todos of a phase, checked.

    Raises:
        InvalidInput: naming the todo and what is wrong with it.
    """
    try:
        file = TodoFile.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"]) or "todos"
        raise InvalidInput(
            f"{place}: {first['msg']}.", hint="Each todo needs `id` (int) and `content` (text)."
        ) from error
    _check_count(len(file.todos), config)
    twice = [number for number, count in Counter(todo.id for todo in file.todos).items() if count > 1]
    if twice:
        raise InvalidInput(f"The ids {twice} are given more than once.", hint="Number the todos 1, 2, 3, …")
    blank = [todo.id for todo in file.todos if not todo.content.strip()]
    if blank:
        raise InvalidInput(f"The todos {blank} say nothing.", hint="Write what is to be done as `content`.")
    for todo in file.todos:
        _check_witness(todo, config)
    return file


def dump_todo_file(file: TodoFile) -> str:
    """The text of todos.yaml."""
    data = {
        "phase": file.phase,
        "description": file.description,
        "todos": [todo.model_dump(mode="json", exclude_defaults=True) for todo in file.todos],
    }
    return yaml.safe_dump(data, allow_unicode=True, sort_keys=False, width=100)


def _check_count(count: int, config: JobConfig) -> None:
    low, high = config.phase_settings.min_todos, config.phase_settings.max_todos
    if not low <= count <= high:
        more = (
            "Split the work finer, or take in more of the plan." if count < low else "Leave the rest to a later phase."
        )
        raise InvalidInput(f"Expected {low}-{high} todos, got {count}.", hint=more)


def _check_witness(todo: Todo, config: JobConfig) -> None:
    if todo.witness is None or todo.witness.kind != "command" or todo.witness.command in config.witness_commands:
        return
    allowed = ", ".join(repr(command) for command in config.witness_commands) or "none"
    raise InvalidInput(
        f"The witness of todo {todo.id} would run {todo.witness.command!r}, which the job's config does not allow.",
        hint=f"Allowed commands (witness_commands): {allowed}. A witness of kind file or query needs no permission.",
    )


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())[:400]


# The flips between phases, and the end: stages without a model, each done again safely after a crash.
#
# The last todo of a phase is completed by the flip itself, so a refused flip has nothing to take back. What is copied
# is copied before the new state is saved, and what is removed is removed after it.
#
# The goals of main_plan.md, and what a phase did beside them: orphan work and unserved goals, shown at each flip.

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


# The account of a job, for the last line of every surface.


async def finish(run: AgentRun) -> dict[str, Any]:
    """The result: what the job came to, and where its files are."""
    state = await load_job(run.services, run.state.session_id)
    counts = await run.services.requirements.counts(job_id=state.job_id)
    settled = await run.services.requirements.counts(settled_by=state.job_id)
    completion = state.completion
    return {
        "job_id": state.job_id,
        "job_type": state.config.job_type,
        "status": "completed" if completion is not None else "failed",
        "phases": state.phase.number,
        "requirements": sum(counts.values()),
        "settled": dict(settled),
        "workspace": str(run.output_dir),
        "deliverables": completion.deliverables if completion is not None else [],
        "completion": COMPLETION_FILE,
    }
