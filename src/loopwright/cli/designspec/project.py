"""Commands on a project's history: undo, history."""

from pathlib import Path

import typer

from loopwright.cli.running import guarded, print_json

PROJECT = typer.Option(..., "--project-dir", "-p", help="The project's folder.")
JSON = typer.Option(False, "--json", help="Print JSON lines.")


def undo(project_dir: Path = PROJECT, as_json: bool = JSON) -> None:
    """Take back the newest change of the spec; again goes one change further back."""

    def work() -> int:
        from loopwright.agents.designspec.patches.describe import describe_patch
        from loopwright.agents.designspec.project.folder import ProjectFolder

        record = ProjectFolder.open(project_dir).undo()
        if as_json:
            print_json({"type": "complete", "undone": record.undoes, **record.model_dump(mode="json")})
        else:
            typer.echo(f"Undone: {record.note}.")
            for line in describe_patch(record.patches):
                typer.echo(f"  {line}")
        return 0

    raise typer.Exit(guarded(work, as_json=as_json))


def history(
    project_dir: Path = PROJECT,
    limit: int = typer.Option(50, "--limit", min=1, max=1_000, help="At most so many."),
    as_json: bool = JSON,
) -> None:
    """List the changes of the spec, newest first."""

    def work() -> int:
        from loopwright.agents.designspec.patches.describe import describe_patch
        from loopwright.agents.designspec.project.folder import ProjectFolder

        for record in ProjectFolder.open(project_dir).history()[:limit]:
            if as_json:
                print_json(record.model_dump(mode="json"))
                continue
            typer.echo(f"{record.timestamp}  {record.author:<8} {record.old_hash} → {record.new_hash}  {record.note}")
            for line in describe_patch(record.patches)[:8]:
                typer.echo(f"    {line}")
        return 0

    raise typer.Exit(guarded(work, as_json=as_json))
