"""`loopwright models check`: whether agents can run on an endpoint."""

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from loopwright.cli.printable import printable
from loopwright.cli.running import FAILED, JSON, guarded, load_settings, print_json, run_to_end
from loopwright.cli.status import Status

if TYPE_CHECKING:
    from loopwright.app.model_listing import Verdict
    from loopwright.models.discovery.proving import Finding

HELP = """Prove an endpoint with a few tiny calls: what works, what does not, and what to set.

The calls: a plain answer, a tool call, an answer by a JSON schema, a dialogue with a tool's result, an answer that is
cut by its length; and whether a call can be demanded, and images are seen. Every run uses what was found.
The exit code is 0 only if agents can run. Stop it with Ctrl-C.

\b
Examples:
  loopwright models check
  loopwright models check http://127.0.0.1:11434/v1 --model qwen2.5-coder:7b
"""


@click.command(help=HELP)
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
