"""`loopwright ide`: a coding agent over a repository, whose mode and reasoning belong to the user."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from loopwright.agents.ide.commands.projects import checkpoints_app, index, memory_app, permissions_app, show_map
from loopwright.cli.messages import SAY, MessageGroup
from loopwright.cli.running import has_terminal, run_in_application, tell_of_old_state
from loopwright.cli.runs import REPLAY_HELP, replay

if TYPE_CHECKING:
    from loopwright.app.loopwright import Loopwright


# Messages about a project: one on the command line, or a conversation on the terminal.

HELP = """Work on the code of a repository: find, explain, change, run.

\b
Examples:
  loopwright ide "rename fetch_user to load_user and run the tests" --yes-to write,run
  loopwright ide --mode chat "where is the retry policy defined?"
  loopwright ide --root ../service --reasoning on "why does test_timeout fail? fix it"
  loopwright ide                                   (a conversation on the terminal; /help there)
  loopwright ide checkpoints undo                  (take back what the last run changed)
  loopwright ide --acp                             (serve an editor by the Agent Client Protocol)

Mode and reasoning are yours alone: nothing but these options changes them. Changing files and running commands needs
your permission, asked on the terminal; without one, name what is allowed with --yes-to, or the run waits (exit 3) and
the command that answers is printed.
"""


class Mode(StrEnum):
    """The user's intent."""

    AGENT = "agent"
    CHAT = "chat"


class Switch(StrEnum):
    """On or off."""

    ON = "on"
    OFF = "off"


app = typer.Typer(help=HELP, cls=MessageGroup, rich_markup_mode=None, add_completion=False)


@app.command(SAY, help=HELP, hidden=True)
def say(
    message: str | None = typer.Argument(None, metavar="MESSAGE", help="What you want. [a conversation]"),
    root: Path | None = typer.Option(None, "--root", help="The project's folder. [this one]"),
    mode: Mode = typer.Option(Mode.AGENT, "--mode", help="agent works; chat answers and changes nothing."),
    reasoning: Switch = typer.Option(Switch.OFF, "--reasoning", help="Whether every stage shows its reasoning."),
    qa: bool | None = typer.Option(None, "--qa/--no-qa", help="Whether a reviewer reports. [where nothing was tested]"),
    yes_to: str = typer.Option("", "--yes-to", metavar="LIST", help="What needs no yes: read,write,run,protected."),
    yes: bool = typer.Option(False, "--yes", "-y", help="Say yes to everything that is asked."),
    session: str | None = typer.Option(None, "--session", help="Go on in this conversation."),
    project_prompts: bool = typer.Option(
        False, "--project-prompts", help="Take prompts from the project's .loopwright/prompts; trust it first."
    ),
    acp: bool = typer.Option(False, "--acp", help="Serve an editor over stdin and stdout; the options are defaults."),
    as_json: bool = typer.Option(False, "--json", help="Print the run's events as JSON lines."),
) -> None:
    """Carry out one message, or hold a conversation."""

    async def work(application: "Loopwright") -> int:
        from loopwright.agents.ide.usecases import switches
        from loopwright.cli.answers import AnswerSource
        from loopwright.kernel.errors import InvalidInput

        if root is not None:
            tell_of_old_state(application.settings.home, root)
        options = switches(
            mode="chat" if mode is Mode.CHAT else "agent",
            reasoning=reasoning is Switch.ON,
            qa=qa,
            allowed=[name for name in yes_to.split(",") if name.strip()],
            project_prompts=project_prompts,
        )
        if acp:
            from loopwright.agents.ide.commands.acp_serving import serve

            return await serve(application, options)
        terminal = has_terminal() and not as_json
        answers = AnswerSource(accept_defaults=yes, interactive=terminal)
        if message is not None:
            return await _one(application, message, options, answers, root, session, as_json)
        if not terminal:
            raise InvalidInput(
                "There is no terminal for a conversation.", hint='Say what you want: loopwright ide "…".'
            )
        from loopwright.agents.ide.commands.conversation import Conversation
        from loopwright.agents.ide.usecases import root_of

        return await Conversation(
            application, await root_of(application, root, session), options, answers, session
        ).hold()

    run_in_application(work, as_json=as_json)


async def _one(
    application: "Loopwright",
    message: str,
    options: Any,
    answers: Any,
    root: Path | None,
    session: str | None,
    as_json: bool,
) -> int:
    from loopwright.agents.ide.usecases import message_for
    from loopwright.app.starting import create_run
    from loopwright.cli.views import follow, make_view

    new = await message_for(application, message, options, root=root, session_id=session)
    record = await create_run(application, new)
    return await follow(application, record.run_id, make_view(as_json), answers)


# The other commands: about the project, and replaying a run.

app.command()(index)
app.command("map")(show_map)
app.add_typer(memory_app, name="memory")
app.add_typer(checkpoints_app, name="checkpoints")
app.add_typer(permissions_app, name="permissions")


@app.command(
    "replay",
    help=REPLAY_HELP,
    add_help_option=False,
    context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
)
def replay_run(context: typer.Context) -> None:
    """Do what `loopwright runs replay` does, with the same words."""
    replay(context.args, prog_name=context.command_path)
