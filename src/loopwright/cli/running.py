"""Runs a command's coroutine: opens the house, turns errors into messages and exit codes."""

import asyncio
import json
import logging
import os
import sys
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import typer

from loopwright.cli.old_state import tell_of_old_state
from loopwright.kernel.cancelling import GRACE_SECONDS

if TYPE_CHECKING:
    from loopwright.app.loopwright import Loopwright

BAD_INPUT, FAILED, CANCELLED = 2, 4, 5


def run_in_house(
    work: "Callable[[Loopwright], Awaitable[int]]",
    *,
    as_json: bool = False,
    overrides: Mapping[str, Any] | None = None,
) -> None:
    """Open the house, do the work, and exit with its code.

    Args:
        work: gives the exit code.
        as_json: errors are printed as the one last JSON line instead of as text.
        overrides: settings, by field name, that the command's options replace.
    """
    from loopwright.app.loopwright import Loopwright
    from loopwright.app.process import settle_garbage_collector

    settle_garbage_collector()

    async def open_and_work() -> int:
        settings = load_settings(overrides or {})
        tell_of_old_state(settings.home, Path.cwd())
        async with Loopwright.open(settings) as house:
            return await work(house)

    raise typer.Exit(guarded(lambda: run_to_end(open_and_work()), as_json=as_json))


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
    if as_json:
        print_json({"type": "error", "code": code, "message": message, "hint": hint})
        return
    typer.echo(f"error: {message}", err=True)
    if hint:
        typer.echo(f"hint: {hint}", err=True)


def print_json(data: Any) -> None:
    """One JSON line, out at once."""
    typer.echo(json.dumps(data, ensure_ascii=False, default=str))
