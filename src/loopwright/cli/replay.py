"""`loopwright runs replay`: what a model was asked, rebuilt from the journal, and why each message stands there."""

import json
import sys
from typing import TYPE_CHECKING, Any

import click

from loopwright.cli.running import JSON, RUN, print_json, run_in_application

if TYPE_CHECKING:
    from loopwright.app.loopwright import Loopwright
    from loopwright.app.replaying import RebuiltRequest
    from loopwright.kernel.replay import PastRequest

HELP = """Rebuild the model requests of a run from its journal, byte for byte, and say why each message is there.

\b
Examples:
  loopwright runs replay RUN                 (lists the requests; each is checked against its journalled digest)
  loopwright runs replay RUN --step 3        (the body of the third step's request, as it was sent)
  loopwright runs replay RUN --step 3 --why  (each message and the event that it comes from)
  loopwright runs replay RUN --event 41      (the request that event 41 answers: those of tools have no step)
"""
SHOWN = 100


@click.command(help=HELP)
@RUN
@click.option("--step", type=click.IntRange(1), help="The request of this step.")
@click.option("--event", type=click.IntRange(1), help="The request that this event (its seq) answers.")
@click.option("--why", is_flag=True, help="Show whence each message comes, instead of the body.")
@JSON
def replay(run: str, step: int | None, event: int | None, why: bool, as_json: bool) -> None:
    """List the requests, or show one."""
    if step is not None and event is not None:
        raise click.BadParameter("--step and --event exclude each other")
    if why and step is None and event is None:
        raise click.BadParameter("--why needs --step or --event")

    async def work(application: "Loopwright") -> int:
        from loopwright.app.replaying import find_request, rebuilt, requests_of_run

        if step is None and event is None:
            for request in await requests_of_run(application, run):
                _print_line(request, rebuilt(application, request) if request.sent else None, as_json=as_json)
            return 0
        request = await find_request(application, run, step=step, seq=event)
        if why:
            _print_why(request, as_json=as_json)
            return 0
        return _print_body(rebuilt(application, request), as_json=as_json)

    run_in_application(work, as_json=as_json)


def _print_line(request: "PastRequest", built: "RebuiltRequest | None", *, as_json: bool) -> None:
    known = {"bytes": len(built.body), "identical": built.identical} if built else {"bytes": None, "identical": None}
    line: dict[str, Any] = {
        "event": request.seq,
        "step": request.step,
        "purpose": request.purpose,
        "model": request.model,
        "messages": len(request.messages),
        **known,
    }
    if as_json:
        print_json(line)
        return
    verdict = "not recorded" if built is None else "identical" if built.identical else "DIFFERS from what was sent"
    size = f"{len(built.body):>9,} bytes" if built else " " * 15
    step = f"step {request.step}" if request.step else "in a tool"
    counted = f"{len(request.messages):>4} messages"
    click.echo(f"event {request.seq:<5} {step:<10} {request.purpose[:28]:<28} {counted} {size}  {verdict}")


def _print_body(built: "RebuiltRequest", *, as_json: bool) -> int:
    from loopwright.cli.running import FAILED

    if as_json:
        print_json({"event": built.request.seq, "identical": built.identical, "body": json.loads(built.body)})
    else:
        sys.stdout.buffer.write(built.body + b"\n")
        sys.stdout.flush()
    if not built.identical:
        click.echo("error: this is not byte for byte what was sent: the form of such requests has changed.", err=True)
    return 0 if built.identical else FAILED


def _print_why(request: "PastRequest", *, as_json: bool) -> None:
    for number, (message, sources) in enumerate(zip(request.messages, request.sources, strict=True)):
        told = [{"event": source.seq, "type": source.type, "part": source.part} for source in sources]
        if as_json:
            print_json({"message": number, "role": message.role, "sources": told, "content": message.to_dict()})
            continue
        text = message.content or ", ".join(f"→ {call.name}" for call in message.tool_calls)
        click.echo(f"{number:>4}  {message.role:<9}  {' '.join(text.split())[:SHOWN]}")
        for source in sources:
            click.echo(f"      ↳ event {source.seq} {source.type}: {source.part}")
