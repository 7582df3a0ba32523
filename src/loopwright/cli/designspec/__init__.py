"""`loopwright designspec`: geometry by conversation, and the same pipeline without one."""

from loopwright.cli.designspec.conversation import app
from loopwright.cli.designspec.documents import diff, schema, validate
from loopwright.cli.designspec.pipeline import run
from loopwright.cli.designspec.project import history, undo

for command in (schema, validate, run, diff, undo, history):
    app.command()(command)

__all__ = ["app"]
