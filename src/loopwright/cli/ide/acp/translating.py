"""A run's events and live pieces as session updates."""

import time
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from acp.helpers import (
    plan_entry,
    start_tool_call,
    update_agent_message_text,
    update_agent_thought_text,
    update_plan,
    update_tool_call,
    update_user_message_text,
)

from loopwright.agents.ide.flow.speech import Piece, Transcript
from loopwright.cli.ide.acp.tool_calls import differences_of, kind_of, locations_of, output_of, title_of
from loopwright.engine.broadcast import Live
from loopwright.kernel.events import Event

PLAN_STATUS: Mapping[str, Any] = {"pending": "pending", "in_progress": "in_progress", "done": "completed"}
TAIL = 4_000
"""Characters of a running command's output that are shown."""
OUTPUT_SECONDS = 0.25
"""How often a running command's output is shown anew."""


class Translator:
    """Follows one run. With `history` the user's own messages are told too, as when a session is loaded."""

    def __init__(self, root: Path, *, history: bool = False) -> None:
        """Nothing has been seen yet."""
        self._root = root
        self._history = history
        self._transcript = Transcript()
        self._announced: dict[str, Mapping[str, Any]] = {}
        self._outputs: dict[str, str] = defaultdict(str)
        self._shown_at = 0.0

    def updates(self, piece: Event | Live) -> list[Any]:
        """The session updates that tell of this piece."""
        if isinstance(piece, Event):
            handler = getattr(self, f"_on_{piece.type}", None)
            return handler(piece.payload) if handler is not None else []
        if piece.kind == "delta":
            return _spoken(self._transcript.hear(piece.data))
        return self._on_progress(piece.data) if piece.kind == "progress" else []

    def _on_progress(self, data: Mapping[str, Any]) -> list[Any]:
        call_id = data.get("call_id")
        if call_id not in self._announced:
            return []
        self._outputs[call_id] = (self._outputs[call_id] + data["message"] + "\n")[-TAIL:]
        now = time.monotonic()
        if now - self._shown_at < OUTPUT_SECONDS:
            return []
        self._shown_at = now
        return [update_tool_call(call_id, status="in_progress", content=output_of(self._outputs[call_id]))]

    def _on_user_message(self, payload: dict[str, Any]) -> list[Any]:
        return [update_user_message_text(payload["text"])] if self._history else []

    def _on_model_response(self, payload: dict[str, Any]) -> list[Any]:
        return _spoken(self._transcript.answered(payload))

    def _on_tool_call(self, payload: dict[str, Any]) -> list[Any]:
        call_id = payload["call_id"]
        if call_id in self._announced:
            return [update_tool_call(call_id, status="in_progress")]
        return [self._announce(call_id, payload["name"], payload["arguments"], "in_progress")]

    def _on_gate_opened(self, payload: dict[str, Any]) -> list[Any]:
        call_id, details = payload["call_id"], payload["details"]
        if not call_id or call_id in self._announced:
            return []
        tool = str(details.get("tool", payload["kind"]))
        return [self._announce(call_id, tool, details.get("arguments") or {}, "pending", str(details.get("diff", "")))]

    def _on_tool_result(self, payload: dict[str, Any]) -> list[Any]:
        call_id, found = payload["call_id"], payload["artifacts"] or {}
        updates = []
        if call_id not in self._announced:  # refused before it ran
            updates.append(self._announce(call_id, payload["name"], {}, "pending"))
        diff = str(found.get("diff", "")) if payload["success"] else ""
        updates.append(
            update_tool_call(
                call_id,
                status="completed" if payload["success"] else "failed",
                content=differences_of(self._root, diff) or output_of(payload["output"]),
                raw_output={"output": payload["output"], "error": payload["error"]},
            )
        )
        if payload["name"] == "planner" and payload["success"]:
            steps = found.get("plan") or []
            updates.append(update_plan(plan_entry(s["step"], status=PLAN_STATUS[s["status"]]) for s in steps))
        return updates

    def _on_qa_reported(self, payload: dict[str, Any]) -> list[Any]:
        """QA is advice beside the answer, and no part of it."""
        report = payload["report"]
        lines = [f"QA review (advisory): {report['summary']}"]
        for finding in report["findings"]:
            place = ":".join(str(part) for part in (finding["file"], finding["line"]) if part)
            lines.append(f"- {finding['severity']} {place} {finding['finding']}".replace("  ", " "))
        return [update_agent_thought_text("\n" + "\n".join(lines) + "\n")]

    def _announce(self, call_id: str, name: str, arguments: Mapping[str, Any], status: Any, diff: str = "") -> Any:
        self._announced[call_id] = arguments
        return start_tool_call(
            call_id,
            title_of(name, arguments),
            kind=kind_of(name),
            status=status,
            content=differences_of(self._root, diff),
            locations=locations_of(self._root, arguments),
            raw_input=dict(arguments),
        )


def _spoken(pieces: Iterable[Piece]) -> list[Any]:
    return [
        update_agent_message_text(piece.text) if piece.kind == "message" else update_agent_thought_text(piece.text)
        for piece in pieces
    ]
