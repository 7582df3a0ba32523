"""The second half of a step: bring every open tool call to its result, exactly once.

A call is checked (policy, arguments), approved where the policy wants it, journalled as started, run, and journalled as
finished. After a crash the same path is walked again: a finished call is never touched, a started one is run again only
if its tool's effect allows it.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from loopwright.kernel.controller import Refusal
from loopwright.kernel.crash import crash_point
from loopwright.kernel.emitter import RunEmitter, RunModel
from loopwright.kernel.events import GateOpened, RunWaitingInput, ToolCallStarted, ToolResultRecorded
from loopwright.kernel.gates import Gate, digest_of
from loopwright.kernel.outcomes import Cancelled, Outcome, RunAgain, Waiting
from loopwright.kernel.registry import AnyTool
from loopwright.kernel.run import AgentRun
from loopwright.kernel.state import CallState
from loopwright.kernel.think import change_stage
from loopwright.kernel.tools import GateRequest, ToolContext, ToolResult


@dataclass(frozen=True)
class Ready:
    """A call that may run now: checked, and approved if it needs to be."""

    call: CallState
    tool: AnyTool
    params: BaseModel
    arguments: dict[str, Any]
    gate: Gate | None = None

    @property
    def touches(self) -> frozenset[str] | None:
        """What it changes; a call with a gate runs alone."""
        return None if self.gate else self.tool.touches(self.params)


async def dispatch(run: AgentRun) -> Outcome:
    """Run the open calls in order, independent ones side by side, until all are done or a human is needed."""
    while run.state.open_calls:
        if run.cancelled:
            return Cancelled()
        batch: list[Ready] = []
        touched: set[str] = set()
        for call in run.state.open_calls:
            verdict = examine(run, call)
            if isinstance(verdict, Ready) and _independent(verdict, batch, touched):
                batch.append(verdict)
                touched |= verdict.touches or set()
                continue
            if not batch:
                outcome = await _settle(run, call, verdict)
                if outcome is not None:
                    return outcome
            break
        if batch:
            outcome = await execute(run, batch)
            if outcome is not None:
                return outcome
    return RunAgain()


def _independent(ready: Ready, batch: Sequence[Ready], touched: set[str]) -> bool:
    if not batch:
        return True
    touches, first = ready.touches, batch[0].touches
    if touches is None or first is None or bool(touches) != bool(first):
        return False  # readers run beside readers, writers beside writers: a read must see the writes before it
    return not touches & touched


async def _settle(run: AgentRun, call: CallState, verdict: Ready | ToolResult | Gate) -> Outcome | None:
    """Deal with a call that does not run now: refused, or waiting for a human."""
    if isinstance(verdict, ToolResult):
        await run.append(_recorded(call, verdict))
        return None
    if isinstance(verdict, Gate):
        return await open_gate(run, verdict)
    raise AssertionError("a ready call always fits into an empty batch")


def examine(run: AgentRun, state: CallState) -> Ready | ToolResult | Gate:
    """What is to be done with a call: run it, answer it with a refusal, or open a gate."""
    call, registry, decision = state.call, run.toolbox.registry, run.decision
    if registry.get(call.name) is not None and call.name not in decision.tools:
        return ToolResult.failure(
            f"{call.name} is not available in stage {run.state.stage!r} ({run.mode} mode).",
            "Available now: " + (", ".join(n for n in registry.names if n in decision.tools) or "no tools") + ".",
        )
    arguments = run.toolbox.repair(call.arguments)
    if isinstance(arguments, str):
        return ToolResult.failure(
            f"The arguments of {call.name} are not valid JSON: {arguments}", "Send the call again."
        )
    checked = registry.check(call.name, arguments)
    if isinstance(checked, ToolResult):
        return checked
    tool, params = checked
    request = _gate_request(tool, params, arguments, call.name in decision.permission)
    if state.started is not None and tool.effect == "once":
        return _after_interruption(run, state, tool, params, arguments, request)
    if request is None:
        return Ready(state, tool, params, arguments)
    return _through_gate(run, state, tool, params, arguments, request)


def _gate_request(tool: AnyTool, params: BaseModel, arguments: dict[str, Any], permission: bool) -> GateRequest | None:
    request = tool.gate(params)
    if request is None and permission:
        request = GateRequest("permission", f"Allow {tool.name}?", details={"tool": tool.name, "arguments": arguments})
    return request


def _through_gate(
    run: AgentRun, state: CallState, tool: AnyTool, params: BaseModel, arguments: dict[str, Any], request: GateRequest
) -> Ready | ToolResult | Gate:
    digest = digest_of(tool.name, arguments, request.kind, dict(request.details))
    gate = run.state.gates.get(state.gate_id) if state.gate_id else None
    if gate is None:
        return _new_gate(run, request, digest, state.call.id)
    if gate.digest != digest:
        return ToolResult.failure("The approval was given for something else, so it was not used.", "Ask again.")
    if not gate.approved:
        comment = (gate.answer or {}).get("comment")
        said = f' They said: "{comment}"' if comment else ""
        return ToolResult.failure(f"The user did not allow {tool.name}.{said}", "Do not repeat it; find another way.")
    return Ready(state, tool, params, arguments, gate)


def _new_gate(run: AgentRun, request: GateRequest, digest: str, call_id: str) -> Gate:
    return Gate(
        gate_id=f"{run.state.run_id}.{len(run.state.gates) + 1}",  # the run can be found from it
        kind=request.kind,
        digest=digest,
        call_id=call_id,
        title=request.title,
        questions=list(request.questions),
        details=dict(request.details),
    )


def _after_interruption(
    run: AgentRun,
    state: CallState,
    tool: AnyTool,
    params: BaseModel,
    arguments: dict[str, Any],
    wanted: GateRequest | None,
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
        return _new_gate(run, request, digest, state.call.id)
    if not gate.approved:
        return ToolResult.failure(f"{tool.name} was interrupted and the user did not want it repeated.")
    return Ready(state, tool, params, arguments, gate)


async def open_gate(run: AgentRun, gate: Gate) -> Outcome:
    """Store the question and rest. Calls beside a question to the user are answered as not run."""
    siblings = [s for s in run.state.open_calls if s.call.id != gate.call_id] if gate.kind == "questions" else []
    payloads = [_recorded(s, _not_run("the user was asked a question first")) for s in siblings]
    await run.append_status(GateOpened(gate=gate), *payloads, RunWaitingInput(gate_id=gate.gate_id))
    crash_point("gate.opened")
    return Waiting(run.state.gates[gate.gate_id])


async def execute(run: AgentRun, batch: Sequence[Ready]) -> Outcome | None:
    """Journal the calls as started, run them side by side, journal each result as it comes."""
    await run.append(
        *(
            ToolCallStarted(
                call_id=ready.call.call.id,
                name=ready.tool.name,
                arguments=ready.arguments,
                effect=ready.tool.effect,
                attempt=ready.call.started.attempt + 1 if ready.call.started else 1,
                gate_id=ready.gate.gate_id if ready.gate else None,
            )
            for ready in batch
        )
    )
    crash_point("calls.started")
    if run.cancelled:
        return Cancelled()
    if len(batch) == 1:
        return await _run_one(run, batch[0])
    slots = asyncio.Semaphore(run.spec.limits.concurrency)

    async def limited(ready: Ready) -> Outcome | None:
        async with slots:
            return await _run_one(run, ready)

    settled = await asyncio.gather(*(limited(ready) for ready in batch), return_exceptions=True)
    for each in settled:  # every call is brought to its end before one's failure ends the run
        if isinstance(each, BaseException):
            raise each
    return next((each for each in settled if not isinstance(each, BaseException) and each is not None), None)


async def _run_one(run: AgentRun, ready: Ready) -> Outcome | None:
    ctx: ToolContext[Any] = ToolContext(
        session_id=run.state.session_id,
        run_id=run.state.run_id,
        call_id=ready.call.call.id,
        output_dir=run.output_dir,
        db=run.services,
        settings=run.state.options,
        event_emitter=RunEmitter(run, ready.call.call.id),
        llm_client=RunModel(run, ready.call.call.id, ready.tool.name),
        prompts=run.toolbox.prompts,
        answer=ready.gate.answer if ready.gate else None,
    )
    result = await run.toolbox.registry.run(ready.tool, ready.params, ctx)
    crash_point("tool.executed")
    outcome = await _record(run, ready.call, result)
    crash_point("result.recorded")
    return outcome


async def _record(run: AgentRun, call: CallState, result: ToolResult) -> Outcome | None:
    """Store the result. The controller hears its signal first, so that a refusal rewrites this very result."""
    if result.signal is None or not result.success:
        await run.append(_recorded(call, result))
        return None
    move = await run.toolbox.controller.decide(run.state.stage, result.signal, run)
    if isinstance(move, Refusal):
        await run.append(_recorded(call, ToolResult.failure(move.reason)))
        return None
    siblings = [s for s in run.state.open_calls if s.call.id != call.call.id and s.started is None]
    run.defer(*(_recorded(s, _not_run("the stage changed first")) for s in siblings), _recorded(call, result))
    await change_stage(run, move.target, result.signal)
    await run.append()
    return None


def _not_run(why: str) -> ToolResult:
    return ToolResult.failure(f"Not run: {why}.", "Call it again if it is still needed.")


def _recorded(state: CallState, result: ToolResult) -> ToolResultRecorded:
    return ToolResultRecorded(
        call_id=state.call.id,
        name=state.call.name,
        success=result.success,
        output=result.output,
        error=result.error,
        artifacts=result.artifacts,
    )
