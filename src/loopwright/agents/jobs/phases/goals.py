"""The goals of main_plan.md, and what a phase did beside them: orphan work and unserved goals, shown at each flip."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from loopwright.agents.jobs.contracts.todos import Todo

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
