"""`loopwright models`: what is configured and found, proved, chosen, and run on this machine."""

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from loopwright.cli.running import (
    FAILED,
    JSON,
    SHOW_DEFAULTS,
    Group,
    Status,
    guarded,
    load_settings,
    print_json,
    printable,
    run_to_end,
)

if TYPE_CHECKING:
    from loopwright.app.model_listing import EndpointRows, ModelRow, Verdict
    from loopwright.models.discovery.proving import Finding
    from loopwright.models.local import LocalModel


CHECK_HELP = """Prove an endpoint with a few tiny calls: what works, what does not, and what to set.

The calls: a plain answer, a tool call, an answer by a JSON schema, a dialogue with a tool's result, an answer that is
cut by its length; and whether a call can be demanded, and images are seen. Every run uses what was found.
The exit code is 0 only if agents can run. Stop it with Ctrl-C.

\b
Examples:
  loopwright models check
  loopwright models check http://127.0.0.1:11434/v1 --model qwen2.5-coder:7b
"""


@click.command(help=CHECK_HELP)
@click.argument("url", required=False, metavar="[URL]", help="Another endpoint than the one that is set.")
@click.option("--model", help="Another model than the standard tier's.")
@JSON
def check(url: str | None, model: str | None, as_json: bool) -> None:
    """Make the calls and tell."""

    async def work() -> int:
        from loopwright.app.model_listing import check_endpoint
        from loopwright.kernel.files import make_private_folder

        settings = load_settings()
        make_private_folder(settings.home.resolve())
        with Status("Asking…") as status:
            verdict = await check_endpoint(
                settings,
                url,
                model,
                lambda name: status.update(f"{name}…"),
                lambda finding: show_finding(finding, as_json=as_json),
            )
        show_verdict(verdict, as_json=as_json)
        return 0 if verdict.usable else FAILED

    sys.exit(guarded(lambda: run_to_end(work()), as_json=as_json))


def show_finding(finding: "Finding", *, as_json: bool) -> None:
    """One line for what was tried."""
    if as_json:
        print_json({"type": "finding", **asdict(finding)})
        return
    mark = "✓" if finding.works else "✗"
    took = f"  ({finding.seconds:.1f} s)" if finding.seconds else ""
    click.echo(f"  {mark} {finding.name:<30} {printable(finding.told)}{took}")


def show_verdict(verdict: "Verdict", *, as_json: bool) -> None:
    """The end: whether agents can run, and what to do."""
    if as_json:
        proof = verdict.proof.model_dump(mode="json")
        told = {"address": verdict.address, "model": verdict.model, "usable": verdict.usable}
        print_json({"type": "verdict", **told, "settings": list(verdict.settings), "proof": proof})
        return
    broken = [finding for finding in verdict.findings if finding.needed and not finding.works]
    what = f"{printable(verdict.model)} at {verdict.address}"
    if broken:
        click.echo(f"Agents cannot run on {what}: {', '.join(finding.name for finding in broken)}.")
    else:
        click.echo(f"Agents can run on {what}, with {verdict.proof.tools} tool calls.")
    for advice in dict.fromkeys(finding.advice for finding in broken if finding.advice):
        click.echo(f"  {printable(advice)}")
    for line in verdict.settings:
        click.echo(f"  Set {line}")


# `loopwright models use`: which model answers from now on.

USE_HELP = """Choose the model that answers every agent, until you choose another.

NAME is a server that `loopwright models` has found (ollama, lm-studio, llama.cpp, vllm), the address of any endpoint,
or `local` for what `loopwright models local` has set up.
OPENAI_BASE_URL and OPENAI_API_KEY win over the choice. No key is kept: an endpoint that wants one is set by those two.

\b
Examples:
  loopwright models use ollama --model qwen2.5-coder:7b
  loopwright models use http://127.0.0.1:8080/v1
  loopwright models use --none
"""


@click.command(help=USE_HELP)
@click.argument("name", required=False, help="A server that was found, or an address.")
@click.option("--model", help="The model, where the server has several.")
@click.option("--none", is_flag=True, help="Take the choice back: the offline model answers again.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON line.")
def use(name: str | None, model: str | None, none: bool, as_json: bool) -> None:
    """Keep the choice."""
    if none == (name is not None):
        raise click.BadParameter("Give a NAME, or --none.")

    async def work() -> int:
        from loopwright.app.model_listing import choose
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


# `loopwright models local`: a model of the user's own, run in the background.

LOCAL_HELP = """Run a model on this machine, in the background, with no account and no network.

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


@click.command(help=LOCAL_HELP, context_settings=SHOW_DEFAULTS)
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
        from loopwright.app.models import local_model, set_up
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


# `loopwright models`: what is configured, and what is found on this machine.

MODELS_HELP = """Show which model answers, and which servers of models run on this machine.

A server on its usual port (Ollama 11434, LM Studio 1234, llama.cpp 8080, vLLM 8000) is shown, and never used before you
say so.

\b
Examples:
  loopwright models
  loopwright models check http://127.0.0.1:8080/v1
  loopwright models use ollama --model qwen2.5-coder:7b
  loopwright models use --none
"""


@click.group(cls=Group, help=MODELS_HELP, invoke_without_command=True)
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


# The group of commands; without one of them it lists.

for command in (check, use, local):
    models.add_command(command)
