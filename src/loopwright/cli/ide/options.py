"""What the commands about a project have in common."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from loopwright.cli.running import guarded

if TYPE_CHECKING:
    from loopwright.agents.ide.project import Project

ROOT = typer.Option(Path(), "--root", help="The project's folder. [this one]")
JSON = typer.Option(False, "--json", help="Print JSON lines.")


def project_work(work: "Callable[[Project], Awaitable[int]]", root: Path, *, as_json: bool) -> None:
    """Do something with the project at `root`, and exit with the code that it gives."""

    async def opened() -> int:
        from loopwright.agents.ide.project import project_of
        from loopwright.app.ide import existing_root

        return await work(project_of(existing_root(root)))

    raise typer.Exit(guarded(lambda: asyncio.run(opened()), as_json=as_json))
