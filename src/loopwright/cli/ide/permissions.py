"""`loopwright ide permissions`: what is allowed for good."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from loopwright.cli.ide.options import JSON, ROOT
from loopwright.cli.running import guarded, load_settings, print_json

if TYPE_CHECKING:
    from loopwright.app.permissions import LastingPermissions

app = typer.Typer(
    help="List, allow and revoke what needs no yes in a project.",
    no_args_is_help=True,
    rich_markup_mode=None,
    add_completion=False,
)
RULE = "A command's prefix, such as pytest or 'git commit'; or write, protected."


@app.command("list")
def list_permissions(as_json: bool = JSON) -> None:
    """List what is allowed without asking, by project."""

    def work(book: "LastingPermissions") -> None:
        from loopwright.agents.ide.permissions.rules import shown_rule
        from loopwright.app.ide import AGENT

        found = book.all_of(AGENT)
        for root, allowed in sorted(found.items()):
            if as_json:
                print_json({"root": root, "allowed": allowed})
                continue
            typer.echo(root)
            for rule in allowed:
                typer.echo(f"  {rule.partition(':')[0]:<10} {shown_rule(rule)}")
        if not found and not as_json:
            typer.echo("Nothing is allowed for good: every change and every command is asked about.")

    _with_book(work, as_json=as_json)


@app.command()
def allow(rule: str = typer.Argument(..., metavar="RULE", help=RULE), root: Path = ROOT, as_json: bool = JSON) -> None:
    """Not be asked any more in a project, from the next message on."""

    def work(book: "LastingPermissions") -> None:
        from loopwright.agents.ide.permissions.rules import rule_named, shown_rule
        from loopwright.app.ide import AGENT, existing_root

        given, folder = rule_named(rule), existing_root(root)
        book.allow(AGENT, folder, given)
        if as_json:
            print_json({"type": "complete", "root": str(folder), "allowed": given})
        else:
            typer.echo(f"Allowed    {shown_rule(given)}   in {folder}")

    _with_book(work, as_json=as_json)


@app.command()
def revoke(
    rule: str | None = typer.Argument(None, metavar="[RULE]", help=f"{RULE} [everything]"),
    root: Path = ROOT,
    as_json: bool = JSON,
) -> None:
    """Be asked again; a run that is under way keeps what it was given."""

    def work(book: "LastingPermissions") -> None:
        from loopwright.agents.ide.permissions.rules import RUN
        from loopwright.app.ide import AGENT

        stored = f"{RUN}{rule}" if f"{RUN}{rule}" in book.of(AGENT, root) else rule
        taken = book.revoke(AGENT, root, stored)
        if as_json:
            print_json({"type": "complete", "root": str(root.resolve()), "revoked": taken})
        else:
            typer.echo(f"Revoked    {', '.join(taken)}")

    _with_book(work, as_json=as_json)


def _with_book(work: "Callable[[LastingPermissions], None]", *, as_json: bool) -> None:
    """Do something with the permissions of this home, and exit."""

    def opened() -> int:
        from loopwright.app.permissions import LastingPermissions

        work(LastingPermissions(load_settings().home))
        return 0

    raise typer.Exit(guarded(opened, as_json=as_json))
