"""`loopwright runs`: look at runs, answer, resume and cancel them."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from loopwright.cli import replay
from loopwright.cli.running import print_json, run_in_house

if TYPE_CHECKING:
    from loopwright.app.loopwright import Loopwright
    from loopwright.kernel.ports import RunRecord

app = typer.Typer(
    help="List, show, answer, resume, cancel and replay runs.",
    no_args_is_help=True,
    rich_markup_mode=None,
    add_completion=False,
)
app.command("replay", help=replay.HELP)(replay.replay)
JSON = typer.Option(False, "--json", help="Print JSON lines.")
RUN = typer.Argument(..., metavar="RUN", help="The run's id.")


def run_object(record: "RunRecord") -> dict[str, Any]:
    """A run as programs see it."""
    wanted = {"run_id", "session_id", "agent", "status", "created_at", "updated_at", "cost_usd", "steps", "message"}
    wanted |= {"deaths"}
    return record.model_dump(mode="json", include=wanted)


@app.command("list")
def list_runs(
    session: str | None = typer.Option(None, "--session", help="Only this session's."),
    agent: str | None = typer.Option(None, "--agent", help="Only this agent's."),
    status: str | None = typer.Option(None, "--status", help="Only with this status, such as waiting_input."),
    limit: int = typer.Option(50, "--limit", min=1, max=1000, help="At most so many."),
    as_json: bool = JSON,
) -> None:
    """List runs, newest first."""

    async def work(house: "Loopwright") -> int:
        records = await house.stores.runs.find(session_id=session, agent=agent, status=status, limit=limit)
        if as_json:
            for record in records:
                print_json(run_object(record))
            return 0
        if not records:
            typer.echo('No runs yet. Try: loopwright pages "a coffee shop app"')
        for r in records:  # plain lines: a table would cut the ids to the terminal's width, and they are for copying
            created = r.created_at.astimezone().strftime("%Y-%m-%d %H:%M")
            message = " ".join(r.message.split())[:40]
            typer.echo(f"{r.run_id}  {r.session_id}  {r.agent:<10}  {r.status:<13}  {r.steps:>3}  {created}  {message}")
        return 0

    run_in_house(work, as_json=as_json)


@app.command()
def show(run: str = RUN, as_json: bool = JSON) -> None:
    """Show where a run stands, what it is doing, and its open question if it has one."""

    async def work(house: "Loopwright") -> int:
        from loopwright.app.answering import load_state
        from loopwright.app.ending import describe_gate, last_line
        from loopwright.kernel.parking import under_way
        from loopwright.kernel.run_states import TERMINAL

        record, state = await house.stores.runs.get(run), await load_state(house, run)
        gate = describe_gate(state.open_gate) if state.open_gate else None
        doing = None if record.status in TERMINAL or gate else under_way(state)
        told = run_object(record) | {"stage": state.stage, "doing": doing}
        if as_json:
            print_json(told | {"seq": state.seq, "gate": gate})
            return 0
        for name, value in (told | {"events": state.seq}).items():
            typer.echo(f"{name:<12} {value}")
        if gate or record.status == "parked":
            from loopwright.cli.endings import print_ending

            print_ending(last_line(record, state, None), 0.0)
        return 0

    run_in_house(work, as_json=as_json)


@app.command()
def events(
    run: str = RUN,
    since: int = typer.Option(0, "--since", min=0, help="Only events with a greater seq."),
    wait: bool = typer.Option(False, "--follow", "-f", help="Go on as new events come, until the run ends."),
    as_json: bool = JSON,
) -> None:
    """Print a run's journal."""

    async def work(house: "Loopwright") -> int:
        from loopwright.kernel.events import Event

        def show_event(event: Event) -> None:
            if as_json:
                print_json({"type": event.type, **event.model_dump(mode="json", exclude={"type"})})
            else:
                text = str(event.payload).replace("\n", " ")
                typer.echo(f"{event.seq:>5}  {event.at:%H:%M:%S}  {event.type:<22} {text[:140]}")

        await house.stores.runs.get(run)
        if not wait:
            for event in await house.stores.journal.read(run, since):
                show_event(event)
            return 0
        async for event in house.stores.journal.watch(run, since):
            show_event(event)
        return 0

    run_in_house(work, as_json=as_json)


@app.command()
def answer(
    run: str = RUN,
    answers: Path | None = typer.Option(None, "--answers", help="JSON object: question text or index → answer."),
    yes: bool = typer.Option(False, "--yes", "-y", help="Take the agent's own defaults, now and for later questions."),
    approve: bool = typer.Option(False, "--approve", help="Say yes."),
    reject: bool = typer.Option(False, "--reject", help="Say no."),
    comment: str | None = typer.Option(None, "--comment", help="Your words with --approve or --reject."),
    scope: str | None = typer.Option(None, "--scope", help="How far a permission reaches: once, run, always. [once]"),
    as_json: bool = JSON,
) -> None:
    r"""Answer what a run waits for, and carry it on in the foreground.

    \b
    Examples:
      loopwright runs answer RUN --answers answers.json
      loopwright runs answer RUN --approve
    """

    async def work(house: "Loopwright") -> int:
        from loopwright.app.answering import answer_run, load_state
        from loopwright.cli.answers import AnswerSource, ask_at_terminal, read_answers
        from loopwright.cli.follow import follow
        from loopwright.cli.views import make_view
        from loopwright.kernel.errors import InvalidInput
        from loopwright.kernel.gates import default_answers

        state = await load_state(house, run)
        gate = state.open_gate
        payload: Any
        if approve or reject:
            said = {"decision": "approve" if approve else "reject", "comment": comment, "scope": scope}
            payload = {name: value for name, value in said.items() if value}
        elif answers is not None:
            payload = {"answers": read_answers(answers)}
        elif yes and gate is not None:
            payload = default_answers(gate)
        elif gate is not None and sys.stdin.isatty():
            payload = await ask_at_terminal(gate)
        elif gate is not None:
            raise InvalidInput("No answer was given.", hint="Use --answers FILE, --approve, --reject or --yes.")
        else:
            payload = {}
        claim = await answer_run(house, run, payload)
        source = AnswerSource(accept_defaults=yes, interactive=sys.stdin.isatty() and not as_json)
        view = make_view(as_json)
        return await follow(house, run, view, source, claim=claim, reason="answered", since=state.seq)

    if approve and reject:
        raise typer.BadParameter("--approve and --reject exclude each other")
    run_in_house(work, as_json=as_json)


@app.command()
def resume(
    run: str = RUN,
    anyway: bool = typer.Option(False, "--anyway", help="Also when it is parked because its processes kept dying."),
    yes: bool = typer.Option(False, "--yes", "-y", help="Take the agent's own defaults for questions."),
    as_json: bool = JSON,
) -> None:
    """Take over a run whose process died, and carry it on in the foreground."""

    async def work(house: "Loopwright") -> int:
        from loopwright.app.answering import claim_for_resume
        from loopwright.cli.answers import AnswerSource
        from loopwright.cli.follow import follow
        from loopwright.cli.views import make_view

        record = await house.stores.runs.get(run)
        claim = await claim_for_resume(house, run, anyway=anyway)
        source = AnswerSource(accept_defaults=yes, interactive=sys.stdin.isatty() and not as_json)
        view = make_view(as_json)
        return await follow(house, run, view, source, claim=claim, reason="resumed by the user", since=record.seq)

    run_in_house(work, as_json=as_json)


@app.command()
def cancel(run: str = RUN, as_json: bool = JSON) -> None:
    """Cancel a run: at once when it rests; when it works, what is under way is stopped first."""

    async def work(house: "Loopwright") -> int:
        from loopwright.app.answering import cancel_run

        record = await cancel_run(house, run)
        if as_json:
            print_json(run_object(record))
        else:
            typer.echo(
                f"Run {run} is {record.status}." + ("" if record.status != "running" else " It stops in a moment.")
            )
        return 0

    run_in_house(work, as_json=as_json)
