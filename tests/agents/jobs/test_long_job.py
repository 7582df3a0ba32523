"""A job of twelve phases and more than two hundred steps: nothing crosses a phase, no prompt passes its budget."""

import json
from pathlib import Path

import yaml

from loopwright.app.loopwright import Loopwright
from loopwright.app.starting import NewRun, create_run
from tests.support.application import settings_in
from tests.support.jobs import CONFIG, Played, look
from tests.support.long_job import PHASES, TODOS, LongJobModel, expected_lines

THRESHOLD = 3_000


async def long_job(folder: Path) -> tuple[Played, LongJobModel]:
    """The job, run to its end, with a threshold that is reached within a phase."""
    async with Loopwright.open(settings_in(folder)) as application:
        model = LongJobModel()
        application.model = model
        config = {**CONFIG, "limits": {"context_threshold_tokens": THRESHOLD, "pinned_tokens": 500}}
        new = NewRun(
            "Write lines.", agent="jobs", folder=folder / "workspace", options={"config": config, "documents": []}
        )
        record = await create_run(application, new)
        await application.dispatcher.drive(record.run_id)
        return await look(application, model, record.run_id), model  # type: ignore[arg-type]


async def test_twelve_phases_and_two_hundred_steps(tmp_path: Path) -> None:
    played, model = await long_job(tmp_path)
    assert played.state.status == "completed", played.events[-1].payload
    assert played.state.steps >= 200
    assert played.events[-1].payload["result"]["phases"] == PHASES + 1
    _nothing_crosses(played, model)
    _workspace_tells_the_story(played)
    assert any(e.type == "compacted" and e.payload["strategy"] == "au2" for e in played.events)


def _nothing_crosses(played: Played, model: LongJobModel) -> None:
    for request in model.requests:
        if request.messages[0].content.startswith("[task: kernel/compact]"):
            continue
        state = json.loads(request.messages[0].content.partition("<job_state>")[2].partition("</job_state>")[0])
        number = state["phase_number"]
        text = "\n".join(m.content + "".join(c.arguments for c in m.tool_calls) for m in request.messages[1:])
        others = {n for n in range(1, PHASES + 1) if f"Wrote line 1 to work/phase_{n}.md" in text} - {number}
        assert not others, f"phase {number} sees the messages of {others}"
        assert sum(m.estimated_tokens for m in request.messages) <= THRESHOLD * 1.5


def _workspace_tells_the_story(played: Played) -> None:
    for phase in range(2, PHASES + 1, 2):
        assert played.read(f"work/phase_{phase}.md") == expected_lines(phase)
        archived = yaml.safe_load(played.read(f"archive/phase_{phase}.yaml"))
        assert len(archived["todos"]) == TODOS
        assert all(todo["status"] == "completed" and "Wrote line" in todo["notes"] for todo in archived["todos"])
    assert played.read("workspace.md").count("was strategic.") == PHASES / 2
