"""A stage's own work without a model: as journalled and as crash-safe as a tool call."""

from loopwright.kernel.asking import new_gate, open_gate, out_of_turns, request_digest
from loopwright.kernel.crash import crash_point
from loopwright.kernel.events import ActionFinished, ActionStarted
from loopwright.kernel.outcomes import Failed, Outcome, RunAgain
from loopwright.kernel.run import AgentRun
from loopwright.kernel.spec import Action, ActionResult
from loopwright.kernel.think import signal
from loopwright.kernel.tools import GateRequest

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
