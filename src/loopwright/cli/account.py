"""`loopwright account`: how a message is read."""

import sys

import click

from loopwright.cli.running import JSON, Group, guarded, print_json


@click.group(cls=Group)
def app() -> None:
    """See how a message is read."""


@app.command()
@click.argument("message", help="The message, in any language.")
@JSON
def read(message: str, as_json: bool) -> None:
    """Print the statements that the rules find in a message, each with its hard tokens. No model is asked."""

    def work() -> int:
        from loopwright.kernel.account.reading import read_statements

        for statement in read_statements(message):
            if as_json:
                print_json(statement.model_dump(mode="json", include={"id", "parts", "text", "kind", "hard"}))
            else:
                hard = "  [" + "] [".join(statement.hard) + "]" if statement.hard else ""
                click.echo(f"{statement.kind:<9} {statement.text}{hard}")
        return 0

    sys.exit(guarded(work, as_json=as_json))
