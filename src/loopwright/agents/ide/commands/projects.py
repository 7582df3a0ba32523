"""`loopwright ide index`, `map`, `checkpoints`, `memory`, `permissions`: a project without a model."""

import asyncio
from collections.abc import Awaitable, Callable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from loopwright.cli.running import guarded, load_settings, print_json, program, run_in_application

if TYPE_CHECKING:
    from loopwright.agents.ide.project import Project
    from loopwright.app.answering import LastingPermissions
    from loopwright.app.loopwright import Loopwright
    from loopwright.kits.history.change_log import Reverted


# What the commands about a project have in common.

ROOT = typer.Option(Path(), "--root", help="The project's folder. [this one]")
JSON = typer.Option(False, "--json", help="Print JSON lines.")


def project_work(work: "Callable[[Project], Awaitable[int]]", root: Path, *, as_json: bool) -> None:
    """Do something with the project at `root`, and exit with the code that it gives."""

    async def opened() -> int:
        from loopwright.agents.ide.usecases import project_at

        return await work(project_at(load_settings().home, root))

    raise typer.Exit(guarded(lambda: asyncio.run(opened()), as_json=as_json))


# `loopwright ide index` and `map`: what the index knows of a project.


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


checkpoints_app = typer.Typer(
    help="List what runs changed, show it, and take it back.",
    no_args_is_help=True,
    rich_markup_mode=None,
    add_completion=False,
)
FORCE = typer.Option(False, "--force", help="Also where files were changed since; that can be undone in turn.")
CHECKPOINT = typer.Argument(..., metavar="ID", help="The checkpoint's id, which is its run's; its beginning is enough.")


@checkpoints_app.command("list")
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


@checkpoints_app.command()
def diff(checkpoint: str = CHECKPOINT, root: Path = ROOT, as_json: bool = JSON) -> None:
    """Show what a run changed, in git's format."""

    async def work(project: "Project") -> int:
        text = await project.checkpoints.diff(checkpoint)
        print_json({"type": "complete", "checkpoint": checkpoint, "diff": text}) if as_json else typer.echo(text)
        return 0

    project_work(work, root, as_json=as_json)


@checkpoints_app.command()
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


@checkpoints_app.command()
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


# `loopwright ide memory`: what is remembered of a project.

memory_app = typer.Typer(
    help="List, add and delete what is remembered of a project.",
    no_args_is_help=True,
    rich_markup_mode=None,
    add_completion=False,
)


class TierName(StrEnum):
    """The tiers: run outcomes, decisions, facts."""

    SHORT_TERM = "short_term"
    MID_TERM = "mid_term"
    LONG_TERM = "long_term"


@memory_app.command("list")
def list_memories(
    query: str = typer.Argument("", metavar="[WORDS]", help="Only entries that share a word with these."),
    tier: TierName | None = typer.Option(None, "--tier", help="Only this tier."),
    root: Path = ROOT,
    as_json: bool = JSON,
) -> None:
    """List memories, newest first; with words the closest first."""

    async def work(project: "Project") -> int:
        wanted: Any = tier.value if tier is not None else None
        for each in await asyncio.to_thread(project.memory.list, query, wanted):
            if as_json:
                print_json(each.model_dump(mode="json"))
            else:
                typer.echo(
                    f"{each.memory_id}  {each.tier:<10}  {each.category:<14} {each.protection:>3}  {each.content}"
                )
        return 0

    project_work(work, root, as_json=as_json)


@memory_app.command()
def add(
    content: str = typer.Argument(..., metavar="TEXT", help="A fact or a decision, in a sentence."),
    tier: TierName = typer.Option(TierName.LONG_TERM, "--tier", help="How lasting it is."),
    category: str = typer.Option("general", "--category", help="Such as build, architecture, security."),
    root: Path = ROOT,
    as_json: bool = JSON,
) -> None:
    """Remember something at once."""

    async def work(project: "Project") -> int:
        entry = await asyncio.to_thread(_add, project, content, tier.value, category)
        if as_json:
            print_json({"type": "complete", **entry.model_dump(mode="json")})
        else:
            typer.echo(f"Remembered {entry.memory_id}")
        return 0

    project_work(work, root, as_json=as_json)


@memory_app.command()
def delete(
    memory_id: str = typer.Argument(..., metavar="ID", help="The memory's id."),
    yes: bool = typer.Option(False, "--yes", "-y", help="Also when it is protected."),
    root: Path = ROOT,
    as_json: bool = JSON,
) -> None:
    """Forget something."""

    async def work(project: "Project") -> int:
        entry = await asyncio.to_thread(lambda: project.memory.delete(memory_id, confirmed=yes, approved=yes))
        if as_json:
            print_json({"type": "complete", **entry.model_dump(mode="json")})
        else:
            typer.echo(f"Forgot     {entry.content}")
        return 0

    project_work(work, root, as_json=as_json)


def _add(project: "Project", content: str, tier: Any, category: str) -> Any:
    from pydantic import ValidationError

    from loopwright.kernel.errors import InvalidInput

    try:
        return project.memory.add(content, tier=tier, category=category)
    except ValidationError as error:
        first = error.errors()[0]
        message = f"{'.'.join(map(str, first['loc']))}: {first['msg']}."
        raise InvalidInput(message, hint="Say it in a sentence.") from error


# `loopwright ide permissions`: what is allowed for good.
#
# `loopwright import`: what an older version has left in a project.


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


permissions_app = typer.Typer(
    help="List, allow and revoke what needs no yes in a project.",
    no_args_is_help=True,
    rich_markup_mode=None,
    add_completion=False,
)
RULE = "A command's prefix, such as pytest or 'git commit'; or write, protected."


@permissions_app.command("list")
def list_permissions(as_json: bool = JSON) -> None:
    """List what is allowed without asking, by project."""

    def work(book: "LastingPermissions") -> None:
        from loopwright.agents.ide.permissions import shown_rule
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


@permissions_app.command()
def allow(rule: str = typer.Argument(..., metavar="RULE", help=RULE), root: Path = ROOT, as_json: bool = JSON) -> None:
    """Not be asked any more in a project, from the next message on."""

    def work(book: "LastingPermissions") -> None:
        from loopwright.agents.ide.permissions import rule_named, shown_rule
        from loopwright.agents.ide.usecases import AGENT, existing_root

        given, folder = rule_named(rule), existing_root(root)
        book.allow(AGENT, folder, given)
        if as_json:
            print_json({"type": "complete", "root": str(folder), "allowed": given})
        else:
            typer.echo(f"Allowed    {shown_rule(given)}   in {folder}")

    _with_book(work, as_json=as_json)


@permissions_app.command()
def revoke(
    rule: str | None = typer.Argument(None, metavar="[RULE]", help=f"{RULE} [everything]"),
    root: Path = ROOT,
    as_json: bool = JSON,
) -> None:
    """Be asked again; a run that is under way keeps what it was given."""

    def work(book: "LastingPermissions") -> None:
        from loopwright.agents.ide.permissions import RUN
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
        from loopwright.app.answering import LastingPermissions

        work(LastingPermissions(load_settings().home))
        return 0

    raise typer.Exit(guarded(opened, as_json=as_json))
