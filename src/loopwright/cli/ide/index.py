"""`loopwright ide index` and `map`: what the index knows of a project."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from loopwright.cli.ide.options import JSON, ROOT, project_work
from loopwright.cli.running import print_json

if TYPE_CHECKING:
    from loopwright.agents.ide.project import Project


def index(root: Path = ROOT, as_json: bool = JSON) -> None:
    """Bring the index up to date with the files."""

    async def work(project: "Project") -> int:
        done = await asyncio.to_thread(project.index.refresh)
        if as_json:
            print_json({"type": "complete", "files": done.files, "read": done.read, "removed": done.removed})
        else:
            typer.echo(f"{done.files:,} files; {done.read:,} read anew, {done.removed:,} gone")
        return 0

    project_work(work, root, as_json=as_json)


def show_map(
    focus: str = typer.Argument("", metavar="[WORDS]", help="What to show first."),
    root: Path = ROOT,
    tokens: int = typer.Option(1_500, "--tokens", min=50, max=100_000, help="How long the map may be."),
    as_json: bool = JSON,
) -> None:
    """Draw the map of the project that the model gets: files with their most used definitions."""

    async def work(project: "Project") -> int:
        await project.refresh()
        text = await asyncio.to_thread(project.index.map, tokens, focus)
        print_json({"type": "complete", "map": text}) if as_json else typer.echo(text)
        return 0

    project_work(work, root, as_json=as_json)
