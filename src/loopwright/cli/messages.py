"""A command whose words are a message unless the first names a sub-command.

For agents whose commands are Typer's: the commands of every installation do without it and must not import this.
"""

from typing import Any

from typer.core import TyperGroup

SAY = "say"
"""The hidden sub-command that takes a message."""


class MessageGroup(TyperGroup):
    """A first word that is a sub-command is one; everything else is a message, and nothing is one too."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put the hidden `say` before a message and its options; `--` before a message forces one."""
        if not args or (args[0] not in self.commands and args[0] != "--help"):
            args = [SAY, *args]
        return super().parse_args(ctx, args)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """The options are those of a message."""
        self.commands[SAY].format_options(ctx, formatter)
        self.format_commands(ctx, formatter)
