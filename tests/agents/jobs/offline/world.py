"""A small world around the playbook: files, todos and phases as the product keeps them, all other tools as a test says.

It is no kernel: it lets a whole job be played in milliseconds, with tools that answer anything at all.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

from loopwright.agents.jobs.offline import PLAYBOOK
from tests.agents.jobs.offline.requests import request, state

Others = Callable[[str, Mapping[str, Any]], str]


@dataclass
class World:
    """A job in play. `others` answers the tools that are not played here; `completion` is how the job ended."""

    job_type: str = "creator"
    documents: tuple[str, ...] = ("documents/a.pdf",)
    others: Others = lambda name, arguments: "Fine."
    language: str = "en"
    files: dict[str, str] = field(default_factory=lambda: {"instructions.md": "# Mission\n"})
    kind: str = "strategic"
    number: int = 1
    title: str = ""
    earlier: list[dict[str, Any]] = field(default_factory=list)
    todos: list[dict[str, Any]] = field(default_factory=lambda: _given())
    staged: dict[str, Any] | None = None
    completion: dict[str, Any] | None = None
    words: str = ""
    calls: list[tuple[str, dict[str, Any], str]] = field(default_factory=list)

    def play(self, most: int = 400) -> "World":
        """Ask the playbook until the job ends, or it has only words; fails where it goes on for ever."""
        exchanges: list[list[tuple[str, dict[str, Any], str]]] = []
        for _ in range(most):
            reply = PLAYBOOK.answer(request(self.described(), exchanges))
            if not reply.tool_calls:
                self.words = reply.text
                return self
            before = self.number
            made = [(name, dict(given), self.do(name, dict(given))) for name, given in reply.tool_calls]
            self.calls += made
            exchanges = [*exchanges, made] if self.number == before else []
            if self.completion is not None:
                return self
        raise AssertionError(f"the job goes on after {most} answers; at the end {self.calls[-3:]}")

    def described(self) -> dict[str, Any]:
        """The job state in the prompt: todos as they were when the phase began."""
        return state(
            self.kind,
            job_type=self.job_type,
            language=self.language,
            documents=list(self.documents),
            phase_number=self.number,
            phase_title=self.title,
            earlier_phases=self.earlier,
            todos=[{"id": todo["id"], "content": todo["content"]} for todo in self.todos],
        )

    def do(self, name: str, given: dict[str, Any]) -> str:
        """The result of one call."""
        played = getattr(self, f"_{name}", None)
        return played(**given) if played is not None else self.others(name, given)

    def _read_file(self, path: str, line_start: int = 1, line_end: int | None = None, **pages: int) -> str:
        if path not in self.files:
            return f"Error: There is no file {path!r}."
        lines = self.files[path].removesuffix("\n").split("\n")
        chosen = lines[line_start - 1 : line_end]
        if not chosen:
            return f"Error: There is no line {line_start}."
        text = "\n".join(chosen)
        if "/" in path and not path.startswith("archive/"):
            text = f'<data source="{path}">\n{text}\n</data>'
        return f"{path}: lines {line_start}–{line_start + len(chosen) - 1} of {len(lines)}\n{text}"

    def _write_file(self, path: str, content: str) -> str:
        self.files[path] = content
        return f"Wrote {path}."

    def _append_file(self, path: str, content: str) -> str:
        self.files[path] = self.files.get(path, "") + content
        return f"Added to {path}."

    def _list_files(self, path: str = "", depth: int = 3) -> str:
        return "\n".join(sorted(name for name in self.files if name.startswith(path)))

    def _todo_write(self, **given: Any) -> str:
        if not 5 <= len(given["todos"]) <= 20:
            return f"Error: Expected 5-20 todos, got {len(given['todos'])}."
        self.staged = given
        return "todos.yaml is written."

    def _job_complete(self, **given: Any) -> str:
        self.completion = given
        return "The job ends."

    def _todo_complete(self, todo_id: int, notes: str = "") -> str:
        todo = next(each for each in self.todos if each["id"] == todo_id)
        witness = todo.get("witness")
        if witness and witness["path"] not in self.files:
            return f"Error: Todo {todo_id} cannot be completed: the file {witness['path']} does not exist."
        last = [each["id"] for each in self.todos if "notes" not in each] == [todo_id]
        if last and self.kind == "strategic" and self.staged is None:
            return "Error: Phase transition rejected: todos.yaml not found."
        todo["notes"] = notes
        if last:
            self._flip()
        return f"Todo {todo_id} is completed."

    def _flip(self) -> None:
        self.earlier.append({"number": self.number, "kind": self.kind, "title": self.title})
        self.files[f"archive/phase_{self.number}.yaml"] = yaml.safe_dump({"todos": self.todos}, allow_unicode=True)
        self.number += 1
        if self.kind == "strategic" and self.staged is not None:
            self.kind, self.title = "tactical", self.staged["phase"]
            self.todos, self.staged = [dict(todo) for todo in self.staged["todos"]], None
        else:
            self.kind, self.title, self.todos = "strategic", "", _given()


def _given() -> list[dict[str, Any]]:
    return [{"id": number, "content": f"Given {number}"} for number in range(1, 5)]
