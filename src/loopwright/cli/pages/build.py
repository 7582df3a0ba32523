"""`loopwright pages`: a brief becomes a linked mobile app prototype."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from loopwright.cli.message_group import SAY, MessageGroup
from loopwright.cli.running import has_terminal, run_in_house

if TYPE_CHECKING:
    from loopwright.app.loopwright import Loopwright

HELP = """Build or refine a multi-page mobile app prototype from a brief.

\b
Examples:
  loopwright pages "A coffee shop app for a neighbourhood roastery" --yes
  loopwright pages "Netflix clone, 5 pages, dark theme, red accent"
  loopwright pages "A shop like this one" --image screenshot.png
  loopwright pages --session 3f2a9c "make the header green"

Questions are asked on the terminal. Without one, answer with --answers or --yes; else the run waits (exit 3) and
the command that answers is printed.
"""


app = typer.Typer(help=HELP, cls=MessageGroup, rich_markup_mode=None, add_completion=False)


@app.command(SAY, help=HELP, hidden=True, no_args_is_help=True)
def say(
    message: str = typer.Argument(..., metavar="BRIEF", help="What you want, in your words."),
    out: Path | None = typer.Option(None, "--out", help="Folder for the session's own folder. [loopwright-out]"),
    session: str | None = typer.Option(None, "--session", help="Refine this session instead of beginning a new one."),
    answers: Path | None = typer.Option(None, "--answers", help="JSON object: question text or index → answer."),
    yes: bool = typer.Option(False, "--yes", "-y", help="Take the agent's own defaults for all questions."),
    image: list[Path] = typer.Option([], "--image", help="Reference picture; may be given up to three times."),
    as_json: bool = typer.Option(False, "--json", help="Print the run's events as JSON lines."),
) -> None:
    """Start a run of the pages agent and follow it."""

    async def work(house: "Loopwright") -> int:
        from loopwright.app.starting import NewRun, create_run
        from loopwright.cli.answers import AnswerSource, read_answers
        from loopwright.cli.follow import follow
        from loopwright.cli.views import make_view

        source = AnswerSource(read_answers(answers), accept_defaults=yes, interactive=has_terminal() and not as_json)
        new = NewRun(message=message, session_id=session, output_dir=out, images=image)
        record = await create_run(house, new)
        return await follow(house, record.run_id, make_view(as_json), source)

    run_in_house(work, as_json=as_json)
