"""A job goes back to where a phase began, and from there to another end; what was there before is kept."""

import json
from pathlib import Path

import pytest

from loopwright.agents.jobs.usecases import find_job, resume_job, rewind_job
from loopwright.app.loopwright import Loopwright
from loopwright.app.starting import NewRun, create_run
from loopwright.kernel.errors import Conflict, InvalidInput
from loopwright.kernel.testing.runs import ScriptedModel
from tests.support.application import settings_in
from tests.support.jobs import CONFIG, END, Played, done, look, strategic, tactical


async def carry(application: Loopwright, script: list, new: NewRun) -> Played:
    """Run this to its end with a model that plays the script."""
    application.model = model = ScriptedModel(script)
    record = await create_run(application, new)
    await application.dispatcher.drive(record.run_id)
    return await look(application, model, record.run_id)


async def test_back_to_a_phase_and_to_another_end(tmp_path: Path) -> None:
    write = ("write_file", {"path": "output/report.md", "content": "The first version."})
    other = ("write_file", {"path": "output/report.md", "content": "The second version."})
    async with Loopwright.open(settings_in(tmp_path)) as application:
        new = NewRun(
            "Report.", agent="jobs", folder=tmp_path / "workspace", options={"config": CONFIG, "documents": []}
        )
        first = await carry(application, [*strategic(5), [write], *tactical(5), done(1, 2, 3), END], new)
        assert first.state.status == "completed"
        with pytest.raises(Conflict, match="complete"):
            await resume_job(application, await find_job(application, first.job_id))
        rewound = await rewind_job(application, await find_job(application, first.job_id), 2)
        assert not (first.workspace / "output/report.md").exists()
        assert not (first.workspace / "output/job_completion.json").exists()
        assert (first.workspace / "archive/phase_1.yaml").exists()
        assert [todo.status for todo in rewound.job.state.phase.todos] == ["pending"] * 5
        again = await resume_job(application, rewound.job)
        assert isinstance(again, NewRun)
        second = await carry(application, [[other], *tactical(5), done(1, 2, 3), END], again)
        assert second.state.status == "completed"
        assert second.read("output/report.md") == "The second version."
        assert json.loads(second.read("output/job_completion.json"))["summary"] == "All is done."
        assert second.model.requests[0].messages[1].content.startswith("Phase 2 (tactical) goes on")


async def test_what_cannot_be_gone_back_to(tmp_path: Path) -> None:
    async with Loopwright.open(settings_in(tmp_path)) as application:
        new = NewRun("Go.", agent="jobs", folder=tmp_path / "workspace", options={"config": CONFIG, "documents": []})
        played = await carry(application, [*strategic(5), *tactical(5), END], new)
        with pytest.raises(InvalidInput, match="no phase 9"):
            await rewind_job(application, await find_job(application, played.job_id), 9)


async def test_a_failed_job_goes_on_in_its_phase(tmp_path: Path) -> None:
    async with Loopwright.open(settings_in(tmp_path)) as application:
        new = NewRun("Go.", agent="jobs", folder=tmp_path / "workspace", options={"config": CONFIG, "documents": []})
        first = await carry(application, [*strategic(5), done(1), done(2)], new)
        assert first.state.status == "failed", "the script ended in the middle of the phase"
        goes_on = await resume_job(application, await find_job(application, first.job_id))
        assert isinstance(goes_on, NewRun)
        second = await carry(application, [done(3), done(4), done(5), END], goes_on)
        assert second.state.status == "completed"
        briefing = second.model.requests[0].messages[1].content
        assert "- [x] 2." in briefing
        assert "- [ ] 3." in briefing
