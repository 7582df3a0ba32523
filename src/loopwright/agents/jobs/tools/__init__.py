"""The tools of the jobs agent by phase (spec 003, "Tool Sets by Phase"): one file each, beside it the text for the model."""

from loopwright.agents.jobs.tools.job_complete import JobComplete
from loopwright.agents.jobs.tools.todo_complete import TodoComplete
from loopwright.agents.jobs.tools.todo_rewind import TodoRewind
from loopwright.agents.jobs.tools.todo_write import TodoWrite
from loopwright.kernel.registry import AnyTool

WORKSPACE_TOOLS: tuple[AnyTool, ...] = (TodoComplete(),)
STRATEGIC_TOOLS: tuple[AnyTool, ...] = (TodoWrite(), JobComplete())
TACTICAL_TOOLS: tuple[AnyTool, ...] = (TodoRewind(),)
DOMAIN_TOOLS: tuple[AnyTool, ...] = ()

WORKSPACE, STRATEGIC, TACTICAL, DOMAIN = (
    frozenset(tool.name for tool in tools)
    for tools in (WORKSPACE_TOOLS, STRATEGIC_TOOLS, TACTICAL_TOOLS, DOMAIN_TOOLS)
)
"""Names by category: workspace tools in all phases, strategic and tactical ones in theirs, domain tools in tactical."""


def all_tools() -> tuple[AnyTool, ...]:
    """The tools in the order in which the model sees them."""
    return (*WORKSPACE_TOOLS, *STRATEGIC_TOOLS, *TACTICAL_TOOLS, *DOMAIN_TOOLS)
