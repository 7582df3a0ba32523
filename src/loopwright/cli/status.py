"""The line at the bottom of the terminal that says what is being done, while it is being done."""

import shutil
import sys
import threading
import time
import unicodedata
from collections.abc import Callable
from typing import Self

from click import echo, style

from loopwright.cli.printable import printable

FRAMES = "|/-\\"
FRAME_SECONDS = 0.1
ERASE = "\r\x1b[K"


class Status:
    """A spinner with a text on stderr; nothing at all where no person looks.

    Args:
        text: what is being done.
        details: asked at each drawing for what stands dimly behind the text, such as the seconds.
    """

    def __init__(self, text: str, details: Callable[[], str] = str) -> None:
        """Draw nothing yet."""
        self._text, self._details = text, details
        self._seen = sys.stderr.isatty()
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Self:
        """Start drawing."""
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop drawing."""
        self.stop()

    def start(self) -> None:
        """Draw from now on, if there is a terminal."""
        if self._seen and self._thread is None:
            self._stopped.clear()
            _drawing.add(self)
            self._thread = threading.Thread(target=self._draw, name="status", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Take the line away, and leave the terminal to others."""
        if self._thread is not None:
            self._stopped.set()
            self._thread.join()
            self._thread = None
            _drawing.discard(self)

    def update(self, text: str) -> None:
        """Say something else from the next drawing on."""
        self._text = text

    def print(self, line: str) -> None:
        """Print a line that stays, above the spinner."""
        with self._lock:
            echo((ERASE if self._thread is not None else "") + printable(line), err=True)

    def _draw(self) -> None:
        while not self._stopped.is_set():
            with self._lock:
                echo(ERASE + self._line(), nl=False, err=True)
            self._stopped.wait(FRAME_SECONDS)
        with self._lock:
            echo(ERASE, nl=False, err=True)

    def _line(self) -> str:
        """Never wider than the terminal: a line that wraps cannot be taken away."""
        frame = FRAMES[int(time.monotonic() / FRAME_SECONDS) % len(FRAMES)]
        space = shutil.get_terminal_size().columns - 1
        text = _cut(f"{frame} {printable(self._text)}", space)
        return text + style(_cut(f" {self._details()}", space - _cells(text)), dim=True)


_drawing: set[Status] = set()


def stop_drawing() -> None:
    """Take away what a command that failed has left drawing, so that its error stands on a line of its own."""
    for status in tuple(_drawing):
        status.stop()


def _cells(text: str) -> int:
    """Columns of the terminal that the text takes; Chinese and Japanese letters take two."""
    return sum(1 + (unicodedata.east_asian_width(letter) in "WF") for letter in text)


def _cut(text: str, space: int) -> str:
    text = " ".join(text.split("\n"))
    while _cells(text) > max(space, 0):
        text = text[:-1]
    return text
