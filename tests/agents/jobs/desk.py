"""A job under way, at whose desk single tools are called as the runtime calls them, over real stores."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from loopwright.agents.jobs.contracts import JobConfig, JobState, Phase, PhaseKind, Todo
from loopwright.agents.jobs.memory import save_job, workspace_of
from loopwright.agents.jobs.store.graph import EmbeddedGraph
from loopwright.agents.jobs.tools import all_tools
from loopwright.app.loopwright import Stores
from loopwright.kernel.tools import AnyTool, ToolContext, ToolRegistry, ToolResult
from loopwright.kernel.workspace import Workspace
from loopwright.stores.database import Database
from tests.support.stores import jobs_on

BEGUN = datetime(2026, 11, 22, 9, tzinfo=UTC)
TOOLS = {tool.name: tool for tool in all_tools()}


class Quiet:
    """Watches nothing."""

    def progress(self, message: str, **data: Any) -> None: ...

    async def record(self, payload: Any) -> None: ...


@dataclass
class Desk:
    """The job, its workspace and stores."""

    stores: Stores
    folder: Path
    job_id: str
    config: JobConfig
    prompt: str
    calls: int = 0

    @property
    def workspace(self) -> Workspace:
        return workspace_of(self.folder, self.config)

    async def begin(self, kind: PhaseKind) -> None:
        """Put the job into a phase of this kind, with one todo done and one open."""
        todos = [Todo(id=1, content="Read it", status="completed"), Todo(id=2, content="Report")]
        phase = Phase(number=2, kind=kind, title="Reading", todos=todos, begun_at=BEGUN)
        state = JobState(
            job_id=self.job_id, config=self.config, prompt=self.prompt, documents=["documents/a.md"], phase=phase
        )
        await save_job(self.stores, state, f"{kind}:{self.calls}")

    async def call(self, tool: AnyTool | str, *, call_id: str | None = None, **arguments: Any) -> ToolResult:
        """Call a tool, by its name or one that was made for the test; the same `call_id` again is the same call."""
        self.calls += 1
        called = TOOLS[tool] if isinstance(tool, str) else tool
        ctx: ToolContext[Any] = ToolContext(
            session_id=self.job_id,
            run_id="run-1",
            call_id=call_id or f"call-{self.calls}",
            output_dir=self.folder,
            db=self.stores,
            settings={"config": self.config.model_dump(mode="json"), "documents": []},
            event_emitter=Quiet(),
            llm_client=None,  # type: ignore[arg-type] # no tool of this agent asks the model itself
        )
        return await ToolRegistry([called]).execute(called.name, arguments, ctx)

    async def good(self, tool: AnyTool | str, **arguments: Any) -> str:
        """The output of a call that succeeds."""
        result = await self.call(tool, **arguments)
        assert result.success, result.output
        return result.output

    async def refused(self, tool: AnyTool | str, **arguments: Any) -> str:
        """The output of a call that does not."""
        result = await self.call(tool, **arguments)
        assert not result.success, result.output
        return result.output


@asynccontextmanager
async def opened_desk(folder: Path, *, prompt: str = "Read.", **config: Any) -> AsyncIterator[Desk]:
    """A job in a tactical phase, with an empty workspace, a database of its own, and a config that says this."""
    space = folder / "workspace"
    (space / "documents").mkdir(parents=True)
    async with await Database.open(None, folder / "home") as database:
        graph = EmbeddedGraph(folder / "home" / "graph.db")
        stores = await jobs_on(database, graph)
        session = await stores.sessions.create(agent="jobs", session_id="job-1", output_dir=str(space))
        desk = Desk(stores, space, session.session_id, JobConfig.model_validate({"job_type": "test"} | config), prompt)
        await desk.begin("tactical")
        try:
            yield desk
        finally:
            await graph.close()
