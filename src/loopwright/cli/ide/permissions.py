"""`loopwright ide permissions`: what was allowed for good."""

from pathlib import Path

import typer

from loopwright.cli.ide.options import JSON, ROOT
from loopwright.cli.running import guarded, load_settings, print_json

app = typer.Typer(
    help="List and revoke what you have allowed for good.",
    no_args_is_help=True,
    rich_markup_mode=None,
    add_completion=False,
)


@app.command("list")
def list_permissions(as_json: bool = JSON) -> None:
    """List what is allowed without asking, by project."""

    def work() -> int:
        from loopwright.app.ide import AGENT
        from loopwright.app.permissions import LastingPermissions

        found = LastingPermissions(load_settings().home).all_of(AGENT)
        for root, allowed in sorted(found.items()):
            print_json({"root": root, "allowed": allowed}) if as_json else typer.echo(
                f"{', '.join(allowed):<12} {root}"
            )
        if not found and not as_json:
            typer.echo("Nothing is allowed for good: every change and every command is asked about.")
        return 0

    raise typer.Exit(guarded(work, as_json=as_json))


@app.command()
def revoke(
    permission: str | None = typer.Argument(None, metavar="[write|run]", help="What to take back. [everything]"),
    root: Path = ROOT,
    as_json: bool = JSON,
) -> None:
    """Be asked again; a run that is under way keeps what it was given."""

    def work() -> int:
        from loopwright.app.ide import AGENT
        from loopwright.app.permissions import LastingPermissions

        taken = LastingPermissions(load_settings().home).revoke(AGENT, root, permission)
        if as_json:
            print_json({"type": "complete", "root": str(root.resolve()), "revoked": taken})
        else:
            typer.echo(f"Revoked    {', '.join(taken)}")
        return 0

    raise typer.Exit(guarded(work, as_json=as_json))
