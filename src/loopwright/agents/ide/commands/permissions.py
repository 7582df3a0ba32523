"""`loopwright ide permissions`: what is allowed for good."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from loopwright.agents.ide.commands.checkpoints import JSON, ROOT
from loopwright.cli.running import guarded, load_settings, print_json, run_in_application

if TYPE_CHECKING:
    from loopwright.app.loopwright import Loopwright
    from loopwright.app.permissions import LastingPermissions


# --------------------------------------------------------------------------------------------------------------------
# `loopwright import`: what an older version has left in a project.
# --------------------------------------------------------------------------------------------------------------------


def import_state(
    folder: Path = typer.Argument(..., metavar="DIR", help="The project, or its .loopwright."),
    memories: bool = typer.Option(False, "--memories", help="Also what the ide agent remembered of the project."),
    as_json: bool = typer.Option(False, "--json", help="Print JSON lines."),
) -> None:
    """Take over what an older version has left in a folder's .loopwright.

    Sessions and the runs that have ended are copied into your home; with --memories also what was remembered of the
    project. Read such a folder only if it is yours: a repository may have brought it. Permissions and unfinished runs
    do not come along.
    """

    async def work(application: "Loopwright") -> int:
        from dataclasses import asdict

        from loopwright.agents.ide.usecases import take_over

        done = await take_over(application, folder, memories=memories)
        if as_json:
            print_json({"type": "complete", **asdict(done.runs), "memories": done.memories})
            return 0
        typer.echo(f"Imported   {done.runs.sessions} sessions, {done.runs.runs} runs, {done.memories} memories")
        if done.runs.unfinished:
            typer.echo(f"Left       {done.runs.unfinished} runs that were not finished")
        for session_id in done.runs.refused:
            typer.echo(f"Left       session {session_id}: something of it is here already")
        return 0

    run_in_application(work, as_json=as_json)


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
        from loopwright.agents.ide.usecases import AGENT

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
        from loopwright.agents.ide.usecases import AGENT, existing_root

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
        from loopwright.agents.ide.usecases import AGENT

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
