"""How the controller uses the agent's tools: by the policy of its stage, with the checks and the trace of any call."""

from dataclasses import replace
from typing import Any

from loopwright.kernel.dispatch import context_of
from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.events import Payload
from loopwright.kernel.gates import digest_of
from loopwright.kernel.run import AgentRun


class DeferringEmitter:
    """Tells of a call together with what the controller makes of it: half of a decision is never stored."""

    def __init__(self, run: AgentRun) -> None:
        """Speak for this run."""
        self._run = run

    def progress(self, message: str, **data: Any) -> None:
        """Show it to whoever watches now."""
        self._run.sink(self._run.state.run_id, "progress", {"message": message, **data})

    async def record(self, payload: Payload) -> None:
        """Store it with the end of the step."""
        self._run.defer(payload)


async def use_tool(run: AgentRun, name: str, **parameters: Any) -> dict[str, Any]:
    """Call a tool of the run's stage and give its data; the same call in the same visit of the stage is written once.

    The tool saves the planning state: who holds an earlier one loads it again before saving.

    Raises:
        InvalidInput: the tool refuses, or the stage does not have it.
    """
    stage = run.state.stage
    tool = run.toolbox.registry.get(name)
    if tool is None or name not in run.decision.tools:
        raise InvalidInput(f"The controller has no tool {name} in {stage}.", hint="See TOOLS_BY_STATE of the planner.")
    entries = run.state.stage_entries.get(stage, 1)
    call_id = f"{stage}:{entries}:{digest_of(name, parameters)[:16]}"
    context = replace(context_of(run, call_id, name), event_emitter=DeferringEmitter(run))
    result = await tool.execute(tool.parameters_model.model_validate(parameters), context)
    if not result.success or result.artifacts is None:
        raise InvalidInput(result.error or f"{name} gave nothing.")
    data: dict[str, Any] = result.artifacts["data"]
    return data
