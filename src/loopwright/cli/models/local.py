"""`loopwright models local`: a model of the user's own, run in the background."""

import sys
from typing import TYPE_CHECKING

import click

from loopwright.cli.printable import printable
from loopwright.cli.running import SHOW_DEFAULTS, guarded, load_settings, print_json, run_to_end
from loopwright.cli.status import Status

if TYPE_CHECKING:
    from loopwright.models.local.running import LocalModel

HELP = """Run a model on this machine, in the background, with no account and no network.

It takes any GGUF file, or a name that is known (qwen2.5-coder-1.5b, 1.1 GB), which is downloaded from its publisher,
taken up again where it was broken off, and checked. It needs the extra `local`. One process runs for all, on a loopback
port that needs a key; it is started when somebody asks it, and ends when nobody has for a while.

\b
Examples:
  loopwright models local qwen2.5-coder-1.5b
  loopwright models local ~/models/qwen2.5-coder-7b-instruct-q4_k_m.gguf --context 16384
  loopwright models use local
  loopwright models local --stop
"""


@click.command(help=HELP, context_settings=SHOW_DEFAULTS)
@click.argument("wanted", required=False, metavar="[FILE.gguf|NAME]", help="What is run. [show how it stands]")
@click.option("--context", type=click.IntRange(1_024, 1_048_576), default=8_192, help="Tokens of the window.")
@click.option(
    "--idle", type=click.FloatRange(0.1), default=10.0, help="Minutes without a question after which it ends."
)
@click.option("--stop", is_flag=True, help="End the process.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON line.")
def local(wanted: str | None, context: int, idle: float, stop: bool, as_json: bool) -> None:
    """Set up, stop, or show."""
    if stop and wanted:
        raise click.BadParameter("--stop takes no name.")

    async def work() -> int:
        from loopwright.app.local_model import local_model, set_up
        from loopwright.kernel.files import make_private_folder

        settings = load_settings()
        make_private_folder(settings.home.resolve())
        model = local_model(settings.home)
        if stop:
            await _stop(model, as_json=as_json)
            return 0
        if wanted is not None:
            with Status("Starting…") as status:
                await set_up(settings.home, wanted, context_tokens=context, idle_seconds=60 * idle, told=status.update)
        _show(model, as_json=as_json)
        return 0

    sys.exit(guarded(lambda: run_to_end(work()), as_json=as_json))


async def _stop(model: "LocalModel", *, as_json: bool) -> None:
    state = model.running
    if state is not None:
        model.stop()
        await model.stopped(state)
    if as_json:
        print_json({"type": "local", "stopped": state is not None})
    else:
        click.echo("The local model has ended." if state is not None else "No local model was running.")


def _show(model: "LocalModel", *, as_json: bool) -> None:
    config, state = model.config, model.running
    if as_json:
        told = config.model_dump(mode="json") if config else {}
        print_json({"type": "local", "running": state is not None, "pid": state.pid if state else None, **told})
        return
    if config is None:
        click.echo("No local model is set up. Set one up: loopwright models local FILE.gguf, or qwen2.5-coder-1.5b")
        return
    stands = f"runs (process {state.pid})" if state else "rests, and is started when somebody asks it"
    click.echo(f"{printable(config.name)} ({printable(str(config.file))}) {stands}.")
    click.echo("To let it answer every agent: loopwright models use local")
