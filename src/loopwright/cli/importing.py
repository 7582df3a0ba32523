"""`loopwright import`: what an older version has left in a project."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from loopwright.cli.running import print_json, run_in_house

if TYPE_CHECKING:
    from loopwright.app.loopwright import Loopwright

HELP = """Take over what an older version has left in a folder's .loopwright.

Sessions and finished runs are copied into your home; with --memories also what was remembered of the project. Read such
a folder only if it is yours: a repository may have brought it. Permissions and unfinished runs never come along.
"""


def import_state(
    folder: Path = typer.Argument(..., metavar="DIR", help="The project, or its .loopwright."),
    memories: bool = typer.Option(False, "--memories", help="Also what the ide agent remembered of the project."),
    as_json: bool = typer.Option(False, "--json", help="Print JSON lines."),
) -> None:
    """Take it over."""

    async def work(house: "Loopwright") -> int:
        from dataclasses import asdict

        from loopwright.app.importing import take_over

        done = await take_over(house, folder, memories=memories)
        if as_json:
            print_json({"type": "complete", **asdict(done.runs), "memories": done.memories})
            return 0
        typer.echo(f"Imported   {done.runs.sessions} sessions, {done.runs.runs} runs, {done.memories} memories")
        if done.runs.unfinished:
            typer.echo(f"Left       {done.runs.unfinished} runs that were not finished")
        for session_id in done.runs.refused:
            typer.echo(f"Left       session {session_id}: something of it is here already")
        return 0

    run_in_house(work, as_json=as_json)
