"""`get_workspace_summary`: where the job stands, in one look."""

import asyncio
from collections import Counter
from typing import Any

from pydantic import BaseModel

from loopwright.agents.jobs.contracts.state import JobState
from loopwright.agents.jobs.memory import load_job
from loopwright.agents.jobs.ports import JobServices
from loopwright.agents.jobs.tools.file_guards import workspace_in
from loopwright.kernel.tools import BaseTool, ToolContext, ToolResult
from loopwright.kernel.workspace import Workspace

MEMORY = ("instructions.md", "workspace.md", "main_plan.md", "todos.yaml")


class GetWorkspaceSummaryParameters(BaseModel):
    """Parameters of `get_workspace_summary`: none."""


class GetWorkspaceSummary(BaseTool[GetWorkspaceSummaryParameters, JobServices]):
    """Sums up the workspace."""

    name = "get_workspace_summary"
    parameters_model = GetWorkspaceSummaryParameters
    effect = "pure"

    async def execute(self, params: GetWorkspaceSummaryParameters, ctx: ToolContext[JobServices]) -> ToolResult:
        """Count, and say where the phase stands."""
        state = await load_job(ctx.db, ctx.session_id)
        folders, memory = await asyncio.to_thread(_count, workspace_in(ctx))
        added = dict(await ctx.db.requirements.counts(job_id=ctx.session_id))
        sources = len(await ctx.db.sources.sources(ctx.session_id))
        lines = [
            *_phase_lines(state),
            "Files: " + (", ".join(f"{folder} {count}" for folder, count in folders.items()) or "none"),
            "Memory: " + ", ".join(f"{name} {size}" for name, size in memory.items()),
            f"Documents: {', '.join(state.documents) or 'none'}",
            "Requirements added: "
            + (", ".join(f"{count} {status}" for status, count in added.items() if count) or "0"),
            f"Sources: {sources}",
        ]
        artifacts: dict[str, Any] = {"folders": folders, "memory": memory, "requirements": added, "sources": sources}
        return ToolResult(success=True, output="\n".join(lines), artifacts=artifacts)


def _phase_lines(state: JobState) -> list[str]:
    phase = state.phase
    done = len(phase.todos) - len(phase.open_todos)
    title = f": {phase.title}" if phase.title else ""
    return [
        f"Job {state.job_id} ({state.config.job_type}), phase {phase.number} ({phase.kind}){title}",
        f"Todos: {done} of {len(phase.todos)} done",
    ]


def _count(workspace: Workspace) -> tuple[dict[str, int], dict[str, str]]:
    """Files by top folder, and the memory files with their sizes."""
    paths = workspace.list()
    folders = Counter(f"{path.partition('/')[0]}/" if "/" in path else "./" for path in paths)
    sizes = {name: f"{len(workspace.read_bytes(name)):,} bytes" for name in MEMORY if name in paths}
    return dict(sorted(folders.items())), {name: sizes.get(name, "missing") for name in MEMORY}
