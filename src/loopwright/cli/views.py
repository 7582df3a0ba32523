"""How a run looks on the terminal: as it goes on, its last line, and following it from one to the other."""

import asyncio
import json
import logging
import shlex
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import aclosing, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

from click import echo

from loopwright.app.agents import is_known, package
from loopwright.app.answering import CLI, answer_run, cancel_run, load_state
from loopwright.app.loopwright import Loopwright
from loopwright.app.watching import EXIT_CODES, account_lines, is_terminal, last_line, told_first, watch_run
from loopwright.cli.answers import AnswerSource, gate_lines
from loopwright.cli.running import Status, print_json, program
from loopwright.engine.drafts import Live
from loopwright.kernel.events import Event
from loopwright.kernel.gates import Gate
from loopwright.kernel.ports import RunClaim


def print_ending(line: dict[str, Any], seconds: float) -> None:
    """Print what came out of the run, and what to do next."""
    {"complete": _complete, "waiting": _waiting, "cancelled": _cancelled, "error": _error}[line["type"]](line, seconds)


def _totals(line: dict[str, Any], seconds: float) -> str:
    cost = "price unknown" if line["cost_usd"] is None else f"${line['cost_usd']:.4f}"
    return f"{line['steps']} steps · {seconds:.1f} s · {cost} · {line['model'] or 'no model'}"


def _complete(line: dict[str, Any], seconds: float) -> None:
    echo("")
    _account(line)
    said = line["message"].removeprefix(told_first(line.get("account") or {}))
    echo(f"{said.strip()}\n")
    _own_lines(line)
    echo(f"Session    {line['session_id']}   (run {line['run_id']})")
    echo(f"Took       {_totals(line, seconds)}")


def _own_lines(line: dict[str, Any]) -> None:
    """What the agent's package says of the ending; one without such a view has said all in its message."""
    declared = package(line["agent"]) if is_known(line["agent"]) else None
    if declared and declared.ending:
        for text in declared.load(declared.ending)(line):
            echo(text)


def _account(line: dict[str, Any]) -> None:
    """What each statement of the user has come to, before anything that the agent says itself."""
    lines = list(account_lines(line.get("account") or {}, line["run_id"]))
    for text in lines:
        echo(text)
    if lines:
        echo("")


def _waiting(line: dict[str, Any], seconds: float) -> None:
    gate = line["gate"]
    echo(f"\nThe run waits for you: {gate['title'] or gate['kind']}")
    for question in line.get("questions", []):
        echo(f"\n  {question['index']}. {question['question']}  [{question['type']}]")
        if question.get("context"):
            echo(f"     {question['context']}")
        for option in question.get("options", []):
            echo(f"     - {option}")
    if gate["kind"] == "questions":
        example = {str(q["index"]): _example(q) for q in line.get("questions", [])}
        written = shlex.quote(json.dumps(example, ensure_ascii=False))
        echo(f"\nWrite your answers into a file, for example:\n  echo {written} > answers.json")
        echo(f"and go on with:\n  {program()} runs answer {line['run_id']} --answers answers.json")
        echo(f"or take the defaults:\n  {program()} runs answer {line['run_id']} --yes")
    else:
        for text in gate_lines(line["agent"], gate["kind"], gate["details"]):
            echo(text)
        decisions = ["--approve", "--reject"]
        if gate["kind"] == "permission" and gate["details"].get("allows"):
            decisions[1:1] = ["--approve --scope run", "--approve --scope always"]
        for decision in decisions:
            echo(f"  {program()} runs answer {line['run_id']} {decision}")


def _example(question: dict[str, Any]) -> Any:
    first = (question.get("options") or ["…"])[0]
    return [first] if question["type"] == "checkbox" else first


def _cancelled(line: dict[str, Any], seconds: float) -> None:
    echo(f"\nCancelled; what was changed was not taken back. Session {line['session_id']}, run {line['run_id']}.")
    _own_lines(line)


def _error(line: dict[str, Any], seconds: float) -> None:
    echo("")
    _account(line)
    echo(f"Failed ({line['code']}): {line['message']}")
    if line["hint"]:
        echo(f"Next: {line['hint']}")
    echo(f"Session {line['session_id']}, run {line['run_id']} · {_totals(line, seconds)}")
    _own_lines(line)


# How a run looks on the terminal: JSON lines for programs, or lines and a spinner for people.


class View(Protocol):
    """Shows a run."""

    def show(self, piece: Event | Live) -> None:
        """One event, or one live piece."""
        ...

    def paused_for(self, answers: AnswerSource, gate: Gate) -> dict[str, Any] | None:
        """Ask for the answer while nothing else is drawn."""
        ...

    def finish(self, line: dict[str, Any], unused_answers: list[str]) -> None:
        """The last line."""
        ...


class JsonView:
    """The journal's events as JSON lines."""

    def show(self, piece: Event | Live) -> None:
        """Print events; live pieces are not part of the journal."""
        if isinstance(piece, Event):
            print_json({"type": piece.type, **piece.model_dump(mode="json", exclude={"type"})})

    def paused_for(self, answers: AnswerSource, gate: Gate) -> dict[str, Any] | None:
        """Answer without a word."""
        return answers.answer(gate)

    def finish(self, line: dict[str, Any], unused_answers: list[str]) -> None:
        """Print the last line; answers that fitted nothing are named in it."""
        print_json(line | ({"unused_answers": unused_answers} if unused_answers else {}))


class PeopleView:
    """A line for each thing done, and a spinner for what is being done."""

    def __init__(self) -> None:
        """Start drawing."""
        self._status = Status("Starting…", self._totals)
        self._started = time.monotonic()
        self._tools: dict[str, float] = {}
        self._cost: float | None = 0.0
        self._step = 1
        self._status.start()

    def show(self, piece: Event | Live) -> None:
        """Draw the piece, if it says something to a person."""
        if isinstance(piece, Live):
            if piece.kind == "progress":
                self._update(str(piece.data["message"]))
            return
        handler = getattr(self, f"_on_{piece.type}", None)
        if handler is not None:
            handler(piece.payload)

    def _update(self, text: str) -> None:
        self._status.update(text[:100])

    def _totals(self) -> str:
        cost = "" if not self._cost else f" · ${self._cost:.4f}"
        return f"step {self._step} · {time.monotonic() - self._started:.0f} s{cost}"

    def say(self, text: str) -> None:
        """Print a line above the spinner."""
        self._status.print(text)

    def _on_prompt_set(self, payload: dict[str, Any]) -> None:
        self._update("Thinking…")

    def _on_model_response(self, payload: dict[str, Any]) -> None:
        self._step += 1
        text = payload["text"] if payload["visible"] is None else payload["visible"]
        if text.strip() and payload["tool_calls"]:
            self.say(text.strip())

    def _on_budget_charged(self, payload: dict[str, Any]) -> None:
        self._cost = payload["total_usd"]

    def _on_tool_call(self, payload: dict[str, Any]) -> None:
        self._tools[payload["call_id"]] = time.monotonic()
        self._update(f"{payload['name']} {_subject(payload['arguments'])}…")

    def _on_tool_result(self, payload: dict[str, Any]) -> None:
        began = self._tools.pop(payload["call_id"], time.monotonic())
        mark = "✓" if payload["success"] else "✗"
        # A result may tell people in its artifacts what it is, where its output is made for the model.
        told = str((payload.get("artifacts") or {}).get("told") or payload["output"])
        first = told.strip().split("\n")[0][:100]
        self.say(f"  {mark} {payload['name']:<20} {first}  ({time.monotonic() - began:.1f} s)")
        self._update("Thinking…")

    def _on_pipeline_started(self, payload: dict[str, Any]) -> None:
        self._update("Starting the pipeline…")

    def _on_pipeline_stage_finished(self, payload: dict[str, Any]) -> None:
        mark = "✓" if payload["success"] else "✗"
        took = "unchanged" if payload["cached"] else f"{payload['duration_s']:.1f} s"
        self.say(f"  {mark} {payload['stage']:<32} {took}")
        for text in [*payload["errors"], *payload["warnings"]][:4]:
            self.say(f"      {text[:160]}")

    def _on_model_fell_back(self, payload: dict[str, Any]) -> None:
        self.say(f"  ! the model cannot be reached, so the offline rules answer: {payload['reason'][:160]}")

    def _on_approval_stale(self, payload: dict[str, Any]) -> None:
        self.say("  ! the approval was not used: what it was given for has changed since")

    def _on_controller_message(self, payload: dict[str, Any]) -> None:
        self.say(f"  · sent back: {payload['text'][:160]}")

    def _on_compacted(self, payload: dict[str, Any]) -> None:
        self.say(f"  · conversation compressed: {payload['tokens_before']} → {payload['tokens_after']} tokens")

    def _on_run_resumed(self, payload: dict[str, Any]) -> None:
        self.say(f"  · resumed ({payload['reason']})")

    def paused_for(self, answers: AnswerSource, gate: Gate) -> dict[str, Any] | None:
        """Stop the spinner while a person types."""
        self._status.stop()
        payload = answers.answer(gate)
        if payload is not None:
            self._status.start()
        return payload

    def finish(self, line: dict[str, Any], unused_answers: list[str]) -> None:
        """Stop drawing and print the ending."""
        self._status.stop()
        if unused_answers:
            self.say(f"note: no question was asked for these answers: {', '.join(unused_answers)}")
        print_ending(line, time.monotonic() - self._started)


class LastLine:
    """A view that keeps the last line, for commands whose exit code depends on it."""

    def __init__(self, view: View) -> None:
        """Show everything through `view`."""
        self._view = view
        self.line: dict[str, Any] = {}

    def show(self, piece: Event | Live) -> None:
        """Pass it on."""
        self._view.show(piece)

    def paused_for(self, answers: AnswerSource, gate: Gate) -> dict[str, Any] | None:
        """Pass it on."""
        return self._view.paused_for(answers, gate)

    def finish(self, line: dict[str, Any], unused_answers: list[str]) -> None:
        """Keep the line and pass it on."""
        self.line = line
        self._view.finish(line, unused_answers)


def _subject(arguments: dict[str, Any]) -> str:
    names = ("slug", "product_type", "path", "command", "query", "pattern")
    found = next((str(arguments[name]) for name in names if arguments.get(name)), "")
    return " ".join(found.split())[:60]


def make_view(as_json: bool) -> View:
    """The view that the user wants."""
    return JsonView() if as_json else PeopleView()


# Follows a run in the foreground: shows it, answers its gates, and prints the last line.

log = logging.getLogger(__name__)


async def follow(
    application: Loopwright,
    run_id: str,
    view: View,
    answers: AnswerSource,
    *,
    claim: RunClaim | None = None,
    reason: str = "started",
    since: int = 0,
) -> int:
    """Carry a run on in this process until it ends, or waits for somebody who is not here.

    The first Ctrl-C cancels the run; what it has changed is not taken back. The second one kills the program.

    Returns:
        The exit code.
    """
    following = _Following(application, run_id, view, since)
    with _cancelled_by_ctrl_c(application, run_id, answers):
        begin: Callable[[], None] | None = partial(application.dispatcher.dispatch, run_id, claim, reason)
        while True:
            await following.until_rest(begin)
            begin = None
            state = await load_state(application, run_id)
            gate, answers.agent = state.open_gate, state.agent
            if gate is None:
                break
            payload = await asyncio.to_thread(view.paused_for, answers, gate)
            if answers.stopped.is_set():
                continue  # cancelled while the question stood there: the terminal event is on its way
            if payload is None:
                break
            claim = await answer_run(application, run_id, payload, gate_id=gate.gate_id, by=CLI)
            begin = partial(application.dispatcher.dispatch, run_id, claim, "answered")
        await application.dispatcher.wait(run_id)
    line = last_line(await application.stores.runs.get(run_id), state, following.final)
    view.finish(line, answers.unused)
    return EXIT_CODES[line["type"]]


@dataclass
class _Following:
    """Where we are in the run's journal; `final` is the payload of its terminal event."""

    application: Loopwright
    run_id: str
    view: View
    since: int
    final: dict[str, Any] | None = None

    async def until_rest(self, begin: Callable[[], None] | None) -> None:
        """Show the run until it ends or waits; or until nobody carries it on any more. `begin` lets it go on."""
        watched = asyncio.Event()

        def start() -> None:
            if begin is not None:
                begin()
            watched.set()

        showing = asyncio.ensure_future(self._show(start))
        driving = asyncio.ensure_future(self._driven(watched))
        try:
            await asyncio.wait({showing, driving}, return_when=asyncio.FIRST_COMPLETED)
            if showing.done() or not await self._abandoned():
                await showing
        finally:
            for task in (showing, driving):
                task.cancel()
            await asyncio.gather(showing, driving, return_exceptions=True)

    async def _abandoned(self) -> bool:
        """Whether the run stopped here without coming to rest, and nobody else has taken it."""
        record = await self.application.stores.runs.get(self.run_id)
        return record.status in ("queued", "running") and (
            record.owner == self.application.owner or not record.owner_alive
        )

    async def _driven(self, watched: asyncio.Event) -> None:
        await watched.wait()
        await self.application.dispatcher.wait(self.run_id)

    async def _show(self, begin: Callable[[], None]) -> None:
        watching = watch_run(self.application, self.run_id, self.since, until_pause=True, begin=begin)
        async with aclosing(watching) as pieces:
            async for piece in pieces:
                self.view.show(piece)
                if isinstance(piece, Event):
                    self.since = piece.seq
                    self.final = piece.payload if is_terminal(piece) else None


@contextmanager
def _cancelled_by_ctrl_c(application: Loopwright, run_id: str, answers: AnswerSource) -> Iterator[None]:
    """Turn the first Ctrl-C into a cancellation of the run; the next one kills the program."""
    loop = asyncio.get_running_loop()
    cancelling: list[asyncio.Task[Any]] = []

    def interrupted() -> None:
        loop.remove_signal_handler(signal.SIGINT)
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        answers.stopped.set()
        task = loop.create_task(cancel_run(application, run_id))
        task.add_done_callback(_tell_of_failure)
        cancelling.append(task)

    loop.add_signal_handler(signal.SIGINT, interrupted)
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGINT)
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _tell_of_failure(cancelling: asyncio.Task[Any]) -> None:
    if not cancelling.cancelled() and cancelling.exception() is not None:
        log.error("the run cannot be cancelled; press Ctrl-C again to kill it", exc_info=cancelling.exception())
