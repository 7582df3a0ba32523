"""A stage's own work without a model: as journalled and as crash-safe as a tool call."""

from loopwright.kernel.asking import new_gate, open_gate, request_digest
from loopwright.kernel.crash import crash_point
from loopwright.kernel.events import ActionFinished, ActionStarted
from loopwright.kernel.outcomes import Outcome
from loopwright.kernel.run import AgentRun
from loopwright.kernel.spec import Action
from loopwright.kernel.think import signal
from loopwright.kernel.tools import GateRequest


async def act(run: AgentRun, action: Action) -> Outcome:
    """Do the stage's work and put its signal to the controller, or rest on the question that the work asks.

    An action must be idempotent by its key `run:stage:attempt`: after a crash in the middle it is done again.
    """
    stage = run.state.stage
    key = f"{run.state.run_id}:{stage}:{run.state.stage_entries.get(stage, 1)}:{run.state.refusals}"
    await run.append(ActionStarted(key=key, stage=stage))
    crash_point("action.started")
    result = await action(run)
    if isinstance(result, GateRequest):
        return await open_gate(run, new_gate(run, result, request_digest(run, result)))
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
    return await signal(run, result.signal)
