"""How a run looks on the terminal: JSON lines for programs, or lines and a spinner for people."""

import time
from typing import Any, Protocol

from loopwright.cli.answers import AnswerSource
from loopwright.cli.endings import print_ending
from loopwright.cli.running import print_json
from loopwright.cli.status import Status
from loopwright.engine.drafts import Live
from loopwright.kernel.events import Event
from loopwright.kernel.gates import Gate


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
