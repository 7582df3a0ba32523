"""What the commands about a project have in common."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from loopwright.cli.running import guarded, load_settings

if TYPE_CHECKING:
    from loopwright.agents.ide.project import Project

ROOT = typer.Option(Path(), "--root", help="The project's folder. [this one]")
JSON = typer.Option(False, "--json", help="Print JSON lines.")


def project_work(work: "Callable[[Project], Awaitable[int]]", root: Path, *, as_json: bool) -> None:
    """Do something with the project at `root`, and exit with the code that it gives."""

    async def opened() -> int:
        from loopwright.app.ide import project_at

        return await work(project_at(load_settings().home, root))

    raise typer.Exit(guarded(lambda: asyncio.run(opened()), as_json=as_json))
