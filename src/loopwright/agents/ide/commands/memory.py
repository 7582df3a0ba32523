"""`loopwright ide memory`: what is remembered of a project."""

import asyncio
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from loopwright.agents.ide.commands.checkpoints import JSON, ROOT, project_work
from loopwright.cli.running import print_json

if TYPE_CHECKING:
    from loopwright.agents.ide.project import Project

app = typer.Typer(
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


@app.command("list")
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


@app.command()
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


@app.command()
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
