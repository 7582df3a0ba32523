"""`todos.yaml`: the next phase, written ahead and checked before it may begin.

Writing it never touches the live todos; the transition consumes it (decision 7 of the field notes).
"""

import asyncio
import hashlib
import shlex
import sys
from collections import Counter
from typing import Any

import yaml
from pydantic import ValidationError

from loopwright.agents.jobs.contracts import JobConfig, Todo, TodoFile, Witness
from loopwright.agents.jobs.ports import JobServices
from loopwright.kernel.errors import InvalidInput, NotFound
from loopwright.kernel.programs import find_program, program_environment
from loopwright.kernel.workspace import Workspace

# --------------------------------------------------------------------------------------------------------------------
# Whether a todo's witness speaks for it: without that the todo cannot be completed.
# --------------------------------------------------------------------------------------------------------------------

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
