"""How the controller uses the agent's tools: by the policy of its stage, with the checks and the trace of any call."""

from typing import Any

from loopwright.kernel.dispatch import context_of
from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.gates import digest_of
from loopwright.kernel.run import AgentRun


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
    result = await tool.execute(tool.parameters_model.model_validate(parameters), context_of(run, call_id, name))
    if not result.success or result.artifacts is None:
        raise InvalidInput(result.error or f"{name} gave nothing.")
    data: dict[str, Any] = result.artifacts["data"]
    return data
