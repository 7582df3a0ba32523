"""A job under way, whose tools are called as the runtime calls them, over real stores."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from loopwright.agents.jobs.contracts.config import JobConfig
from loopwright.agents.jobs.contracts.state import JobState, Phase, PhaseKind
from loopwright.agents.jobs.contracts.todos import Todo
from loopwright.agents.jobs.tools.append_file import AppendFile
from loopwright.agents.jobs.tools.delete_file import DeleteFile
from loopwright.agents.jobs.tools.file_exists import FileExists
from loopwright.agents.jobs.tools.get_workspace_summary import GetWorkspaceSummary
from loopwright.agents.jobs.tools.list_files import ListFiles
from loopwright.agents.jobs.tools.read_file import ReadFile
from loopwright.agents.jobs.tools.search_files import SearchFiles
from loopwright.agents.jobs.tools.write_file import WriteFile
from loopwright.agents.jobs.workspace import Workspace
from loopwright.app.stores import Stores
from loopwright.kernel.registry import ToolRegistry
from loopwright.kernel.tools import ToolContext, ToolResult
from loopwright.stores.database import Database
from loopwright.stores.graph.embedded import EmbeddedGraph

JOB = "job-1"
TOOLS = ToolRegistry(
    [
        ReadFile(),
        WriteFile(),
        AppendFile(),
        ListFiles(),
        DeleteFile(),
        SearchFiles(),
        FileExists(),
        GetWorkspaceSummary(),
    ]
)


class Quiet:
    """Watches nothing."""

    def progress(self, message: str, **data: Any) -> None: ...

    async def record(self, payload: Any) -> None: ...


@dataclass
class Desk:
    """The job; `call_id` of a call may be given, as after a crash."""

    stores: Stores
    workspace: Workspace
    config: JobConfig
    calls: int = 0

    async def begin(self, kind: PhaseKind) -> None:
        """Put the job into a phase of this kind."""
        todos = [Todo(id=1, content="Read it", status="completed"), Todo(id=2, content="Report")]
        phase = Phase(number=2, kind=kind, title="Reading", todos=todos, begun_at=datetime.now(UTC))
        state = JobState(job_id=JOB, config=self.config, prompt="Read.", documents=["documents/a.md"], phase=phase)
        await self.stores.jobs.save(JOB, state.model_dump_json(), f"{kind}:{self.calls}")

    async def call(self, name: str, *, call_id: str | None = None, **arguments: Any) -> ToolResult:
        """Call a tool."""
        self.calls += 1
        ctx: ToolContext[Any] = ToolContext(
            session_id=JOB,
            run_id="run-1",
            call_id=call_id or f"call-{self.calls}",
            output_dir=self.workspace.root,
            db=self.stores,
            settings={"config": self.config.model_dump(mode="json")},
            event_emitter=Quiet(),
            llm_client=None,  # type: ignore[arg-type] # no file tool asks the model itself
        )
        return await TOOLS.execute(name, arguments, ctx)

    async def good(self, name: str, **arguments: Any) -> str:
        """The output of a call that succeeds."""
        result = await self.call(name, **arguments)
        assert result.success, result.output
        return result.output

    async def refused(self, name: str, **arguments: Any) -> str:
        """The output of a call that does not."""
        result = await self.call(name, **arguments)
        assert not result.success, result.output
        return result.output


@asynccontextmanager
async def desk_in(folder: Path, **workspace: Any) -> AsyncIterator[Desk]:
    """A job in a tactical phase, whose config has these workspace settings."""
    (folder / "job").mkdir()
    config = JobConfig.model_validate({"job_type": "test", "workspace": workspace})
    async with await Database.open(None, folder / "home") as database:
        stores = Stores.of(database, EmbeddedGraph(folder / "home" / "graph.db"))
        await stores.sessions.create(agent="jobs", session_id=JOB, output_dir=str(folder / "job"))
        desk = Desk(stores, Workspace(folder / "job"), config)
        await desk.begin("tactical")
        yield desk
