"""Runs a command on a pseudo-terminal, as a person would."""

import os
import pty
import select
import signal
import subprocess
import time
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from tests.support.commands import COMMAND, Installation


@dataclass
class Terminal:
    """A command whose input, output and errors are one terminal."""

    place: Installation
    arguments: tuple[str, ...]
    settings: dict[str, str] = field(default_factory=dict)
    seen: str = ""

    def __enter__(self) -> Self:
        self._master, slave = pty.openpty()
        self._process = subprocess.Popen(
            [*COMMAND, *self.arguments],
            env=self.place.environment(TERM="xterm", COLUMNS="200", **self.settings),
            cwd=self.place.folder,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
        )
        os.close(slave)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        os.close(self._master)

    def expect(self, text: str, seconds: float = 30) -> str:
        """Read until the text has appeared after what was expected before; gives all that was read on the way.

        Raises:
            AssertionError: it does not come, or the command ends before.
        """
        deadline, read = time.monotonic() + seconds, ""
        while text not in read:
            piece = self._read(deadline)
            assert piece, f"{text!r} did not come; so far:\n{self.seen}"
            read += piece
        return read

    def type(self, line: str) -> None:
        """Type a line and press Enter."""
        os.write(self._master, (line + "\n").encode())

    def interrupt(self) -> None:
        """Press Ctrl-C."""
        self._process.send_signal(signal.SIGINT)

    def end(self, seconds: float = 30) -> int:
        """Read on to the command's end; its exit code."""
        deadline = time.monotonic() + seconds
        while self._read(deadline):
            pass
        return self._process.wait(timeout=max(1, deadline - time.monotonic()))

    def _read(self, deadline: float) -> str:
        ready, _, _ = select.select([self._master], [], [], max(0, deadline - time.monotonic()))
        if not ready:
            return ""
        try:
            piece = os.read(self._master, 65_536).decode(errors="replace")
        except OSError:  # what Linux says when the other side of a terminal is closed
            return ""
        self.seen += piece
        return piece
