"""The todos of strategic phases, which are given and not planned (spec 003, "Predefined Strategic Todos")."""

import json
from functools import cache
from importlib import resources
from typing import Any

from loopwright.agents.jobs.contracts.config import JobConfig
from loopwright.agents.jobs.contracts.todos import Todo


@cache
def _texts() -> dict[str, dict[str, list[str]]]:
    file = resources.files(__package__).joinpath("strategic_todos.json")
    texts: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return texts


def initial_strategic_todos(config: JobConfig) -> list[Todo]:
    """The todos of a job's first phase."""
    return _todos("initial", config)


def transition_strategic_todos(config: JobConfig) -> list[Todo]:
    """The todos of a strategic phase between two tactical ones."""
    return _todos("transition", config)


def _todos(which: str, config: JobConfig) -> list[Todo]:
    settings = config.phase_settings
    counts = {"{{min_todos}}": str(settings.min_todos), "{{max_todos}}": str(settings.max_todos)}
    todos = []
    for number, text in enumerate(_texts()[config.language][which], 1):
        for name, count in counts.items():
            text = text.replace(name, count)
        todos.append(Todo(id=number, content=text))
    return todos
