"""`loopwright ide checkpoints`: what runs changed, and taking it back."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from loopwright.cli.running import guarded, load_settings, print_json, program

if TYPE_CHECKING:
    from loopwright.agents.ide.project import Project
    from loopwright.kits.history.change_log import Reverted


# --------------------------------------------------------------------------------------------------------------------
# What the commands about a project have in common.
# --------------------------------------------------------------------------------------------------------------------

ROOT = typer.Option(Path(), "--root", help="The project's folder. [this one]")
JSON = typer.Option(False, "--json", help="Print JSON lines.")


def project_work(work: "Callable[[Project], Awaitable[int]]", root: Path, *, as_json: bool) -> None:
    """Do something with the project at `root`, and exit with the code that it gives."""

    async def opened() -> int:
        from loopwright.agents.ide.usecases import project_at

        return await work(project_at(load_settings().home, root))

    raise typer.Exit(guarded(lambda: asyncio.run(opened()), as_json=as_json))


# --------------------------------------------------------------------------------------------------------------------
# `loopwright ide index` and `map`: what the index knows of a project.
# --------------------------------------------------------------------------------------------------------------------


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


app = typer.Typer(
    help="List what runs changed, show it, and take it back.",
    no_args_is_help=True,
    rich_markup_mode=None,
    add_completion=False,
)
FORCE = typer.Option(False, "--force", help="Also where files were changed since; that can be undone in turn.")
CHECKPOINT = typer.Argument(..., metavar="ID", help="The checkpoint's id, which is its run's; its beginning is enough.")


@app.command("list")
def list_checkpoints(root: Path = ROOT, as_json: bool = JSON) -> None:
    """List checkpoints, newest first."""

    async def work(project: "Project") -> int:
        found = await project.checkpoints.list()
        for each in found:
            if as_json:
                line = {"checkpoint": each.id, "kind": each.kind, "at": each.at, "paths": each.paths}
                print_json(line | {"undone": each.undone})
                continue
            moment = each.at.astimezone().strftime("%Y-%m-%d %H:%M:%S")
            mark = "undone" if each.undone else ""
            typer.echo(f"{each.id}  {each.kind:<8}{moment}  {mark:<7} {', '.join(each.paths)[:100]}")
        if not found and not as_json:
            typer.echo("Nothing was changed here yet.")
        return 0

    project_work(work, root, as_json=as_json)


@app.command()
def diff(checkpoint: str = CHECKPOINT, root: Path = ROOT, as_json: bool = JSON) -> None:
    """Show what a run changed, in git's format."""

    async def work(project: "Project") -> int:
        text = await project.checkpoints.diff(checkpoint)
        print_json({"type": "complete", "checkpoint": checkpoint, "diff": text}) if as_json else typer.echo(text)
        return 0

    project_work(work, root, as_json=as_json)


@app.command()
def undo(
    checkpoint: str | None = typer.Argument(None, metavar="ID", help="The run whose changes to undo. [the last]"),
    root: Path = ROOT,
    force: bool = FORCE,
    as_json: bool = JSON,
) -> None:
    """Undo all that one run changed, and nothing else."""

    async def work(project: "Project") -> int:
        return _report(await project.checkpoints.undo(checkpoint, force=force), as_json)

    project_work(work, root, as_json=as_json)


@app.command()
def restore(checkpoint: str = CHECKPOINT, root: Path = ROOT, force: bool = FORCE, as_json: bool = JSON) -> None:
    """Go back to before this checkpoint: it and all later ones are undone."""

    async def work(project: "Project") -> int:
        return _report(await project.checkpoints.restore(checkpoint, force=force), as_json)

    project_work(work, root, as_json=as_json)


def _report(reverted: "Reverted", as_json: bool) -> int:
    if as_json:
        line = {"type": "complete", "checkpoint": reverted.checkpoint, "changed_files": reverted.paths}
        print_json(line | {"lost": reverted.lost})
        return 0
    typer.echo(f"Restored   {', '.join(reverted.paths) or 'nothing: everything is as it was'}")
    if reverted.lost:
        typer.echo(f"Lost       {', '.join(reverted.lost)} (too large to keep)")
    if reverted.checkpoint:
        typer.echo(f"Undo this  {program()} ide checkpoints undo {reverted.checkpoint}")
    return 0
