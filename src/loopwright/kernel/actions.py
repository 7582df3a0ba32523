"""A stage's own work without a model: as journalled and as crash-safe as a tool call."""

from loopwright.kernel.events import ActionFinished, ActionStarted
from loopwright.kernel.outcomes import Outcome
from loopwright.kernel.run import AgentRun
from loopwright.kernel.spec import Action
from loopwright.kernel.think import signal


async def act(run: AgentRun, action: Action) -> Outcome:
    """Do the stage's work and put its signal to the controller.

    An action must be idempotent by its key `run:stage:attempt`: after a crash in the middle it is done again.
    """
    stage = run.state.stage
    key = f"{run.state.run_id}:{stage}:{run.state.stage_entries.get(stage, 1)}:{run.state.refusals}"
    await run.append(ActionStarted(key=key, stage=stage))
    result = await action(run)
    run.defer(
        ActionFinished(key=key, stage=stage, success=result.success, output=result.output, artifacts=result.artifacts)
    )
    return await signal(run, result.signal)
