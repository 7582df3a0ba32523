"""The second half of a step: bring every open tool call to its result, exactly once.

A call is checked (policy, arguments), approved where the policy wants it, journalled as started, run, and journalled as
finished. After a crash the same path is walked again: a finished call is never touched, a started one is run again only
if its tool's effect allows it.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic import BaseModel
from pydantic_core import PydanticSerializationError, from_json, to_json

from loopwright.kernel.actions import gate_of_call, new_gate, open_gate, out_of_turns
from loopwright.kernel.cancelling import GRACE_SECONDS
from loopwright.kernel.children import ChargedChildren
from loopwright.kernel.crash import crash_point
from loopwright.kernel.emitter import RunEmitter, RunModel
from loopwright.kernel.errors import Abandoned, Interrupted, InvariantBroken, Suspended
from loopwright.kernel.events import InnerCallsAsked, ToolCallStarted, ToolResultRecorded
from loopwright.kernel.gates import Cancelled, Gate, Outcome, RunAgain, Waiting, digest_of
from loopwright.kernel.messages import ToolCall
from loopwright.kernel.policy import Permit, Refusal
from loopwright.kernel.run import AgentRun
from loopwright.kernel.state import CallState
from loopwright.kernel.telemetry import telling_tool
from loopwright.kernel.think import change_stage
from loopwright.kernel.tools import AnyTool, GateRequest, ToolContext, ToolResult, failed_tool, unknown_tool

# What is to be done with a tool call before anything runs: policy, arguments, approval, and what a crash left open.


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
    asked = run.state.gates.get(state.gate_id) if state.gate_id else None
    if asked is not None and asked.asked_by_call and (asked.status == "answered" or tool.effect != "once"):
        return Ready(state, permit, tool, params, arguments, None, asked)
    if state.started is not None and tool.effect == "once":
        return _after_interruption(run, state, permit, tool, params, arguments)
    if request is not None and len({q.question for q in request.questions}) < len(request.questions):
        return ToolResult.failure("Two questions have the same text, so their answers could not be told apart.")
    if request is None:
        return Ready(state, permit, tool, params, arguments, touches)
    return _through_gate(run, state, permit, tool, params, arguments, request, shown)


def read_arguments(run: AgentRun, call: ToolCall) -> dict[str, Any] | ToolResult:
    """The arguments of a call, repaired where the toolbox can, or the result that tells what is wrong with them.

    What the length limit cut off is never repaired: half a file would be written as if it were whole.
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


OUT_OF_TURNS = "the user has been asked as often as this run may ask"


async def dispatch(run: AgentRun, parent: str | None = None) -> Outcome:
    """Run the open calls in order, independent ones side by side, until all are done or a human is needed.

    They are the model's own, or those that the tool of the call `parent` has made.
    """
    while run.state.open_calls_of(parent):
        if run.cancelled:
            return Cancelled()
        batch: list[Ready] = []
        touched: set[str] = set()
        for call in run.state.open_calls_of(parent):
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
        await run.append(*_ended(run, call, verdict))
        return None
    if isinstance(verdict, Gate):
        curated = await run.spec.curate(run, verdict)
        if isinstance(curated, ToolResult):
            await run.append(*_ended(run, call, curated))
            return None
        if verdict.asks_human and out_of_turns(run):
            await run.append(*_ended(run, call, _not_run(OUT_OF_TURNS)))
            return None
        return await _ask(run, call, curated)
    raise AssertionError("a ready call always fits into an empty batch")


async def _ask(run: AgentRun, call: CallState, gate: Gate) -> Outcome:
    """Rest until a human has answered. Calls beside a question to the user are answered as not run."""
    beside = run.state.open_calls_of(call.parent) if gate.kind == "questions" else []
    siblings = [s for s in beside if s is not call]
    return await open_gate(
        run, gate, *(_recorded(s, _not_run("the user was asked a question first")) for s in siblings)
    )


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
    if len(batch) == 1:
        return await _ask_for_calls(run, batch, [await _run_one(run, batch[0])])
    slots = asyncio.Semaphore(run.spec.limits.concurrency)

    async def limited(ready: Ready) -> Waiting | GateRequest | None:
        async with slots:
            return await _run_one(run, ready)

    settled = await asyncio.gather(*(limited(ready) for ready in batch), return_exceptions=True)
    for each in settled:  # every call is brought to its end before one's failure ends the run
        if isinstance(each, BaseException):
            raise each
    return await _ask_for_calls(run, batch, [each for each in settled if not isinstance(each, BaseException)])


async def _ask_for_calls(
    run: AgentRun, batch: Sequence[Ready], requests: Sequence[Waiting | GateRequest | None]
) -> Outcome | None:
    """Rest on what a call has asked in its middle, if one did; it is made again once the answer is there.

    One gate is open at a time: calls beside it that ask too are made again by then, or told to be called again.
    """
    for each in requests:
        if isinstance(each, Waiting):
            return each  # a call that one has made waits: its gate is open already
    asking = [(ready, asked) for ready, asked in zip(batch, requests, strict=True) if isinstance(asked, GateRequest)]
    if not asking:
        return None
    (first, request), *others = asking
    if out_of_turns(run):
        for ready, _ in asking:
            await run.append(*_ended(run, ready.call, _not_run(OUT_OF_TURNS)))
        return None
    late = [ready.call for ready, _ in others if ready.tool.effect == "once"]
    refused = (_recorded(call, _not_run("another call has asked the user first")) for call in late)
    return await open_gate(run, gate_of_call(run, first.call.call.id, request), *refused)


def context_of(run: AgentRun, call_id: str, tool: str, gate: Gate | None = None) -> ToolContext[Any]:
    """What a call sees of its run."""
    return ToolContext(
        session_id=run.state.session_id,
        run_id=run.state.run_id,
        call_id=call_id,
        output_dir=run.output_dir,
        db=run.services,
        settings=run.state.options,
        event_emitter=RunEmitter(run, call_id),
        llm_client=RunModel(run, call_id, tool),
        prompts=run.toolbox.prompts,
        children=ChargedChildren(run, call_id, run.children) if run.children is not None else None,
        answer=gate.answer if gate else None,
        shown=gate.details if gate else None,
        user_message=run.state.context.newest_user.content if run.state.context.newest_user else "",
        stage=run.state.stage,
        model=run.state.last_response.model if run.state.last_response else "",
    )


class RunTools:
    """The `ToolCaller` of one call: the nth call that its tool makes finds the nth one in the journal."""

    def __init__(self, run: AgentRun, ready: Ready) -> None:
        """Call for the tool of this call."""
        self._run = run
        self._ready = ready
        self._made = 0
        self._one_at_a_time = asyncio.Lock()

    async def call(self, *calls: tuple[str, Mapping[str, Any]]) -> list[ToolResult]:
        """Make these calls, or find out from the journal what they came to.

        Raises:
            TypeError: the calling tool cannot be run again (`once`), or runs beside others (`touches`).
            InvariantBroken: run again, the tool has made other calls than before.
            Suspended: a call waits for a human.
            Interrupted: the user has cancelled the run.
        """
        run, parent, tool = self._run, self._ready.call.call.id, self._ready.tool
        if tool.effect == "once" or self._ready.touches is not None:
            raise TypeError(f"{tool.name} calls tools: it must be idempotent, and its `touches` None")
        made = [
            ToolCall(id=f"{parent}.{number}", name=name, arguments=to_json(dict(arguments)).decode())
            for number, (name, arguments) in enumerate(calls, self._made + 1)
        ]
        self._made += len(made)
        async with self._one_at_a_time:
            known = [run.state.calls[call.id].call for call in made if call.id in run.state.calls]
            if known and known != made:
                raise InvariantBroken(f"Run again, {tool.name} has made other calls than before; what was done stands.")
            if made and not known:
                await run.append(InnerCallsAsked(call_id=parent, calls=made))
                crash_point("calls.nested")
            outcome = await dispatch(run, parent)
        if isinstance(outcome, Waiting):
            raise Suspended(f"A call of {tool.name} waits for a human.")
        if isinstance(outcome, Cancelled):
            raise Interrupted(f"The run was cancelled while {tool.name} ran.")
        results = [run.state.calls[call.id].result for call in made]
        return [
            ToolResult(success=each.success, output=each.output, error=each.error, artifacts=each.artifacts)
            for each in results
            if each is not None
        ]


async def _run_one(run: AgentRun, ready: Ready) -> Waiting | GateRequest | None:
    """Run a started call and record its result, unless it, or a call that it has made, needs a human's word first."""
    result: ToolResult | GateRequest
    if run.cancelled:
        result = _not_run("the user cancelled the run first")
    else:
        ctx = context_of(run, ready.call.call.id, ready.tool.name, ready.gate)
        ctx = replace(ctx, tools=RunTools(run, ready))
        work = run.toolbox.registry.run(ready.permit, ready.tool, ready.params, ctx)
        with telling_tool(ready.tool.name, ready.call.call.id) as told:
            try:
                result = await run.interruptibly(work)
            except Suspended:
                if run.state.open_gate is None:
                    raise
                return Waiting(run.state.open_gate)  # the call stays open: it runs again once the answer is there
            except Interrupted as interrupted:
                result = _broken_off(ready, interrupted)
            if isinstance(result, ToolResult):
                told.result(result)
    crash_point("tool.executed")
    if isinstance(result, GateRequest):
        return result
    await _record(run, ready.call, result)
    crash_point("result.recorded")
    return None


def _broken_off(ready: Ready, interrupted: Interrupted) -> ToolResult:
    """The result of a call that the cancellation has ended without one of its own."""
    name = ready.tool.name
    if not isinstance(interrupted, Abandoned):
        return ToolResult.failure(f"{name} was cancelled by the user while it ran.")
    told = f"{name} was cancelled by the user while it ran, and did not stop within {GRACE_SECONDS:g} seconds."
    unknown = "Its outcome is unknown: find out what it did before you call it again."
    return ToolResult.failure(told, unknown if ready.tool.effect == "once" else "")


async def _record(run: AgentRun, call: CallState, result: ToolResult) -> None:
    """Store the result. The controller hears its signal first, so that a refusal rewrites this very result."""
    if result.signal is None or not result.success:
        await run.append(*_ended(run, call, result))
        return
    async with run.changing_stage:
        move = await run.toolbox.controller.decide(run.state.stage, result.signal, run)
        if isinstance(move, Refusal):
            await run.append(*_ended(run, call, ToolResult.failure(move.reason)))
            return
        others = [*run.state.open_calls, *(run.state.open_calls_of(call.parent) if call.parent else ())]
        siblings = [s for s in others if s is not call and s.started is None]
        run.defer(*(_recorded(s, _not_run("the stage changed first")) for s in siblings), *_ended(run, call, result))
        await change_stage(run, move.target, result.signal)
        await run.append()


def _ended(run: AgentRun, call: CallState, result: ToolResult) -> list[ToolResultRecorded]:
    """The events that a call's end is: calls that its tool has made and that are open still end with it."""
    left = run.state.open_calls_of(call.call.id)
    told = [
        _not_run(f"{call.call.name} ended first")
        if inner.started is None
        else ToolResult.failure(
            f"{call.call.name} ended while {inner.call.name} ran, so its outcome is unknown.",
            "Find out what it did before you call it again.",
        )
        for inner in left
    ]
    return [*map(_recorded, left, told), _recorded(call, result)]


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
