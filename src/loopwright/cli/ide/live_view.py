"""A run in a conversation on the terminal: words as they come, a line for each call, and what it came to."""

import sys
import time
from collections.abc import Iterable
from typing import Any

from typer import secho

from loopwright.agents.ide.flow.speech import Piece, Transcript
from loopwright.cli.answers import AnswerSource
from loopwright.cli.printable import printable
from loopwright.engine.broadcast import Live
from loopwright.kernel.events import Event
from loopwright.kernel.gates import Gate

LONGEST_LINE = 110


class LiveView:
    """Words go to stdout, all else to stderr, so that an answer can be kept by redirecting it."""

    def __init__(self) -> None:
        """Nothing was said yet."""
        self._transcript = Transcript()
        self._started = time.monotonic()
        self._open_line = False

    def show(self, piece: Event | Live) -> None:
        """Draw the piece, if it says something to a person."""
        if isinstance(piece, Event):
            handler = getattr(self, f"_on_{piece.type}", None)
            if handler is not None:
                handler(piece.payload)
        elif piece.kind == "delta":
            self._say(self._transcript.hear(piece.data))
        elif piece.kind == "progress":
            self._line(f"    {piece.data['message']}", dim=True)

    def paused_for(self, answers: AnswerSource, gate: Gate) -> dict[str, Any] | None:
        """Ask below what was said."""
        self._end_line()
        return answers.answer(gate)

    def finish(self, line: dict[str, Any], unused_answers: list[str]) -> None:
        """What the run came to, beside its words."""
        self._end_line()
        if line["type"] == "error":
            self._line(f"Failed ({line['code']}): {line['message']}", fg="red")
            self._line(line["hint"])
        elif line["type"] == "cancelled":
            self._line("Cancelled; what was done is kept. /undo takes it back.", fg="yellow")
        for missing in (line.get("delivery") or {}).get("missing") or []:
            self._line(f"Missing  {missing}", fg="yellow")
        for finding in (line.get("qa_report") or {}).get("findings") or []:
            place = ":".join(str(part) for part in (finding.get("file"), finding.get("line")) if part)
            self._line(f"QA       {finding['severity']} {place} {finding['finding']}".replace("  ", " "))
        if line.get("changed_files"):
            self._line(f"Changed  {', '.join(line['changed_files'])}   (/diff shows it, /undo takes it back)")
        cost = "" if line["cost_usd"] is None else f" · ${line['cost_usd']:.4f}"
        self._line(f"{line['steps']} steps · {time.monotonic() - self._started:.1f} s{cost}", dim=True)

    def _on_model_response(self, payload: dict[str, Any]) -> None:
        self._say(self._transcript.answered(payload))
        self._end_line()

    def _on_tool_call(self, payload: dict[str, Any]) -> None:
        subject = next((str(value) for value in payload["arguments"].values() if isinstance(value, str)), "")
        self._line(f"  ▸ {payload['name']} {' '.join(subject.split())}"[:LONGEST_LINE], fg="cyan")

    def _on_tool_result(self, payload: dict[str, Any]) -> None:
        first = payload["output"].strip().split("\n")[0]
        mark, colour = ("✓", "green") if payload["success"] else ("✗", "red")
        self._line(f"  {mark} {first}"[:LONGEST_LINE], fg=colour)

    def _on_controller_message(self, payload: dict[str, Any]) -> None:
        self._line(f"  · sent back: {payload['reason']}", dim=True)

    def _on_compacted(self, payload: dict[str, Any]) -> None:
        self._line(f"  · folded: {payload['tokens_before']} → {payload['tokens_after']} tokens", dim=True)

    def _say(self, pieces: Iterable[Piece]) -> None:
        for piece in pieces:
            if piece.kind == "message":
                sys.stdout.write(printable(piece.text))
                sys.stdout.flush()
            else:
                secho(printable(piece.text), dim=True, nl=False, err=True)
            self._open_line = not piece.text.endswith("\n")

    def _line(self, text: str, **style: Any) -> None:
        self._end_line()
        secho(printable(text), err=True, **style)

    def _end_line(self) -> None:
        if self._open_line:
            sys.stdout.write("\n")
            sys.stdout.flush()
            self._open_line = False
