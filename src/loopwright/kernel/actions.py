"""Stages without a model: asking a human, and work of their own."""

from typing import Any

from loopwright.kernel.crash import crash_point
from loopwright.kernel.events import ActionFinished, ActionStarted, GateOpened, Payload, RunWaitingInput
from loopwright.kernel.gates import Failed, Gate, Outcome, RunAgain, Waiting, digest_of
from loopwright.kernel.run import AgentRun
from loopwright.kernel.spec import Action, ActionResult
from loopwright.kernel.think import signal
from loopwright.kernel.tools import GateRequest


def new_gate(run: AgentRun, request: GateRequest, digest: str, call_id: str | None = None) -> Gate:
    """The gate that asks for this; the run can be found from its id."""
    return Gate(
        gate_id=f"{run.state.run_id}.{len(run.state.gates) + 1}",
        kind=request.kind,
        digest=digest,
        call_id=call_id,
        title=request.title,
        questions=list(request.questions),
        details=dict(request.details),
    )


def gate_of_call(run: AgentRun, call_id: str, request: GateRequest) -> Gate:
    """The gate that a call asks for in its middle; the answer is for this call alone, whatever the user says."""
    questions = [question.model_dump() for question in request.questions]
    digest = digest_of(call_id, len(run.state.gates), request.kind, questions, dict(request.details))
    return new_gate(run, request, digest, call_id).model_copy(update={"asked_by_call": True})


async def open_gate(run: AgentRun, gate: Gate, *beside: Payload) -> Waiting:
    """Store the question, with what belongs to it, and rest."""
    await run.append_status(GateOpened.of(gate), *beside, RunWaitingInput(gate_id=gate.gate_id))
    crash_point("gate.opened")
    return Waiting(run.state.gates[gate.gate_id])


def out_of_turns(run: AgentRun) -> bool:
    """Whether the user has spoken as often as the run's limits allow, so that nothing more may be asked."""
    limit = run.spec.limits.max_turns
    return limit is not None and run.state.turns >= limit


def request_digest(run: AgentRun, request: GateRequest) -> str:
    """What an action's gate names: exactly this content, in this stage."""
    questions = [question.model_dump() for question in request.questions]
    return digest_of(run.state.stage, request.kind, questions, dict(request.details))


def answer_to(run: AgentRun, request: GateRequest) -> dict[str, Any] | None:
    """What a human said to exactly this request of the stage's action, or None as long as nobody did.

    An answer is there until the action ends: one to an earlier entry of the stage, or to other content, is none.
    """
    digest = request_digest(run, request)
    answered = (gate for gate in run.state.gates.values() if gate.call_id is None and gate.status == "answered")
    return next((gate.answer for gate in answered if gate.digest == digest), None)


# A stage's own work without a model: as journalled and as crash-safe as a tool call.

GO_ON = "go_on"
"""The signal of work that leaves the stage as it is."""
OUT_OF_TURNS = "turn_limit"
"""The signal of a question for which no turn is left."""
MORE_TURNS = "Send another message in the same session, or raise LOOPWRIGHT_TURN_LIMIT."


async def act(run: AgentRun, action: Action, attempt: str | None = None) -> Outcome:
    """Do the stage's work and put its signal to the controller, or rest on the question that the work asks.

    An action must be idempotent by its key `run:stage:attempt`: after a crash in the middle it is done again.
    """
    stage = run.state.stage
    attempt = attempt or f"{run.state.stage_entries.get(stage, 1)}:{run.state.refusals}"
    key = f"{run.state.run_id}:{stage}:{attempt}"
    await run.append(ActionStarted(key=key, stage=stage))
    crash_point("action.started")
    result = await run.interruptibly(action(run))
    if isinstance(result, GateRequest) and not out_of_turns(run):
        return await open_gate(run, new_gate(run, result, request_digest(run, result)))
    if isinstance(result, GateRequest):
        text = f"All {run.state.turns} turns are used, and this would have to be asked still: {result.title}"
        if run.toolbox.controller.row(stage, OUT_OF_TURNS) is None:
            return Failed(OUT_OF_TURNS, text, MORE_TURNS)
        result = ActionResult(False, text, OUT_OF_TURNS, text=f"{text} {MORE_TURNS}")
    run.defer(
        ActionFinished(
            key=key,
            stage=stage,
            success=result.success,
            output=result.output,
            text=result.text,
            artifacts=result.artifacts,
        )
    )
    if result.signal == GO_ON:
        return RunAgain()
    return await signal(run, result.signal)
