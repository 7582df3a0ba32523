"""The bare loop's tools on files."""

import subprocess
import sys
from pathlib import Path
from typing import Any


def texts(*names: str) -> dict[str, Any]:
    """The schema of an object of texts, all required."""
    return {
        "type": "object",
        "properties": {name: {"type": "string", "maxLength": 4_000} for name in names},
        "required": list(names),
        "additionalProperties": False,
    }


class Files:
    """A project folder."""

    prompt = (
        "You change files of a small project. Answer with one step as JSON: read a file before you change it; replace "
        "puts new text in the place of old text, which must be copied exactly from the file; write makes a whole file; "
        "run runs a command, such as python -m pytest; finish when the task is done, with the answer to the user. "
        "Do one step at a time and look at its result."
    )
    most_tokens = 900

    def __init__(self, case: dict[str, Any], place: Path, data: Path | None) -> None:
        self.folder = place / "project"
        for path, text in case["files"].items():
            (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / path).write_text(text, encoding="utf-8")
        self.answer = ""
        self.tools = {
            "read": texts("path"),
            "replace": texts("path", "old", "new"),
            "write": texts("path", "content"),
            "run": texts("command"),
            "finish": texts("answer"),
        }

    def first(self, message: str) -> str:
        """The task and the paths."""
        files = sorted(path.relative_to(self.folder).as_posix() for path in self.folder.rglob("*") if path.is_file())
        return f"Files: {', '.join(files)}\n\nTask: {message}"

    def use(self, tool: str, arguments: dict[str, Any]) -> str:
        """Do it, inside the folder only."""
        if tool == "finish":
            self.answer = str(arguments["answer"])
            return ""
        if tool == "run":
            return self._run(str(arguments["command"]))
        file = (self.folder / str(arguments["path"])).resolve()
        if self.folder.resolve() not in file.parents:
            return "This path is not in the project."
        if tool == "write":
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(str(arguments["content"]), encoding="utf-8")
            return "Written."
        if not file.is_file():
            return "There is no such file."
        text = file.read_text(encoding="utf-8")
        if tool == "read":
            return "\n".join(f"{number}: {line}" for number, line in enumerate(text.splitlines(), start=1))
        old, new = str(arguments["old"]), str(arguments["new"])
        if not old or text.count(old) != 1:
            return f"The old text stands {text.count(old) if old else 0} times in the file; it must stand there once."
        file.write_text(text.replace(old, new), encoding="utf-8")
        return "Replaced."

    def _run(self, command: str) -> str:
        words = command.split()
        words = [sys.executable, *words[1:]] if words and words[0] in ("python", "python3") else words
        words = [sys.executable, "-m", *words] if words and words[0] == "pytest" else words
        try:
            ended = subprocess.run(words, cwd=self.folder, capture_output=True, text=True, timeout=60, check=False)
        except (OSError, subprocess.TimeoutExpired, IndexError, ValueError) as error:
            return str(error)[:400]
        return f"exit code {ended.returncode}\n{(ended.stdout + ended.stderr)[-1200:]}"

    def outcome(self) -> dict[str, Any]:
        """The folder and the answer."""
        return {"folder": self.folder, "answer": self.answer}
