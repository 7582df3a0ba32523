"""`loopwright ide`: a coding agent over a repository, whose mode and reasoning belong to the user."""

from loopwright.cli import replay
from loopwright.cli.ide import checkpoints, memory, permissions
from loopwright.cli.ide.index import index, show_map
from loopwright.cli.ide.message import app

app.command()(index)
app.command("map")(show_map)
app.command("replay", help=replay.HELP)(replay.replay)
app.add_typer(memory.app, name="memory")
app.add_typer(checkpoints.app, name="checkpoints")
app.add_typer(permissions.app, name="permissions")

__all__ = ["app"]
