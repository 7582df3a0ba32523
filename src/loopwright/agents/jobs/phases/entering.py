"""How a run begins: a new job gets its workspace and its first phase, one that was interrupted goes on in its phase."""

from datetime import UTC, datetime

from loopwright.agents.jobs.contracts.config import JobConfig
from loopwright.agents.jobs.contracts.state import JobState, Phase
from loopwright.agents.jobs.memory import config_of, find_job, save_job, workspace_of
from loopwright.agents.jobs.phases.briefing import briefing
from loopwright.agents.jobs.phases.snapshots import Snapshots
from loopwright.agents.jobs.phases.strategic_todos import initial_strategic_todos
from loopwright.kernel.errors import Conflict
from loopwright.kernel.events import Compacted
from loopwright.kernel.messages import Message
from loopwright.kernel.run import AgentRun
from loopwright.kernel.workspace import Workspace

RESET = "phase_reset"
"""The name under which the journal keeps that a phase began with no messages."""


async def choose_stage(run: AgentRun) -> str:
    """The stage of the job's phase; the dialogue begins with the phase's briefing and nothing else.

    Raises:
        Conflict: the job is complete.
    """
    state = await find_job(run.services, run.state.session_id)
    if state is not None and state.completion is not None and state.phase.ended_at is not None:
        raise Conflict(
            f"Job {state.job_id} is complete.",
            hint=f"Go back with `loopwright jobs rewind {state.job_id} --to-phase N`, or run another job.",
        )
    goes_on = state is not None
    if state is None:
        state = await _begin(run)
    reset_dialogue(run, state, goes_on=goes_on)
    return state.phase.kind


def reset_dialogue(run: AgentRun, state: JobState, *, goes_on: bool = False) -> None:
    """Leave nothing of the dialogue but the phase's briefing; files carry over what matters (spec 003)."""
    message = Message.user(briefing(state, goes_on=goes_on))
    before = run.state.context.estimate_tokens()
    run.defer(
        Compacted(
            strategy=RESET,
            messages=[message],
            summary={},
            tokens_before=before,
            tokens_after=message.estimated_tokens,
        )
    )


async def _begin(run: AgentRun) -> JobState:
    config = config_of(run.state.options)
    workspace = workspace_of(run.output_dir, config)
    newest = run.state.context.newest_user
    prompt = newest.content if newest is not None else ""
    _furnish(workspace, config, prompt)
    state = JobState(
        job_id=run.state.session_id,
        config=config,
        prompt=prompt,
        documents=[str(path) for path in run.state.options.get("documents", [])],
        phase=Phase(
            number=1,
            kind="strategic",
            todos=initial_strategic_todos(config),
            begun_at=datetime.now(UTC),
            snapshot=snapshot_name(1),
        ),
    )
    Snapshots(workspace).take(state.phase.snapshot, state)
    await save_job(run.services, state, f"{run.state.run_id}:begun")
    return state


def snapshot_name(phase: int) -> str:
    """The name of the picture that is taken as a phase begins."""
    return f"phase-{phase:04d}"


def _furnish(workspace: Workspace, config: JobConfig, prompt: str) -> None:
    """Make the folders, instructions.md and an empty memory, unless they are there; a stale todos.yaml is put away."""
    for folder in config.workspace.structure:
        workspace.make_folder(folder)
    if not workspace.exists("instructions.md"):
        order = f"\n\n## {ORDER[config.language]}\n\n{prompt.strip()}\n" if prompt.strip() else "\n"
        workspace.write_text("instructions.md", config.instructions.strip() + order)
    if not workspace.exists("workspace.md"):
        workspace.write_text("workspace.md", MEMORY[config.language])
    put_away_stale(workspace, "archive/todos_found_at_start.yaml")


def put_away_stale(workspace: Workspace, archived: str) -> None:
    """Move a todos.yaml away that no phase has consumed, so that it cannot pass the gate of a later one."""
    if workspace.exists("todos.yaml"):
        workspace.write_text(archived, workspace.read_text("todos.yaml"))
        workspace.delete("todos.yaml")


ORDER = {"en": "The user's order", "de": "Der Auftrag"}
MEMORY = {
    "en": "# Workspace\n\n## Status\n\n## Accomplishments\n\n## Key Decisions\n\n## Entities\n\n## Notes\n",
    "de": "# Arbeitsbereich\n\n## Status\n\n## Erreicht\n\n## Entscheidungen\n\n## Entitäten\n\n## Notizen\n",
}
