"""A job that runs in this process with a model that plays a script."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from loopwright.agents.jobs.contracts import JobState
from loopwright.agents.jobs.services import jobs_stores
from loopwright.app.loopwright import Loopwright
from loopwright.app.starting import NewRun, create_run
from loopwright.kernel.events import Event
from loopwright.kernel.ports import ModelRequest
from loopwright.kernel.state import RunState
from loopwright.kernel.testing.runs import Reply, ScriptedModel
from tests.support.application import settings_in

Line = Reply | Callable[[ModelRequest], Reply]

CONFIG: dict[str, Any] = {
    "job_type": "test",
    "language": "en",
    "instructions": "# Mission\n\nDo what the order says.",
    "tools": {
        "workspace": ["read_file", "write_file", "append_file", "list_files", "search_files"],
        "strategic": ["todo_write", "job_complete"],
        "tactical": ["todo_complete", "todo_rewind"],
        "domain": ["add_requirement", "web_search", "extract_document_text", "cite_document", "list_requirements"],
    },
}


def todos(count: int, **more: Any) -> dict[str, Any]:
    """Arguments of `todo_write` for so many todos."""
    listed = [{"id": number, "content": f"Do step number {number}", **more} for number in range(1, count + 1)]
    return {"todos": listed, "phase": f"A phase of {count}", "description": "Steps"}


def done(*numbers: int, notes: str = "Done.") -> list[tuple[str, dict[str, Any]]]:
    """Calls that complete these todos, in one answer."""
    return [("todo_complete", {"todo_id": number, "notes": notes}) for number in numbers]


def strategic(count: int, before: Sequence[tuple[str, dict[str, Any]]] = ()) -> list[Reply]:
    """The answers of a strategic phase that plans `count` todos."""
    return [*([list(before)] if before else []), [("todo_write", todos(count))], done(1, 2, 3), done(4)]


def tactical(count: int) -> list[Reply]:
    """The answers of a tactical phase with so many todos, one each."""
    return [done(number) for number in range(1, count + 1)]


END: Reply = [("job_complete", {"summary": "All is done.", "deliverables": []})]


@dataclass
class Played:
    """A job that was played: how its run ended, what the journal says, what is kept."""

    application: Loopwright
    model: ScriptedModel
    run_id: str
    job_id: str
    events: list[Event]
    state: RunState
    job: JobState
    workspace: Path

    def results(self, name: str) -> list[dict[str, Any]]:
        """The results of a tool's calls, in order."""
        return [e.payload for e in self.events if e.type == "tool_result" and e.payload["name"] == name]

    def stages(self) -> list[str]:
        """The stages in the order in which they were entered."""
        return [e.payload["to"] for e in self.events if e.type == "stage_changed"]

    def read(self, path: str) -> str:
        """A file of the workspace."""
        return (self.workspace / path).read_text(encoding="utf-8")


async def play(folder: Path, script: Sequence[Line], *, prompt: str = "Do the work.", **config: Any) -> Played:
    """Run a new job to its end; the script must be used up."""
    async with Loopwright.open(settings_in(folder)) as application:
        model = ScriptedModel(script)
        application.model = model
        new = NewRun(
            prompt, agent="jobs", folder=folder / "workspace", options={"config": {**CONFIG, **config}, "documents": []}
        )
        record = await create_run(application, new)
        await application.dispatcher.drive(record.run_id)
        played = await look(application, model, record.run_id)
        if played.state.status == "completed":
            model.assert_done()
        return played


async def look(application: Loopwright, model: ScriptedModel, run_id: str) -> Played:
    """What a run has come to."""
    events = list(await application.stores.journal.read(run_id))
    state = RunState.fold(run_id, events)
    text = await (await jobs_stores(application)).jobs.load(state.session_id)
    session = await application.stores.sessions.get(state.session_id)
    return Played(
        application=application,
        model=model,
        run_id=run_id,
        job_id=state.session_id,
        events=events,
        state=state,
        job=JobState.model_validate_json(text or ""),
        workspace=Path(session.output_dir),
    )
