"""`loopwright designspec`: geometry by conversation, and the same pipeline without one."""

from loopwright.agents.designspec.commands.conversation import app, history, run, undo
from loopwright.agents.designspec.commands.documents import diff, schema, validate

for command in (schema, validate, run, diff, undo, history):
    app.command()(command)

__all__ = ["app"]
