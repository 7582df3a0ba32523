"""The second half of a step: bring every open tool call to its result, exactly once.

A call is checked (policy, arguments), approved where the policy wants it, journalled as started, run, and journalled as
finished. After a crash the same path is walked again: a finished call is never touched, a started one is run again only
if its tool's effect allows it.
"""

import asyncio
from collections.abc import Sequence
from typing import Any

from loopwright.kernel.asking import open_gate, out_of_turns
from loopwright.kernel.cancelling import GRACE_SECONDS
from loopwright.kernel.controller import Refusal
from loopwright.kernel.crash import crash_point
from loopwright.kernel.emitter import RunEmitter, RunModel
from loopwright.kernel.errors import Abandoned, Interrupted
from loopwright.kernel.events import ToolCallStarted, ToolResultRecorded
from loopwright.kernel.examine import Ready, examine
from loopwright.kernel.gates import Gate
from loopwright.kernel.outcomes import Cancelled, Outcome, RunAgain
from loopwright.kernel.run import AgentRun
from loopwright.kernel.state import CallState
from loopwright.kernel.think import change_stage
from loopwright.kernel.tools import ToolContext, ToolResult


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
        curated = await run.spec.curate(run, verdict)
        if isinstance(curated, ToolResult):
            await run.append(_recorded(call, curated))
            return None
        if out_of_turns(run):
            await run.append(_recorded(call, _not_run("the user has been asked as often as this run may ask")))
            return None
        return await _ask(run, curated)
    raise AssertionError("a ready call always fits into an empty batch")


async def _ask(run: AgentRun, gate: Gate) -> Outcome:
    """Rest until a human has answered. Calls beside a question to the user are answered as not run."""
    siblings = [s for s in run.state.open_calls if s.call.id != gate.call_id] if gate.kind == "questions" else []
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
        answer=gate.answer if gate else None,
        shown=gate.details if gate else None,
        user_message=run.state.context.newest_user.content if run.state.context.newest_user else "",
        stage=run.state.stage,
        model=run.state.last_response.model if run.state.last_response else "",
    )


async def _run_one(run: AgentRun, ready: Ready) -> Outcome | None:
    if run.cancelled:
        result = _not_run("the user cancelled the run first")
    else:
        ctx = context_of(run, ready.call.call.id, ready.tool.name, ready.gate)
        work = run.toolbox.registry.run(ready.permit, ready.tool, ready.params, ctx)
        try:
            result = await run.interruptibly(work)
        except Interrupted as interrupted:
            result = _broken_off(ready, interrupted)
    crash_point("tool.executed")
    outcome = await _record(run, ready.call, result)
    crash_point("result.recorded")
    return outcome


def _broken_off(ready: Ready, interrupted: Interrupted) -> ToolResult:
    """The result of a call that the cancellation has ended without one of its own."""
    name = ready.tool.name
    if not isinstance(interrupted, Abandoned):
        return ToolResult.failure(f"{name} was cancelled by the user while it ran.")
    told = f"{name} was cancelled by the user while it ran, and did not stop within {GRACE_SECONDS:g} seconds."
    unknown = "Its outcome is unknown: find out what it did before you call it again."
    return ToolResult.failure(told, unknown if ready.tool.effect == "once" else "")


async def _record(run: AgentRun, call: CallState, result: ToolResult) -> Outcome | None:
    """Store the result. The controller hears its signal first, so that a refusal rewrites this very result."""
    if result.signal is None or not result.success:
        await run.append(_recorded(call, result))
        return None
    async with run.turning:
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
