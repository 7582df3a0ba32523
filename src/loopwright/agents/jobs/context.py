"""The system prompt of a phase: the mode's instructions, and the files that are pinned into every phase."""

import asyncio
import re

from pydantic_core import to_json

from loopwright.agents.jobs.contracts import JobConfig, JobState
from loopwright.agents.jobs.memory import load_job, workspace_of
from loopwright.agents.jobs.phases.entering import ORDER
from loopwright.kernel.run import AgentRun
from loopwright.kernel.workspace import Workspace

CHARACTERS_PER_TOKEN = 3
"""The kernel's estimate (spec 000): what is cut by it never exceeds the budget of tokens."""
INSTRUCTION_TOKENS = 350
"""Of the instructions that every prompt of the job shows."""
SECTION = re.compile(r"^(?=## )", re.MULTILINE)
ORDERS = frozenset(f"## {title}" for title in ORDER.values())
STAGE_PROMPTS = {"strategic": "jobs/strategic_system", "tactical": "jobs/tactical_system"}


async def build_system_prompt(run: AgentRun) -> str:
    """Render the prompt of the phase; instructions, memory and plan are read anew as it begins."""
    state = await load_job(run.services, run.state.session_id)
    workspace = workspace_of(run.output_dir, state.config)
    prompts, settings = run.toolbox.prompts, state.config.phase_settings
    limits = {"todo_limits": f"{settings.min_todos} to {settings.max_todos}"} if run.state.stage == "strategic" else {}
    return prompts.render(
        STAGE_PROMPTS[run.state.stage],
        rules=_without_task(prompts.render("jobs/rules")),
        memory=_without_task(
            prompts.render(
                "jobs/memory",
                job_state=_job_state(state),
                instructions=await _instructions(workspace),
                workspace=await _pinned(workspace, "workspace.md", state.config),
                plan=await _pinned(workspace, "main_plan.md", state.config),
            )
        ),
        **limits,
    )


async def _instructions(workspace: Workspace) -> str:
    """The user's order, and as many sections of the instructions as fit; the rest is named, and read when planning."""
    if not await asyncio.to_thread(workspace.exists, "instructions.md"):
        return "(none)"
    text = (await asyncio.to_thread(workspace.read_text, "instructions.md")).strip()
    most = INSTRUCTION_TOKENS * CHARACTERS_PER_TOKEN
    if len(text) <= most:
        return text
    sections = [part.strip() for part in SECTION.split(text) if part.strip()]
    order = [part for part in sections if part.splitlines()[0] in ORDERS]
    kept = [part[:most] for part in order]
    left: list[str] = []
    for part in sections:
        if part in order:
            continue
        if not left and sum(map(len, kept)) + len(part) <= most:
            kept.insert(len(kept) - len(order), part)
        else:
            left.append(part.splitlines()[0].lstrip("# "))
    return "\n\n".join([*kept, f"(read_file('instructions.md') shows the rest: {'; '.join(left)}.)"])


def _job_state(state: JobState) -> str:
    """As JSON that cannot close its own tag: inside strings `<` may be written as an escape."""
    return to_json(state.described()).decode().replace("<", "\\u003c")


async def _pinned(workspace: Workspace, path: str, config: JobConfig) -> str:
    """A file as the prompt shows it: cut where it would take more than its share."""
    if not await asyncio.to_thread(workspace.exists, path):
        return "(not written yet)"
    text = (await asyncio.to_thread(workspace.read_text, path)).strip()
    most = config.limits.pinned_tokens * CHARACTERS_PER_TOKEN
    if len(text) <= most:
        return text or "(empty)"
    cut = text[: most - 200].rpartition("\n")[0] or text[: most - 200]
    return f"{cut}\n\n(Cut after {len(cut):,} of {len(text):,} characters: read the rest with read_file({path!r}).)"


def _without_task(rendered: str) -> str:
    """A part of a prompt, without the line that names it as a task of its own."""
    return rendered.partition("\n")[2]
