"""`run_command` and its kin: a shell command on a layer of the project; what it changed becomes one change set."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from pydantic import Field

from loopwright.agents.ide.contracts import IdeOptions
from loopwright.agents.ide.editing.checkpoints import CommandReport, LayeredCommand
from loopwright.agents.ide.permissions import rules_for_command
from loopwright.agents.ide.project import Project
from loopwright.agents.ide.sandbox import CommandOutcome, can_confine, isolation, run_unconfined
from loopwright.agents.ide.tools.tool import Arguments, IdeTool
from loopwright.agents.ide.tools.writing import OBJECT, EditPlan, account_of
from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.tools import GateRequest, ToolContext, ToolResult
from loopwright.kits.history.change_log import Edit
from loopwright.kits.history.texts import count_changes, told

MOST_SECONDS = 300
MOST_NAMED, MOST_PATHS = 20, 1_000
MOST_COUNTED_BYTES = 200_000


class RunCommandParameters(Arguments):
    """Parameters of `run_command`."""

    command: str = Field(min_length=1, max_length=5_000)


class RunCommand(IdeTool[RunCommandParameters]):
    """Runs a command; what leaves the sandbox has a question of its own, whatever else was allowed."""

    name = "run_command"
    parameters_model = RunCommandParameters
    effect = "once"
    category = "run"
    asks_after_crash = True
    timeout_seconds = MOST_SECONDS + 30.0
    network: ClassVar[bool] = False
    unsandboxed: ClassVar[bool] = False

    def rules(self, arguments: Mapping[str, Any], root: Path) -> tuple[str, ...] | None:
        """A rule for each program that the command starts."""
        return rules_for_command(str(arguments.get("command", "")))

    def gate(self, params: RunCommandParameters) -> GateRequest | None:
        """Leaving the sandbox, or reaching the network from it, needs a yes of its own."""
        confined = can_confine() and not self.unsandboxed
        if confined and not self.network:
            return None
        how = "with the network" if confined else "outside the sandbox"
        why = "" if can_confine() else " (this machine has no bubblewrap)"
        details = {
            "tool": self.name,
            "arguments": params.model_dump(),
            "leaves_sandbox": not confined,
            "network": self.network or not confined,
        }
        return GateRequest("permission", f"Run {how}{why}: {params.command[:200]}", details=details)

    async def execute(self, params: RunCommandParameters, ctx: ToolContext[Any]) -> ToolResult:
        """Run it."""
        project = self.project(ctx)
        how = None if self.unsandboxed or not can_confine() else isolation(project.root, project.state_folder)
        progress = partial(ctx.event_emitter.progress, tool=self.name)
        if how is None:
            if not (ctx.shown or {}).get("leaves_sandbox"):  # what was agreed to, if anything, is a command in it
                raise InvalidInput("The sandbox is gone, and nobody has allowed to leave it.", hint="Call it again.")
            return _told(await self._unconfined(project, params, ctx.run_id, progress))
        options = IdeOptions.model_validate(ctx.settings)
        report = await project.commands.run(
            how,
            LayeredCommand(params.command, project.root, MOST_SECONDS, self.network),
            run_id=ctx.run_id,
            key=ctx.idempotency_key,
            protected_allowed="protected" in (*options.allowed, *options.always),
            progress=progress,
        )
        return _reported(report)

    async def _unconfined(
        self, project: Project, params: RunCommandParameters, run_id: str, progress: Callable[[str], None]
    ) -> CommandOutcome:
        await project.checkpoints.before_unconfined(run_id)
        try:
            return await run_unconfined(
                project.root,
                params.command,
                working_directory=project.root,
                timeout_seconds=MOST_SECONDS,
                progress=progress,
            )
        finally:  # what a command did that was broken off is kept too
            await project.checkpoints.after_unconfined(run_id)


class RunCommandWithNetwork(RunCommand):
    """Runs a command that reaches the network; the user is asked each time."""

    name = "run_command_with_network"
    network = True


class RunCommandUnsandboxed(RunCommand):
    """Runs a command outside the sandbox; the user is asked each time."""

    name = "run_command_unsandboxed"
    unsandboxed = True


def _told(outcome: CommandOutcome) -> ToolResult:
    text = (
        f"[{_ended(outcome)}, {outcome.seconds:g} s, outside the sandbox]\n{outcome.output.strip() or '(no output)'}\n"
        "It ran in the project itself: whatever changed meanwhile is undone only by force, since it may be the user's."
    )
    return _result(outcome, text, {"confined": False})


def _reported(report: CommandReport) -> ToolResult:
    """What the model reads: how the command ended, what it wrote, and what became of its changes."""
    outcome = report.outcome
    if outcome is None:
        text = f"The command was cancelled and killed. {_dropped(report)}"
        return ToolResult(success=False, output=text, error="cancelled", artifacts={"dropped": list(report.dropped)})
    lines = [f"[{_ended(outcome)}, {outcome.seconds:g} s]", outcome.output.strip() or "(no output)", *_changes(report)]
    account = account_of(EditPlan(report.edits))["artifacts"]
    artifacts = {"confined": True, **account, "paths": list(report.paths)[:MOST_PATHS], "held": report.held}
    failed = bool(report.landing.conflicts or report.mixed) or (
        report.held is None and bool(report.landing.protected) and not report.paths
    )
    return _result(outcome, "\n".join(lines), artifacts, failed=failed)


def _changes(report: CommandReport) -> Iterator[str]:
    landing = report.landing
    if report.outcome is not None and report.outcome.stopped:
        yield _dropped(report)
    if report.mixed:
        yield (
            f"Somebody else changed {_names(report.mixed)} while it was written: both changes stand there, so read it "
            f"again. The rest was taken back: {_names(report.dropped) or 'there was none'}."
        )
    elif landing.conflicts:
        yield f"NOTHING it changed was written, since these cannot be: {_reasons(landing.conflicts)}. Run it again."
    elif report.held is not None:
        yield (
            f"Its changes WAIT in patch set {report.held}, NOTHING is written yet: {_names(report.paths)}. Some of it "
            f"needs a permission of its own: {_reasons(landing.protected)}. Next: patchset_apply, which asks the user, "
            "or patchset_discard."
        )
    elif landing.protected and report.dropped:
        yield (
            f"NOTHING it changed was written: {_names(report.dropped)}. Some of it needs a permission of its own: "
            f"{_reasons(landing.protected)}; and it is too large to wait for that. Ask the user to allow `protected` "
            "for this project, and run it again."
        )
    elif report.paths:
        yield f"It changed: {_names([*_counted(report.edits), *_uncounted(report)])}."
    if landing.merged and not landing.conflicts:
        yield f"The user's own changes of the meantime were kept in: {_names(landing.merged)}."
    if landing.left_out:
        yield f"Left out: {_reasons(landing.left_out)}."


def _dropped(report: CommandReport) -> str:
    if not report.dropped:
        return "It had changed nothing."
    return f"What it had changed was dropped, nothing of it was written: {_names(report.dropped)}."


def _counted(edits: Sequence[Edit]) -> Iterator[str]:
    for edit in edits[:MOST_NAMED]:
        added, removed = count_changes(edit.before, edit.after) if _is_small(edit) else (0, 0)
        counts = f" (+{added} −{removed})" if added or removed else ""
        yield f"{'deleted ' if edit.after is None else 'new ' if edit.before is None else ''}{told(edit.path)}{counts}"
    yield from (edit.path for edit in edits[MOST_NAMED:])


def _uncounted(report: CommandReport) -> Sequence[str]:
    shown = {edit.path for edit in report.edits}
    return [path for path in report.paths if path not in shown]


def _is_small(edit: Edit) -> bool:
    return edit.kind == "file" and max(len(edit.before or b""), len(edit.after or b"")) <= MOST_COUNTED_BYTES


def _names(names: Sequence[str]) -> str:
    """The names, as far as somebody reads them; git's objects are counted."""
    read = [told(name) for name in names if not OBJECT.search(name)]
    more = [f"{len(read) - MOST_NAMED:,} more"] if len(read) > MOST_NAMED else []
    more += [f"{len(names) - len(read):,} of git's objects"] if len(read) < len(names) else []
    return " and ".join([", ".join(read[:MOST_NAMED]), *more] if read else more)


def _reasons(reasons: Mapping[str, str]) -> str:
    """The paths by their reason."""
    by_reason: dict[str, list[str]] = {}
    for path, why in reasons.items():
        by_reason.setdefault(why, []).append(path)
    return "; ".join(f"{_names(paths)} ({why})" for why, paths in by_reason.items())


def _ended(outcome: CommandOutcome) -> str:
    return f"stopped: {outcome.stopped}" if outcome.stopped else f"exit code {outcome.exit_code}"


def _result(outcome: CommandOutcome, text: str, artifacts: dict[str, Any], *, failed: bool = False) -> ToolResult:
    artifacts = {"exit_code": outcome.exit_code, "seconds": outcome.seconds, **artifacts}
    if outcome.stopped or outcome.exit_code != 0 or failed:
        return ToolResult(success=False, output=f"Error: {text}", error=_ended(outcome), artifacts=artifacts)
    return ToolResult(success=True, output=text, artifacts=artifacts)
