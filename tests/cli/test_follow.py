"""Following never waits for what will not come: a run that nobody carries on any more is told, not waited for."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from loopwright.app.starting import NewRun, create_run
from loopwright.cli.answers import AnswerSource
from loopwright.cli.views import JsonView, follow
from loopwright.kernel.errors import JournalUnavailable
from tests.engine.toys import LookingModel, toy_application


@pytest.mark.parametrize("appends", [0, 2])
async def test_a_journal_that_cannot_be_written(
    tmp_path: Path, appends: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The disk is full at some append: exit 4, and the command that takes the run up again; it works."""
    async with toy_application(tmp_path, LookingModel(looks=1)) as application, asyncio.timeout(60):
        run = await create_run(application, NewRun("look", agent="toy"))
        append, done = application.stores.journal.append, []

        async def failing(*arguments: Any, **more: Any) -> Any:
            done.append(1)
            if len(done) > appends:
                raise JournalUnavailable("the disk is full")
            return await append(*arguments, **more)

        with monkeypatch.context() as patch:
            patch.setattr(type(application.stores.journal), "append", lambda self, *a, **k: failing(*a, **k))
            code = await follow(application, run.run_id, JsonView(), AnswerSource())
        line = json.loads(capsys.readouterr().out.splitlines()[-1])
        assert (code, line["type"], line["code"]) == (4, "error", "interrupted")
        assert line["hint"] == f"loopwright runs resume {run.run_id}"
        claim = await application.stores.runs.claim(run.run_id, application.owner)
        assert await follow(application, run.run_id, JsonView(), AnswerSource(), claim=claim, reason="resumed") == 0


async def test_a_run_that_another_process_has_is_watched_to_its_end(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A server was quicker: the command shows the run as its own."""
    model = LookingModel(looks=1, hold=asyncio.Event())
    async with (
        toy_application(tmp_path, model) as server,
        toy_application(tmp_path, LookingModel()) as here,
        asyncio.timeout(60),
    ):
        run = await create_run(here, NewRun("look", agent="toy"))
        claim = await server.stores.runs.claim(run.run_id, "elsewhere:1:1")
        server.dispatcher.dispatch(run.run_id, claim)
        await model.came.wait()
        following = asyncio.create_task(follow(here, run.run_id, JsonView(), AnswerSource()))
        await asyncio.sleep(0.3)
        assert not following.done()
        assert model.hold is not None
        model.hold.set()
        assert await following == 0
        types = [json.loads(line)["type"] for line in capsys.readouterr().out.splitlines()]
        assert types[-2:] == ["run_completed", "complete"]
        assert types.count("tool_result") == 1
