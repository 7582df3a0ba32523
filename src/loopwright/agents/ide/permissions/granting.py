"""Whether the user has allowed a call already, and what a yes at its gate may allow beyond it."""

from collections.abc import Mapping
from typing import Any

from loopwright.agents.ide.contracts import IdeOptions
from loopwright.agents.ide.tools.tool import IdeTool
from loopwright.kernel.gates import Gate
from loopwright.kernel.registry import AnyTool
from loopwright.kernel.run import AgentRun
from loopwright.kernel.tools import ToolResult


def granted(run: AgentRun, tool: AnyTool, arguments: Mapping[str, Any]) -> bool:
    """Whether each rule that the call needs was given: beforehand, for good, or at a gate of this run for all of it."""
    if not isinstance(tool, IdeTool):
        return False
    options, category = IdeOptions.model_validate(run.state.options), tool.category_of(arguments, run.output_dir)
    if category == "read" or category in options.allowed:
        return True
    rules = tool.rules(arguments, run.output_dir)
    return bool(rules) and set(rules or ()) <= _given(run, options)


async def offer(run: AgentRun, gate: Gate) -> Gate | ToolResult:
    """The gate, with the rules that a yes for the run or for good would allow; with none where each call is asked.

    A gate of the tool's own is about a risk that each call takes anew, and one about a repetition is about that alone:
    they offer what their own details allow, if anything.
    """
    details = gate.details
    tool = run.toolbox.registry.get(str(details.get("tool", "")))
    if gate.kind != "permission" or not isinstance(tool, IdeTool):
        return gate
    arguments = details.get("arguments") or {}
    lasting = "attempt" not in details and tool.gate(tool.parameters_model.model_validate(arguments)) is None
    rules = (tool.rules(arguments, run.output_dir) or ()) if lasting else details.get("allows", ())
    return gate.model_copy(update={"details": {**details, "allows": list(rules)}})


def _given(run: AgentRun, options: IdeOptions) -> set[str]:
    found = {rule for rule in options.always if rule != "run"}  # older permissions meant every command by this
    for gate in run.state.gates.values():
        if gate.kind == "permission" and gate.approved and (gate.answer or {}).get("scope") in ("run", "always"):
            found.update(gate.details.get("allows") or ())
    return found
