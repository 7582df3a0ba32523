"""`todos.yaml`: the next phase, written ahead and checked before it may begin.

Writing it never touches the live todos; the transition consumes it (decision 7 of the field notes).
"""

from collections import Counter
from typing import Any

import yaml
from pydantic import ValidationError

from loopwright.agents.jobs.contracts.config import JobConfig
from loopwright.agents.jobs.contracts.todos import Todo, TodoFile
from loopwright.kernel.errors import InvalidInput

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
        InvalidInput: it is no YAML, has not the structure, or not as many todos as the config wants.
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
