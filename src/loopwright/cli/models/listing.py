"""`loopwright models`: what is configured, and what is found on this machine."""

import sys
from typing import TYPE_CHECKING

import click

from loopwright.cli.printable import printable
from loopwright.cli.running import Group, guarded, load_settings, print_json, run_to_end
from loopwright.cli.status import Status

if TYPE_CHECKING:
    from loopwright.app.model_listing import EndpointRows, ModelRow

HELP = """Show which model answers, and which servers of models run on this machine.

A server on its usual port (Ollama 11434, LM Studio 1234, llama.cpp 8080, vLLM 8000) is shown, and never used before you
say so.

\b
Examples:
  loopwright models
  loopwright models check http://127.0.0.1:8080/v1
  loopwright models use ollama --model qwen2.5-coder:7b
  loopwright models use --none
"""


@click.group(cls=Group, help=HELP, invoke_without_command=True)
@click.option("--all", "every", is_flag=True, help="Every model of the endpoint, however many.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON lines, one for each endpoint.")
@click.pass_context
def models(context: click.Context, every: bool, as_json: bool) -> None:
    """List."""
    if context.invoked_subcommand is not None:
        return

    async def work() -> int:
        from loopwright.app.model_listing import configured, found
        from loopwright.kernel.files import make_private_folder

        settings = load_settings()
        make_private_folder(settings.home.resolve())
        with Status("Asking the endpoints…"):
            own = await configured(settings, every=every)
            others = await found(settings)
        show(own, others, as_json=as_json)
        return 0

    sys.exit(guarded(lambda: run_to_end(work()), as_json=as_json))


def show(own: "EndpointRows | None", others: "list[EndpointRows]", *, as_json: bool) -> None:
    """Print the endpoints, the configured one first."""
    if as_json:
        if own is None:
            print_json({"type": "endpoint", "address": "offline", "kind": "offline", "source": "default", "rows": []})
        for each in ([own] if own else []) + others:
            print_json(each.as_json())
        return
    if own is None:
        click.echo("The built-in offline model answers: rules, not a language model.")
    else:
        source = "set in the environment" if own.source == "environment" else "chosen with `loopwright models use`"
        click.echo(f"In use: {own.address} ({own.kind}, {source})")
        print_rows(own)
    for each in others:
        click.echo(f"\nFound: {each.address} ({each.kind}); to use it: loopwright models use {each.kind}")
        print_rows(each)
    if own is None and not others:
        click.echo("No server of models was found on this machine's usual ports (11434, 1234, 8080, 8000).")


COLUMNS = ("model", "for", "window", "tools", "vision", "speed", "profile", "price")


def print_rows(endpoint: "EndpointRows") -> None:
    """A table of plain lines: names are for copying, so nothing is cut."""
    if endpoint.problem:
        click.echo(f"  Not asked now: {printable(endpoint.problem)}")
    if endpoint.advice:
        click.echo(f"  {printable(endpoint.advice)}")
    cells = [COLUMNS, *(_cells(row) for row in endpoint.rows)]
    widths = [max(len(line[column]) for line in cells) for column in range(len(COLUMNS))]
    for line in cells:
        click.echo("  " + "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())
    if endpoint.others:
        click.echo(f"  … and {endpoint.others} more (--all)")


def _cells(row: "ModelRow") -> tuple[str, ...]:
    window = "unknown" if row.window is None else f"{row.window:,}{' (assumed)' if row.window_assumed else ''}"
    speed = "unknown" if row.prompt_speed is None else f"{row.prompt_speed:g} read, {row.answer_speed:g} written/s"
    return (
        printable(row.model),
        ",".join(row.tiers) or "-",
        window,
        f"{row.tools}{'' if row.proven else ' (not checked)'}",
        {None: "unknown", True: "yes", False: "no"}[row.vision],
        speed,
        row.profile,
        row.price,
    )
