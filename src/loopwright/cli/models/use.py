"""`loopwright models use`: which model answers from now on."""

import sys

import click

from loopwright.cli.running import guarded, load_settings, print_json, run_to_end
from loopwright.cli.status import Status

HELP = """Choose the model that answers every agent, until you choose another.

NAME is a server that `loopwright models` has found (ollama, lm-studio, llama.cpp, vllm), the address of any endpoint,
or `local` for what `loopwright models local` has set up.
OPENAI_BASE_URL and OPENAI_API_KEY win over the choice. No key is kept: an endpoint that wants one is set by those two.

\b
Examples:
  loopwright models use ollama --model qwen2.5-coder:7b
  loopwright models use http://127.0.0.1:8080/v1
  loopwright models use --none
"""


@click.command(help=HELP)
@click.argument("name", required=False, help="A server that was found, or an address.")
@click.option("--model", help="The model, where the server has several.")
@click.option("--none", is_flag=True, help="Take the choice back: the offline model answers again.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON line.")
def use(name: str | None, model: str | None, none: bool, as_json: bool) -> None:
    """Keep the choice."""
    if none == (name is not None):
        raise click.BadParameter("Give a NAME, or --none.")

    async def work() -> int:
        from loopwright.app.endpoint_choice import choose
        from loopwright.kernel.files import make_private_folder

        settings = load_settings()
        make_private_folder(settings.home.resolve())
        with Status("Asking the endpoint…"):
            told = await choose(settings, name, model)
        if as_json:
            print_json({"type": "choice", "endpoint": told.endpoint, "model": told.model, "overruled": told.overruled})
            return 0
        click.echo(told.text)
        if told.overruled:
            click.echo("It has no effect now: OPENAI_BASE_URL or OPENAI_API_KEY is set, and wins.", err=True)
        return 0

    sys.exit(guarded(lambda: run_to_end(work()), as_json=as_json))
