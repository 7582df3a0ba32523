"""The log of the agent's turns, one JSON object on each line."""

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from loopwright.agents.designspec.project.files import ProjectFiles

LOG = "logs/agent_turns.jsonl"
TORN = "logs/agent_turns.torn.jsonl"
KEY = "key"


class TurnLog:
    """Only ever appended to. What a crash has torn off at its end is kept apart, and never taken for a turn."""

    def __init__(self, files: ProjectFiles) -> None:
        self.files = files

    def append(self, turn: dict[str, Any], key: str) -> bool:
        """Write a turn down, unless one with this key is there already; answer whether it was written.

        Raises:
            ValueError: the turn holds a number that is not finite.
        """
        line = json.dumps({KEY: key, **turn}, ensure_ascii=True, allow_nan=False).encode() + b"\n"
        with self._opened() as log:
            self._mend(log)
            if any(each.get(KEY) == key for each in _turns(_content(log))):
                return False
            os.lseek(log, 0, os.SEEK_END)
            while line:
                line = line[os.write(log, line) :]
            os.fsync(log)
        return True

    def read(self, last: int | None = None) -> list[dict[str, Any]]:
        """The turns, oldest first; the last so many of them. Lines that are no turn are left out."""
        path = self.files.inside(LOG)
        turns = _turns(path.read_bytes()) if path.is_file() else []
        return turns if last is None else turns[max(0, len(turns) - last) :]

    @contextmanager
    def _opened(self) -> Iterator[int]:
        self.files.folder("logs")
        log = os.open(self.files.inside(LOG), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            fcntl.flock(log, fcntl.LOCK_EX)
            yield log
        finally:
            os.close(log)

    def _mend(self, log: int) -> None:
        """Complete or take away a last line without an end."""
        content = _content(log)
        tail = content[content.rfind(b"\n") + 1 :]
        if not tail:
            return
        if _turns(tail):  # only its end is missing
            os.pwrite(log, b"\n", len(content))
            return
        torn = os.open(self.files.inside(TORN), os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o666)
        try:
            os.write(torn, tail + b"\n")
            os.fsync(torn)
        finally:
            os.close(torn)
        os.ftruncate(log, len(content) - len(tail))


def _content(log: int) -> bytes:
    content = b""
    while piece := os.pread(log, 1 << 24, len(content)):
        content += piece
    return content


def _turns(content: bytes) -> list[dict[str, Any]]:
    found = []
    for line in content.split(b"\n"):
        try:
            turn = json.loads(line)
        except (ValueError, RecursionError):
            continue  # a line that was torn, or was empty
        if isinstance(turn, dict):
            found.append(turn)
    return found
