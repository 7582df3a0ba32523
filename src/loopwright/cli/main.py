"""The `loopwright` command. What a command needs is imported when it is called, never for `--help`.

The commands of every installation are Click's. Those that agents bring may be Typer's, which has a Click of its own
inside: they are called with the words that remain, as programs of their own, so that the two never mix.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any

import click

from loopwright import __version__
from loopwright.kernel.package import AgentPackage, Command

COMMANDS = {
    "run": Command("loopwright.cli.agents:run", "Run an agent: an installed one, or one in a Python file."),
    "new": Command("loopwright.cli.agents:new", "Make a package of an agent of your own, with a test."),
    "runs": Command("loopwright.cli.runs:app", "List, show, answer, resume, cancel and replay runs."),
    "agents": Command("loopwright.cli.agents:app", "List and show agents."),
    "account": Command("loopwright.cli.runs:account", "See how a message is read."),
    "models": Command(
        "loopwright.cli.models:models", "Show which model answers, and which servers of models there are."
    ),
    "mcp": Command("loopwright.cli.serve:app", "Serve the agents to MCP clients; list the tools of MCP servers."),
    "eval": Command("loopwright.cli.evals:app", "Run cases with checks over any agent, several models side by side."),
    "serve": Command("loopwright.cli.serve:serve", "Serve the HTTP API (docs at /docs)."),
    "offline-model": Command(
        "loopwright.cli.serve:offline_model", "Serve the offline model as an OpenAI-compatible endpoint."
    ),
}
"""The commands that every installation has."""


class Commands(click.Group):
    """The commands of every installation and those that agents bring; one is imported when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The agents' commands first."""
        return [*_of_agents(), *COMMANDS]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command; None where there is none of the name."""
        brought = _of_agents().get(cmd_name)
        if brought is not None:
            return BroughtCommand(cmd_name, *brought)
        if cmd_name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[cmd_name].target.partition(":")
        command: click.Command = getattr(import_module(module), attribute)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands by their lines in the declarations, so that none is imported."""
        told = {name: command.help for name, (_, command) in _of_agents().items()}
        told |= {name: command.help for name, command in COMMANDS.items()}
        with formatter.section("Commands"):
            formatter.write_dl(list(told.items()))


class BroughtCommand(click.Command):
    """A command of an agent's package: it is imported when it is called, and gets all remaining words, `--help` too."""

    def __init__(self, name: str, declared: AgentPackage, command: Command) -> None:
        """Know where the command is."""
        words = click.Argument(["words"], nargs=-1, type=click.UNPROCESSED)
        settings = {"ignore_unknown_options": True, "allow_interspersed_args": False}
        super().__init__(name, params=[words], add_help_option=False, context_settings=settings)
        self._declared, self._command = declared, command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take the words as they are, a first `--` too."""
        ctx.params["words"] = tuple(args)
        return []

    def program(self) -> Callable[..., Any]:
        """The command itself, which is imported now."""
        return _program(self._declared.load(self._command.target))

    def invoke(self, ctx: click.Context) -> None:
        """Call it as a program of its own, which ends with its exit code."""
        from loopwright.cli.running import guarded

        found: list[Callable[..., Any]] = []

        def load() -> int:
            found.append(_program(self._declared.load(self._command.target)))
            return 0

        if code := guarded(load):
            ctx.exit(code)
        found[0](args=list(ctx.params["words"]), prog_name=ctx.command_path)


def _program(target: Any) -> Callable[..., Any]:
    """A Click command, a Typer application, or a function with Typer's options, as something to be called."""
    if isinstance(target, click.Command):
        return target
    import typer

    if isinstance(target, typer.Typer):
        return typer.main.get_group(target)
    single = typer.Typer(rich_markup_mode=None, add_completion=False, pretty_exceptions_enable=False)
    single.command(help=target.__doc__)(target)
    return typer.main.get_command(single)


def _of_agents() -> dict[str, tuple[AgentPackage, Command]]:
    from loopwright.app.agents import packages

    return {name: (each, command) for each in packages() for name, command in each.commands.items()}


@click.group(cls=Commands)
@click.version_option(__version__, message="loopwright %(version)s", help="Print the version.")
def app() -> None:
    """LLM agents that you can leave alone. Without an API key the built-in offline model answers."""


def main() -> None:
    """Entry point of the console script."""
    app()
