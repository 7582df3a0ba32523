"""`loopwright ide checkpoints`: what runs changed, and taking it back."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from loopwright.cli.ide.options import JSON, ROOT, project_work
from loopwright.cli.program import program
from loopwright.cli.running import print_json

if TYPE_CHECKING:
    from loopwright.agents.ide.editing.edits import Reverted
    from loopwright.agents.ide.project import Project

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
