"""Steps that the controller takes in the model's place, by the same tools and under the same policy."""

from dataclasses import dataclass, field
from typing import Any

from loopwright.agents.pages.context.relevance import Project, load_project
from loopwright.agents.pages.workspace import Workspace
from loopwright.kernel.dispatch import context_of
from loopwright.kernel.errors import Interrupted
from loopwright.kernel.gates import digest_of
from loopwright.kernel.run import AgentRun
from loopwright.kernel.tools import ToolContext, ToolResult, unasked


@dataclass
class Work:
    """What was done, in words for the user."""

    run: AgentRun
    made: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)

    async def project(self) -> Project:
        """The project as it is now."""
        return await load_project(self.run.services, self.run.state.session_id, Workspace(self.run.output_dir))

    def context(self, name: str, parameters: dict[str, Any]) -> ToolContext[Any]:
        """What a call of the plan sees; it is known by what it does, so that after a crash it is the same call."""
        stage = self.run.state.stage
        entries = self.run.state.stage_entries.get(stage, 1)
        return context_of(self.run, f"{stage}:{entries}:{digest_of(name, parameters)[:16]}", name)

    async def use(self, name: str, **parameters: Any) -> ToolResult:
        """Call a tool as the stage's policy allows.

        Raises:
            Interrupted: the user has cancelled the run.
        """
        if self.run.cancelled:
            raise Interrupted("The run was cancelled while its plan was worked off.")
        registry = self.run.toolbox.registry
        permit, checked = self.run.decision.permit(name), registry.check(name, parameters)
        if permit is None:
            return ToolResult.failure(f"{name} is not available in this run.")
        if isinstance(checked, ToolResult):
            return checked
        tool, params = checked
        return unasked(name, await registry.run(permit, tool, params, self.context(name, parameters)))
