"""The `loopwright` command. Heavy modules are imported by the command that needs them, never for `--help`."""

import typer

from loopwright import __version__
from loopwright.cli import agents, designspec, ide, importing, jobs, offline_model, pages, plan, runs, serve

app = typer.Typer(
    name="loopwright",
    help="LLM agents that you can leave alone. Without an API key the built-in offline model answers.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
app.add_typer(pages.app, name="pages")
app.add_typer(designspec.app, name="designspec")
app.add_typer(ide.app, name="ide")
app.add_typer(plan.app, name="plan")
app.add_typer(jobs.app, name="jobs")
app.add_typer(runs.app, name="runs")
app.add_typer(agents.app, name="agents")
app.command("import", help=importing.HELP)(importing.import_state)
app.command("serve", help=serve.HELP)(serve.serve)
app.command("offline-model", help=offline_model.HELP)(offline_model.offline_model)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"loopwright {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Print the version."),
) -> None:
    """Take the options that stand before a command."""


def main() -> None:
    """Entry point of the console script."""
    app()
