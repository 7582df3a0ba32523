"""`loopwright runs`: look at runs, answer, resume, cancel and replay them; and `loopwright account`."""

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from loopwright.cli.running import JSON, RUN, SHOW_DEFAULTS, YES, Group, guarded, print_json, run_in_application

if TYPE_CHECKING:
    from loopwright.app.loopwright import Loopwright
    from loopwright.app.replaying import RebuiltRequest
    from loopwright.kernel.ports import RunRecord
    from loopwright.kernel.replay import PastRequest


REPLAY_HELP = """Rebuild the model requests of a run from its journal, byte for byte, and say why each message is there.

\b
Examples:
  loopwright runs replay RUN                 (lists the requests; each is checked against its journalled digest)
  loopwright runs replay RUN --step 3        (the body of the third step's request, as it was sent)
  loopwright runs replay RUN --step 3 --why  (each message and the event that it comes from)
  loopwright runs replay RUN --event 41      (the request that event 41 answers: those of tools have no step)
"""
SHOWN = 100


@click.command(help=REPLAY_HELP)
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


# `loopwright runs`: look at runs, answer, resume and cancel them.


@click.group(cls=Group, context_settings=SHOW_DEFAULTS)
def app() -> None:
    """List, show, answer, resume, cancel and replay runs."""


app.add_command(replay)


def run_object(record: "RunRecord") -> dict[str, Any]:
    """A run as programs see it."""
    wanted = {"run_id", "session_id", "agent", "status", "created_at", "updated_at", "cost_usd", "steps", "message"}
    wanted |= {"deaths"}
    return record.model_dump(mode="json", include=wanted)


@app.command("list")
@click.option("--session", help="Only this session's.")
@click.option("--agent", help="Only this agent's.")
@click.option("--status", help="Only with this status, such as waiting_input.")
@click.option("--limit", type=click.IntRange(1, 1000), default=50, help="At most so many.")
@JSON
def list_runs(session: str | None, agent: str | None, status: str | None, limit: int, as_json: bool) -> None:
    """List runs, newest first."""

    async def work(application: "Loopwright") -> int:
        records = await application.stores.runs.find(session_id=session, agent=agent, status=status, limit=limit)
        if as_json:
            for record in records:
                print_json(run_object(record))
            return 0
        if not records:
            click.echo("No runs yet. Try: loopwright agents list")
        for r in records:  # plain lines: a table would cut the ids to the terminal's width, and they are for copying
            created = r.created_at.astimezone().strftime("%Y-%m-%d %H:%M")
            message = " ".join(r.message.split())[:40]
            click.echo(f"{r.run_id}  {r.session_id}  {r.agent:<10}  {r.status:<13}  {r.steps:>3}  {created}  {message}")
        return 0

    run_in_application(work, as_json=as_json)


@app.command()
@RUN
@click.option("--all", "every", is_flag=True, help="Show each kept statement with what was measured.")
@JSON
def show(run: str, every: bool, as_json: bool) -> None:
    """Show where a run stands, what it is doing, its account, and its open question if it has one."""

    async def work(application: "Loopwright") -> int:
        from loopwright.app.answering import load_state
        from loopwright.app.watching import account_lines, describe_gate, last_line
        from loopwright.kernel.replay import use_of_models
        from loopwright.kernel.state import TERMINAL, under_way

        record, state = await application.stores.runs.get(run), await load_state(application, run)
        gate = describe_gate(state.open_gate) if state.open_gate else None
        doing = None if record.status in TERMINAL or gate else under_way(state)
        told = run_object(record) | {"stage": state.stage, "doing": doing}
        models = use_of_models(await application.stores.journal.read(run))
        if as_json:
            used = {name: asdict(use) for name, use in models.items()}
            account = state.account.as_told()
            print_json(told | {"seq": state.seq, "gate": gate, "models": used, "account": account})
            return 0
        for name, value in (told | {"events": state.seq}).items():
            click.echo(f"{name:<12} {value}")
        for name, use in models.items():
            click.echo(f"{'model':<12} {name}: {use}")
        for line in account_lines(state.account.as_told(), run, every=every):
            click.echo(line)
        if gate or record.status == "parked":
            from loopwright.cli.views import print_ending

            print_ending(last_line(record, state, None), 0.0)
        return 0

    run_in_application(work, as_json=as_json)


@app.command()
@RUN
@click.option("--since", type=click.IntRange(0), default=0, help="Only events with a greater seq.")
@click.option("--follow", "-f", "wait", is_flag=True, help="Go on as new events come, until the run ends.")
@JSON
def events(run: str, since: int, wait: bool, as_json: bool) -> None:
    """Print a run's journal."""

    async def work(application: "Loopwright") -> int:
        from loopwright.kernel.events import Event

        def show_event(event: Event) -> None:
            if as_json:
                print_json({"type": event.type, **event.model_dump(mode="json", exclude={"type"})})
            else:
                text = str(event.payload).replace("\n", " ")
                click.echo(f"{event.seq:>5}  {event.at:%H:%M:%S}  {event.type:<22} {text[:140]}")

        await application.stores.runs.get(run)
        if not wait:
            for event in await application.stores.journal.read(run, since):
                show_event(event)
            return 0
        async for event in application.stores.journal.watch(run, since):
            show_event(event)
        return 0

    run_in_application(work, as_json=as_json)


@app.command()
@RUN
@click.option(
    "--answers",
    type=click.Path(path_type=Path),
    help="JSON object: question text or index → answer; or a client tool's result.",
)
@click.option("--yes", "-y", is_flag=True, help="Take the agent's own defaults, now and for later questions.")
@click.option("--approve", is_flag=True, help="Say yes.")
@click.option("--reject", is_flag=True, help="Say no.")
@click.option("--comment", help="Your words with --approve or --reject.")
@click.option("--scope", help="How far a permission reaches: once, run, always. [once]")
@JSON
def answer(
    run: str,
    answers: Path | None,
    yes: bool,
    approve: bool,
    reject: bool,
    comment: str | None,
    scope: str | None,
    as_json: bool,
) -> None:
    """Answer what a run waits for, and carry it on in the foreground.

    \b
    Examples:
      loopwright runs answer RUN --answers answers.json
      loopwright runs answer RUN --approve
    """  # noqa: D301 – Click reads the mark

    async def work(application: "Loopwright") -> int:
        from loopwright.app.answering import CLI, answer_run, load_state
        from loopwright.cli.answers import AnswerSource, ask_at_terminal, read_answers
        from loopwright.cli.views import follow, make_view
        from loopwright.kernel.errors import InvalidInput
        from loopwright.kernel.gates import default_answers

        state = await load_state(application, run)
        gate = state.open_gate
        payload: Any
        if approve or reject:
            said = {"decision": "approve" if approve else "reject", "comment": comment, "scope": scope}
            payload = {name: value for name, value in said.items() if value}
        elif answers is not None and gate is not None and gate.kind == "client":
            payload = read_answers(answers)
        elif answers is not None:
            payload = {"answers": read_answers(answers)}
        elif yes and gate is not None:
            payload = default_answers(gate)
        elif gate is not None and sys.stdin.isatty():
            payload = await ask_at_terminal(state.agent, gate)
        elif gate is not None:
            raise InvalidInput("No answer was given.", hint="Use --answers FILE, --approve, --reject or --yes.")
        else:
            payload = {}
        claim = await answer_run(application, run, payload, by=CLI)
        source = AnswerSource(accept_defaults=yes, interactive=sys.stdin.isatty() and not as_json)
        view = make_view(as_json)
        return await follow(application, run, view, source, claim=claim, reason="answered", since=state.seq)

    if approve and reject:
        raise click.BadParameter("--approve and --reject exclude each other")
    run_in_application(work, as_json=as_json)


@app.command()
@RUN
@click.option("--anyway", is_flag=True, help="Also when it is parked because its processes kept dying.")
@YES
@JSON
def resume(run: str, anyway: bool, yes: bool, as_json: bool) -> None:
    """Take over a run whose process died, and carry it on in the foreground."""

    async def work(application: "Loopwright") -> int:
        from loopwright.app.answering import claim_for_resume
        from loopwright.cli.answers import AnswerSource
        from loopwright.cli.views import follow, make_view

        record = await application.stores.runs.get(run)
        claim = await claim_for_resume(application, run, anyway=anyway)
        source = AnswerSource(accept_defaults=yes, interactive=sys.stdin.isatty() and not as_json)
        view = make_view(as_json)
        return await follow(application, run, view, source, claim=claim, reason="resumed by the user", since=record.seq)

    run_in_application(work, as_json=as_json)


@app.command()
@RUN
@JSON
def cancel(run: str, as_json: bool) -> None:
    """Cancel a run: at once when it rests; when it works, what is under way is stopped first."""

    async def work(application: "Loopwright") -> int:
        from loopwright.app.answering import cancel_run

        record = await cancel_run(application, run)
        if as_json:
            print_json(run_object(record))
        else:
            click.echo(
                f"Run {run} is {record.status}." + ("" if record.status != "running" else " It stops in a moment.")
            )
        return 0

    run_in_application(work, as_json=as_json)


# `loopwright account`: how a message is read.


@click.group(cls=Group)
def account() -> None:
    """See how a message is read."""


@account.command()
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
