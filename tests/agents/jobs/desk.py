"""A job's desk: a workspace and real stores, at which single tools are called as the runtime calls them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from loopwright.agents.jobs.contracts import JobConfig, JobState
from loopwright.agents.jobs.contracts.state import Phase, PhaseKind
from loopwright.agents.jobs.memory import save_job, workspace_of
from loopwright.agents.jobs.workspace import Workspace
from loopwright.app.stores import Stores
from loopwright.kernel.registry import AnyTool, ToolRegistry
from loopwright.kernel.tools import ToolContext, ToolResult
from loopwright.stores.database import Database
from loopwright.stores.graph.embedded import EmbeddedGraph


class Quiet:
    """An emitter whose events nobody keeps."""

    def progress(self, message: str, **data: Any) -> None: ...

    async def record(self, payload: Any) -> None: ...


@dataclass
class Desk:
    """The job `job_id` in the midst of a phase."""

    folder: Path
    stores: Stores
    job_id: str
    config: JobConfig
    prompt: str
    calls: int = 0
    kind: PhaseKind = "tactical"
    results: list[ToolResult] = field(default_factory=list)

    @property
    def workspace(self) -> Workspace:
        return workspace_of(self.folder, self.config)

    async def begin(self, kind: PhaseKind = "tactical") -> None:
        """Put the job into a phase of this kind."""
        phase = Phase(number=2 if kind == "tactical" else 1, kind=kind, begun_at=datetime(2026, 11, 22, tzinfo=UTC))
        state = JobState(job_id=self.job_id, config=self.config, prompt=self.prompt, phase=phase)
        await save_job(self.stores, state, f"begin-{kind}-{self.calls}")

    async def call(self, tool: AnyTool, *, again: bool = False, **arguments: Any) -> ToolResult:
        """Call a tool; `again` repeats the last call's attempt, as after a crash."""
        self.calls += 0 if again else 1
        ctx: ToolContext[Any] = ToolContext(
            session_id=self.job_id,
            run_id="run",
            call_id=f"call{self.calls}",
            output_dir=self.folder,
            db=self.stores,
            settings={"config": self.config.model_dump(mode="json"), "documents": []},
            event_emitter=Quiet(),
            llm_client=None,  # type: ignore[arg-type] # these tools ask no model
        )
        return await ToolRegistry([tool]).execute(tool.name, arguments, ctx)


@asynccontextmanager
async def opened_desk(folder: Path, *, prompt: str = "Do the work.", **config: Any) -> AsyncIterator[Desk]:
    """A desk with an empty workspace and a database of its own."""
    space = folder / "workspace"
    (space / "documents").mkdir(parents=True)
    async with await Database.open(f"sqlite:///{folder / 'home' / 'loopwright.db'}", folder) as database:
        stores = Stores.of(database, EmbeddedGraph(folder / "home" / "graph.db"))
        session = await stores.sessions.create(agent="jobs", title="a job", output_dir=str(space))
        desk = Desk(space, stores, session.session_id, JobConfig(job_type="test", **config), prompt)
        await desk.begin()
        yield desk
