"""`run_command`: a shell command in the project, inside the sandbox."""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, Field

from loopwright.agents.ide.permissions.rules import rules_for_command
from loopwright.agents.ide.sandbox import CommandOutcome, can_confine, run_command
from loopwright.agents.ide.tools.tool import IdeTool
from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.tools import GateRequest, ToolContext, ToolResult

MOST_SECONDS = 300


class RunCommandParameters(BaseModel):
    """Parameters of `run_command`."""

    command: str = Field(min_length=1, max_length=5_000, description="For /bin/sh")
    working_directory: str = Field("", max_length=500, description="Relative to the root; empty for the root")
    timeout_seconds: int = Field(120, ge=1, le=MOST_SECONDS)
    network: bool = Field(False, description="Whether it needs the network; the user is asked then")
    unsandboxed: bool = Field(False, description="Whether it must leave the sandbox; the user is asked then")


class RunCommand(IdeTool[RunCommandParameters]):
    """Runs a command; what leaves the sandbox has a question of its own, whatever else was allowed."""

    name = "run_command"
    parameters_model = RunCommandParameters
    effect = "once"
    category = "run"
    asks_after_crash = True
    timeout_seconds = MOST_SECONDS + 30.0

    def rules(self, arguments: Mapping[str, Any]) -> tuple[str, ...] | None:
        """A rule for each program that the command starts."""
        return rules_for_command(str(arguments.get("command", "")))

    def gate(self, params: RunCommandParameters) -> GateRequest | None:
        """Leaving the sandbox, or reaching the network from it, needs a yes of its own."""
        confined = can_confine() and not params.unsandboxed
        if confined and not params.network:
            return None
        how = "with the network" if confined else "outside the sandbox"
        why = "" if can_confine() else " (this machine has no bubblewrap)"
        details = {
            "tool": self.name,
            "arguments": params.model_dump(),
            "leaves_sandbox": not confined,
            "network": params.network or not confined,
        }
        return GateRequest("permission", f"Run {how}{why}: {params.command[:200]}", details=details)

    async def execute(self, params: RunCommandParameters, ctx: ToolContext[Any]) -> ToolResult:
        """Run it."""
        project = self.project(ctx)
        place = project.files.locate(params.working_directory) if params.working_directory else project.root
        if not place.is_dir():
            raise InvalidInput(f"There is no folder {params.working_directory!r}.", hint="index_list_files shows them.")
        confined = can_confine() and not params.unsandboxed
        if not confined and ctx.answer is None:  # the gate was passed where there was a sandbox
            raise InvalidInput("The sandbox is gone, and nobody has allowed to leave it.", hint="Call it again.")
        await project.checkpoints.before_change(ctx.run_id)
        try:
            outcome = await run_command(
                project.root,
                params.command,
                working_directory=place,
                timeout_seconds=params.timeout_seconds,
                network=params.network,
                confined=confined,
                progress=lambda line: ctx.event_emitter.progress(line, tool=self.name),
            )
        finally:  # what a command did that was broken off can be undone too
            await project.checkpoints.after_change(ctx.run_id)
        return _result(outcome)


def _result(outcome: CommandOutcome) -> ToolResult:
    where = "" if outcome.confined else ", outside the sandbox"
    ended = f"stopped: {outcome.stopped}" if outcome.stopped else f"exit code {outcome.exit_code}"
    text = f"[{ended}, {outcome.seconds:g} s{where}]\n{outcome.output.strip() or '(no output)'}"
    artifacts = {"exit_code": outcome.exit_code, "seconds": outcome.seconds, "confined": outcome.confined}
    if outcome.stopped or outcome.exit_code != 0:
        return ToolResult(success=False, output=f"Error: {text}", error=ended, artifacts=artifacts)
    return ToolResult(success=True, output=text, artifacts=artifacts)
