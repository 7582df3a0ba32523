"""What all commands share: text on its way to the terminal, the line that says what is done, errors and exit codes."""

import asyncio
import json
import logging
import os
import shlex
import shutil
import sys
import threading
import time
import unicodedata
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self

import click
from click import echo, style

from loopwright.kernel.cancelling import GRACE_SECONDS
from loopwright.kernel.programs import find_program

if TYPE_CHECKING:
    from loopwright.app.loopwright import Loopwright


KEPT = "\n\t"


def printable(text: str) -> str:
    """The text without signs by which it could speak to the terminal, and show something else than it does."""
    return "".join(letter if letter.isprintable() or letter in KEPT else "�" for letter in text)


# The line at the bottom of the terminal that says what is being done, while it is being done.

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


# Runs a command's coroutine: opens the application, turns errors into messages and exit codes.
#
# What the commands of every installation have in common.

SHOW_DEFAULTS = {"show_default": True}
JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON lines.")
RUN = click.argument("run", metavar="RUN", help="The run's id.")
YES = click.option("--yes", "-y", is_flag=True, help="Take the agent's own defaults for questions.")


class Group(click.Group):
    """Commands in the order in which they were declared: the everyday ones first."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names."""
        return list(self.commands)


# How the user can call this program again.

NAME = "loopwright"


@cache
def program() -> str:
    """`loopwright` where the shell finds this very program by its name, else the path by which it was called."""
    called = Path(sys.argv[0])
    if called.name != NAME:  # run as a module, or inside a test
        return NAME
    found = find_program(NAME, outside=None)
    if found is not None and os.path.samefile(found, called):
        return NAME
    return shlex.quote(str(called))


# The state that older versions kept in the folder they were called in.

_told: set[Path] = set()


def tell_of_old_state(home: Path, folder: Path) -> None:
    """Say on stderr how the state of an older version comes along, if there is one; it is not looked into."""
    from loopwright.app.settings import old_state

    old = old_state(folder.resolve(), home)
    if old is not None and old not in _told:
        _told.add(old)
        echo(f"{old} is not used any more; `{program()} import {folder}` takes over its runs.", err=True)


# Work in the opened application.

BAD_INPUT, FAILED, CANCELLED = 2, 4, 5


def run_in_application(
    work: "Callable[[Loopwright], Awaitable[int]]",
    *,
    as_json: bool = False,
    overrides: Mapping[str, Any] | None = None,
) -> None:
    """Open the application, do the work, and exit with its code.

    Args:
        work: gives the exit code.
        as_json: errors are printed as the one last JSON line instead of as text.
        overrides: settings, by field name, that the command's options replace.
    """
    from loopwright.app.loopwright import Loopwright
    from loopwright.app.settings import settle_garbage_collector

    settle_garbage_collector()

    async def open_and_work() -> int:
        settings = load_settings(overrides or {})
        tell_of_old_state(settings.home, Path.cwd())
        async with Loopwright.open(settings) as application:
            return await work(application)

    # Not an exception of Click's: agents' commands may be Typer's, which knows only its own.
    sys.exit(guarded(lambda: run_to_end(open_and_work()), as_json=as_json))


def run_to_end(main: Coroutine[Any, Any, int]) -> int:
    """Run a program's coroutine as `asyncio.run` does, without waiting for work that does not let itself be cancelled.

    Such work was abandoned by its run and is told in the journal; the process ends with the exit code all the same.
    """
    with asyncio.Runner() as runner:
        code = runner.run(main)
        if runner.run(_left_over()):
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
    return code


async def _left_over() -> set[asyncio.Task[Any]]:
    """Tasks that a cancellation does not end within two seconds."""
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    return (await asyncio.wait(tasks, timeout=GRACE_SECONDS))[1] if tasks else set()


def load_settings(overrides: Mapping[str, Any] = MappingProxyType({})) -> Any:
    """The settings, with logging set up as they say; `overrides` win over the environment.

    Raises:
        Misconfigured: an environment variable has an unusable value.
    """
    from pydantic import ValidationError

    from loopwright.app.settings import Settings
    from loopwright.kernel.errors import Misconfigured

    try:
        settings = Settings(**overrides)
    except ValidationError as error:
        first = error.errors()[0]
        raise Misconfigured(f"{first['loc'][0]}: {first['msg']}.", hint="Correct the environment variable.") from error
    logging.basicConfig(level=settings.log_level.upper(), format="%(levelname)s %(name)s: %(message)s")
    return settings


def guarded(work: Callable[[], int], *, as_json: bool = False) -> int:
    """Do the work; an expected error becomes a message on stderr (or a JSON line) and an exit code."""
    from loopwright.kernel.errors import InvalidInput, LoopwrightError, Misconfigured

    try:
        return work()
    except LoopwrightError as error:
        print_error(error.code, error.message, error.hint, as_json=as_json)
        return BAD_INPUT if isinstance(error, InvalidInput | Misconfigured) else FAILED
    except KeyboardInterrupt:
        print_error("interrupted", "Interrupted.", "`loopwright runs list` shows what is unfinished.", as_json=as_json)
        return CANCELLED


def has_terminal() -> bool:
    """Whether a person sits there who can be asked."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def print_error(code: str, message: str, hint: str, *, as_json: bool) -> None:
    """Say what happened and what to do next."""
    stop_drawing()
    if as_json:
        print_json({"type": "error", "code": code, "message": message, "hint": hint})
        return
    click.echo(f"error: {message}", err=True)
    if hint:
        click.echo(f"hint: {hint}", err=True)


def print_json(data: Any) -> None:
    """One JSON line, out at once."""
    click.echo(json.dumps(data, ensure_ascii=False, default=str))
