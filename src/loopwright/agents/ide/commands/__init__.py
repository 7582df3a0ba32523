"""`loopwright ide`: a coding agent over a repository, whose mode and reasoning belong to the user."""

import typer

from loopwright.agents.ide.commands import checkpoints, memory, permissions
from loopwright.agents.ide.commands.checkpoints import index, show_map
from loopwright.agents.ide.commands.message import app
from loopwright.cli import replay

app.command()(index)
app.command("map")(show_map)
app.add_typer(memory.app, name="memory")
app.add_typer(checkpoints.app, name="checkpoints")
app.add_typer(permissions.app, name="permissions")


@app.command(
    "replay",
    help=replay.HELP,
    add_help_option=False,
    context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
)
def replay_run(context: typer.Context) -> None:
    """Do what `loopwright runs replay` does, with the same words."""
    replay.replay(context.args, prog_name=context.command_path)


__all__ = ["app"]
