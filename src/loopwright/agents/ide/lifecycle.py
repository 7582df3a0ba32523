"""What the kernel calls in the course of a run: how it begins, what needs no yes, what is recorded, how it ends."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from loopwright.agents.ide.contracts import DeliveryCheck, IdeOptions, QAReport, Reasoning
from loopwright.agents.ide.events import DeliveryChecked, QAReported, ReasoningRecorded
from loopwright.agents.ide.project import project_of
from loopwright.agents.ide.reasoning import SEAL
from loopwright.agents.ide.tools.tool import IdeTool
from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.events import Event, ModelResponse, Payload
from loopwright.kernel.files import make_private_folder, write_whole
from loopwright.kernel.gates import Gate
from loopwright.kernel.run import AgentRun
from loopwright.kernel.state import TERMINAL
from loopwright.kernel.tools import AnyTool, ToolResult
from loopwright.kernel.workspace import disk_errors


async def choose_stage(run: AgentRun) -> str:
    """Chat answers; Agent works, and plans first where the user wants reasoning.

    Raises:
        InvalidInput: the project's root is no folder any more.
    """
    if not run.output_dir.is_dir():
        raise InvalidInput(f"{run.output_dir} is not a folder.", hint="Name the project with --root.")
    options = IdeOptions.model_validate(run.state.options)
    await project_of(run).refresh()
    if options.mode == "chat":
        return "chat"
    return "warmup" if options.reasoning else "act"


# Whether the user has allowed a call already, and what a yes at its gate may allow beyond it.


def granted(run: AgentRun, tool: AnyTool, arguments: Mapping[str, Any]) -> bool:
    """Whether each rule that the call needs was given: beforehand, for good, or at a gate of this run for all of it."""
    if not isinstance(tool, IdeTool):
        return False
    options, category = IdeOptions.model_validate(run.state.options), tool.category_of(arguments, run.output_dir)
    if category == "read" or category in options.allowed:
        return True
    rules = tool.rules(arguments, run.output_dir)
    return bool(rules) and set(rules or ()) <= _given(run, options)


async def offer(run: AgentRun, gate: Gate) -> Gate | ToolResult:
    """The gate, with the rules that a yes for the run or for good would allow; with none where each call is asked.

    A gate of the tool's own is about a risk that each call takes anew, and one about a repetition is about that alone:
    they offer what their own details allow, if anything.
    """
    details = gate.details
    tool = run.toolbox.registry.get(str(details.get("tool", "")))
    if gate.kind != "permission" or not isinstance(tool, IdeTool):
        return gate
    arguments = details.get("arguments") or {}
    lasting = "attempt" not in details and tool.gate(tool.parameters_model.model_validate(arguments)) is None
    rules = (tool.rules(arguments, run.output_dir) or ()) if lasting else details.get("allows", ())
    return gate.model_copy(update={"details": {**details, "allows": list(rules)}})


def _given(run: AgentRun, options: IdeOptions) -> set[str]:
    found = {rule for rule in options.always if rule != "run"}  # older permissions meant every command by this
    for gate in run.state.gates.values():
        if gate.kind == "permission" and gate.approved and (gate.answer or {}).get("scope") in ("run", "always"):
            found.update(gate.details.get("allows") or ())
    return found


# What parsers took out of answers becomes events.


async def absorb(run: AgentRun, records: Sequence[Any]) -> Sequence[Payload]:
    """Tell of each record; nothing is stored elsewhere, so doing it again is harmless."""
    return [_event(run, record) for record in records]


def _event(run: AgentRun, record: Any) -> Payload:
    match record:
        case Reasoning():
            return ReasoningRecorded(
                stage=run.state.stage, format=record.format, text=record.text, outcome=record.outcome
            )
        case DeliveryCheck():
            return DeliveryChecked(state=record.state, missing=record.missing, reason=record.reason)
        case QAReport():
            return QAReported(report=record)
    raise TypeError(f"no event tells of a {type(record).__name__}")


# The account of a run, for the last line of every surface.


async def finish(run: AgentRun) -> dict[str, Any]:
    """The result: delivery, seal, QA report, and what changed in the project."""
    options = IdeOptions.model_validate(run.state.options)
    events = await run.services.journal.read(run.state.run_id)
    checks = [event.payload for event in events if event.type == DeliveryChecked.type]
    reports = [event.payload["report"] for event in events if event.type == QAReported.type]
    project = project_of(run)
    changed = await project.checkpoints.changed_by(run.state.run_id)
    await project.memory.settle(run.state.run_id, checks[-1]["state"] if checks else None)
    return {
        "mode": options.mode,
        "reasoning": options.reasoning,
        "root": str(run.output_dir),
        "delivery": checks[-1] if checks else None,
        "answer_sha256": run.state.context.pins.get(SEAL),
        "qa_report": reports[-1] if reports else None,
        "changed_files": changed,
        "checkpoint": run.state.run_id if changed else None,
    }


# Run snapshots: the journal of a run that is over as JSON lines beside the project's state (spec 002, 3.2).
#
# They are a projection, for reading with other tools; nothing here reads them.

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
