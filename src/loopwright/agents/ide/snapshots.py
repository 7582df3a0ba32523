"""Run snapshots: the journal of a run that is over as JSON lines beside the project's state (spec 002, 3.2).

They are a projection, for reading with other tools; nothing here reads them.
"""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from loopwright.agents.ide.project import project_of
from loopwright.kernel.events import Event, ModelResponse
from loopwright.kernel.files import make_private_folder, write_whole
from loopwright.kernel.run import AgentRun
from loopwright.kernel.state import TERMINAL
from loopwright.kernel.workspace.paths import disk_errors

RUNS = "runs"
LONGEST_PREVIEW = 1_200


async def write_snapshot(run: AgentRun) -> None:
    """Write `runs/CONVERSATION/RUN.jsonl` in the state folder; what the run had only meant to remember is let go.

    Raises:
        Misconfigured: the disk does not take it.
    """
    state = run.state
    if not run.output_dir.is_dir():
        return  # the user has removed the project meanwhile
    project = project_of(run)
    if state.status != "completed":
        await project.memory.settle(state.run_id, None)
    lines = snapshot_of(await run.journal.read(state.run_id), state.session_id)
    folder = project.state_folder / RUNS / state.session_id
    await asyncio.to_thread(_write, folder / f"{state.run_id}.jsonl", lines)


def snapshot_of(events: Sequence[Event], conversation_id: str) -> list[dict[str, Any]]:
    """A line for each answer of the model with what its calls came to, and one for the run's end."""
    lines: list[dict[str, Any]] = []
    said = ""
    for event in events:
        payload = event.payload
        if event.type == "user_message":
            said = payload["text"]
        elif event.type == ModelResponse.type:
            lines.append(_line(event, conversation_id, len(lines) + 1, said) | _answer(payload))
        elif event.type == "tool_result" and lines:
            lines[-1]["toolResults"].append(_result(payload, lines[-1]["_targets"]))
        elif event.type == "tool_call" and lines:
            lines[-1]["_targets"][payload["call_id"]] = _target(payload["arguments"])
        elif event.type == "controller_message" and lines:
            lines[-1]["failureReason"] = payload["reason"]
        elif event.type.removeprefix("run_") in TERMINAL:
            lines.append(_line(event, conversation_id, len(lines), said) | _end(event))
    return [{name: value for name, value in line.items() if name != "_targets"} for line in lines]


def _line(event: Event, conversation_id: str, iteration: int, said: str) -> dict[str, Any]:
    return {
        "runId": event.run_id,
        "conversationId": conversation_id,
        "phase": event.payload.get("stage", ""),
        "iteration": iteration,
        "timestamp": event.at.isoformat(),
        "userInput": said,
        "assistantDraft": "",
        "failureReason": None,
        "toolCalls": [],
        "toolResults": [],
        "_targets": {},
    }


def _answer(payload: dict[str, Any]) -> dict[str, Any]:
    response = ModelResponse.model_validate(payload)
    calls = [{"id": call.id, "name": call.name, "argumentKeys": _keys(call.arguments)} for call in response.tool_calls]
    return {"assistantDraft": response.visible_text, "toolCalls": calls}


def _result(payload: dict[str, Any], targets: dict[str, str | None]) -> dict[str, Any]:
    return {
        "toolCallId": payload["call_id"],
        "toolName": payload["name"],
        "status": "completed" if payload["success"] else "failed",
        "targetFile": targets.get(payload["call_id"]),
        "outputPreview": payload["output"][:LONGEST_PREVIEW],
    }


def _end(event: Event) -> dict[str, Any]:
    return {
        "phase": event.type.removeprefix("run_"),
        "assistantDraft": event.payload.get("text", ""),
        "failureReason": event.payload.get("message") or event.payload.get("reason"),
    }


def _keys(arguments: str) -> list[str]:
    try:
        data = json.loads(arguments)
    except ValueError:
        return []
    return sorted(data) if isinstance(data, dict) else []


def _target(arguments: dict[str, Any]) -> str | None:
    return str(arguments["path"]) if arguments.get("path") else None


def _write(file: Path, lines: Sequence[dict[str, Any]]) -> None:
    make_private_folder(file.parent)
    with disk_errors(file.name):
        write_whole(file, "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines).encode())
