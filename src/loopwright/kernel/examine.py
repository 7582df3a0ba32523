"""What is to be done with a tool call before anything runs: policy, arguments, approval, and what a crash left open."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from pydantic import BaseModel
from pydantic_core import PydanticSerializationError, from_json, to_json

from loopwright.kernel.asking import new_gate
from loopwright.kernel.gates import Gate, digest_of
from loopwright.kernel.messages import ToolCall
from loopwright.kernel.policy import Permit
from loopwright.kernel.registry import AnyTool, failed_tool, unknown_tool
from loopwright.kernel.run import AgentRun
from loopwright.kernel.state import CallState
from loopwright.kernel.tools import GateRequest, ToolResult


@dataclass(frozen=True)
class Ready:
    """A call that may run now: checked, and approved if it needs to be.

    `touches` is what it changes; None, as for every call with a gate: it runs alone.
    """

    call: CallState
    permit: Permit
    tool: AnyTool
    params: BaseModel
    arguments: dict[str, Any]
    touches: frozenset[str] | None
    gate: Gate | None = None


def examine(run: AgentRun, state: CallState) -> Ready | ToolResult | Gate:
    """What is to be done with a call: run it, answer it with a refusal, or open a gate."""
    call, registry, decision = state.call, run.toolbox.registry, run.decision
    available = [name for name in registry.names if name in decision.tools]
    if registry.get(call.name) is None:
        return unknown_tool(call.name, available)
    permit = decision.permit(call.name)
    if permit is None:
        return ToolResult.failure(
            f"{call.name} is not available in stage {run.state.stage!r} ({run.mode} mode).",
            "Available now: " + (", ".join(available) or "no tools") + ".",
        )
    arguments = read_arguments(run, call)
    if isinstance(arguments, ToolResult):
        return arguments
    checked = registry.check(call.name, arguments)
    if isinstance(checked, ToolResult):
        return checked
    tool, params = checked
    try:
        asks = call.name in decision.permission and not run.spec.granted(run, tool, arguments)
        request = _gate_request(tool, params, arguments, asks)
        asking = request is not None and state.gate_id is None
        shown = tool.preview(params, run.output_dir, run.services) if asking else {}
        touches = tool.touches(params)
    except Exception as error:
        return failed_tool(tool, error)
    if state.started is not None and tool.effect == "once":
        return _after_interruption(run, state, permit, tool, params, arguments)
    if request is not None and len({q.question for q in request.questions}) < len(request.questions):
        return ToolResult.failure("Two questions have the same text, so their answers could not be told apart.")
    if request is None:
        return Ready(state, permit, tool, params, arguments, touches)
    return _through_gate(run, state, permit, tool, params, arguments, request, shown)


def read_arguments(run: AgentRun, call: ToolCall) -> dict[str, Any] | ToolResult:
    """The arguments of a call, mended where the toolbox can, or the result that tells what is wrong with them.

    What the length limit cut off is never mended: half a file would be written as if it were whole.
    """
    response = run.state.last_response
    if response is not None and response.finish_reason == "length" and not _is_json(call.arguments):
        return ToolResult.failure(
            f"The call of {call.name} was cut off at the length limit, so it was not run.", "Go on in smaller pieces."
        )
    arguments = run.toolbox.repair(call.arguments)
    if isinstance(arguments, str):
        return ToolResult.failure(
            f"The arguments of {call.name} are not valid JSON: {arguments}"[:2_000], "Send the call again."
        )
    try:
        to_json(arguments)
    except PydanticSerializationError as error:  # half of a character beyond the basic plane, for one
        return ToolResult.failure(f"The arguments of {call.name} cannot be stored: {error}", "Send the call again.")
    return arguments


def _is_json(text: str) -> bool:
    try:
        from_json(text)
    except ValueError:
        return False
    return True


def _gate_request(tool: AnyTool, params: BaseModel, arguments: dict[str, Any], permission: bool) -> GateRequest | None:
    request = tool.gate(params)
    if request is None and permission:
        request = GateRequest("permission", f"Allow {tool.name}?", details={"tool": tool.name, "arguments": arguments})
    return request


def _through_gate(
    run: AgentRun,
    state: CallState,
    permit: Permit,
    tool: AnyTool,
    params: BaseModel,
    arguments: dict[str, Any],
    request: GateRequest,
    shown: Mapping[str, Any],
) -> Ready | ToolResult | Gate:
    digest = digest_of(tool.name, arguments, request.kind, dict(request.details))
    gate = run.state.gates.get(state.gate_id) if state.gate_id else None
    if gate is None:
        return new_gate(run, replace(request, details={**request.details, **shown}), digest, state.call.id)
    if gate.digest != digest:
        return ToolResult.failure("The approval was given for something else, so it was not used.", "Ask again.")
    if not gate.approved:
        comment = (gate.answer or {}).get("comment")
        said = f' They said: "{comment}"' if comment else ""
        return ToolResult.failure(f"The user did not allow {tool.name}.{said}", "Do not repeat it; find another way.")
    return Ready(state, permit, tool, params, arguments, None, gate)


def _after_interruption(
    run: AgentRun,
    state: CallState,
    permit: Permit,
    tool: AnyTool,
    params: BaseModel,
    arguments: dict[str, Any],
) -> Ready | ToolResult | Gate:
    """A `once` call was under way when its process died: nobody knows whether it took effect."""
    attempt = state.started.attempt if state.started else 1
    if not tool.asks_after_crash:
        return ToolResult.failure(
            f"The process was interrupted while {tool.name} ran, so its outcome is unknown; it was not repeated.",
            "Find out what it did before you call it again.",
        )
    details = {"tool": tool.name, "arguments": arguments, "attempt": attempt}
    request = GateRequest("permission", f"{tool.name} was interrupted; run it again?", details=details)
    digest = digest_of(tool.name, arguments, "again", attempt)
    gate = run.state.gates.get(state.gate_id) if state.gate_id else None
    if gate is None or gate.digest != digest:  # an approval of the first attempt is used up: each repetition asks anew
        return new_gate(run, request, digest, state.call.id)
    if not gate.approved:
        return ToolResult.failure(f"{tool.name} was interrupted and the user did not want it repeated.")
    return Ready(state, permit, tool, params, arguments, None, gate)
