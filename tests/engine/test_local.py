"""Runs in this process: one segment at a time, ownership told to others, nothing left hanging."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from loopwright.app.answering import cancel_run, claim_for_resume
from loopwright.app.loopwright import Loopwright
from loopwright.app.starting import NewRun, create_run, start_run
from loopwright.kernel.errors import Conflict, JournalUnavailable
from loopwright.kernel.gates import Cancelled, Finished
from loopwright.kernel.ports import RunClaim
from loopwright.kernel.testing.conformance import check_journal
from tests.engine.toys import LookingModel, toy_application
from tests.support.application import journal_of, until

TOY_RUN = NewRun("look around", agent="toy")


async def test_a_run_that_executes_here_is_not_started_twice(tmp_path: Path) -> None:
    """A second dispatch changes nothing; the run is asked for by one segment only."""
    model = LookingModel(looks=1)
    async with toy_application(tmp_path, model) as application:
        run = await create_run(application, TOY_RUN)
        application.dispatcher.dispatch(run.run_id)
        application.dispatcher.dispatch(run.run_id)
        assert isinstance(await application.dispatcher.wait(run.run_id), Finished)
        assert model.asked == 2
        assert len(await journal_of(application, run.run_id, "run_started")) == 1


async def test_a_new_claim_is_executed_though_the_last_segment_has_not_quite_ended(tmp_path: Path) -> None:
    """An answer may come while the segment that asked still gives up its ownership: it must not be dropped."""
    async with toy_application(tmp_path, LookingModel(looks=0)) as application:
        run = await create_run(application, TOY_RUN)
        tidy, real_release = asyncio.Event(), application.stores.runs.release

        async def slow_release(claim: RunClaim) -> None:
            await tidy.wait()
            await real_release(claim)

        application.dispatcher._ownership._runs = Slow(application.stores.runs, slow_release)
        application.dispatcher._build = broken_once(application.dispatcher._build)
        application.dispatcher.dispatch(run.run_id)
        first = application.dispatcher._tasks[run.run_id]
        await until(lambda: at_rest(application, run.run_id))
        claim = await application.stores.runs.claim(run.run_id, application.owner, takeover=True)
        application.dispatcher.dispatch(run.run_id, claim, "answered elsewhere")
        tidy.set()
        assert await first is None
        assert isinstance(await application.dispatcher.wait(run.run_id), Finished)
        check_journal(await application.stores.journal.read(run.run_id))


class Slow:
    """The runs, with another way to release them."""

    def __init__(self, runs: Any, release: Any) -> None:
        self._runs = runs
        self.release = release

    def __getattr__(self, name: str) -> Any:
        return getattr(self._runs, name)


def broken_once(build: Any) -> Any:
    """The journal is away at the first try, so that the segment ends before the run does."""
    tries: list[int] = []

    async def building(state: Any, claim: RunClaim) -> Any:
        tries.append(1)
        if len(tries) == 1:
            raise JournalUnavailable("away")
        return await build(state, claim)

    return building


async def at_rest(application: Loopwright, run_id: str) -> bool:
    return (
        not application.dispatcher._live.get(run_id) and (await application.stores.runs.get(run_id)).owner is not None
    )


async def test_cancelling_breaks_off_a_model_call(tmp_path: Path) -> None:
    """The endpoint may never answer; the run ends all the same, and once."""
    model = LookingModel(hold=asyncio.Event())
    async with toy_application(tmp_path, model) as application:
        run = await start_run(application, TOY_RUN)
        await model.came.wait()
        ended = asyncio.create_task(application.dispatcher.wait(run.run_id))
        await cancel_run(application, run.run_id)
        await cancel_run(application, run.run_id)
        async with asyncio.timeout(60):
            assert isinstance(await ended, Cancelled)
        record = await application.stores.runs.get(run.run_id)
        assert (record.status, record.owner) == ("cancelled", None)
        check_journal(await application.stores.journal.read(run.run_id))


async def test_a_cancellation_asked_for_elsewhere_is_heard_at_the_heartbeat(tmp_path: Path) -> None:
    """Another process only sets the flag; a run that waits for its model hears of it all the same."""
    model = LookingModel(hold=asyncio.Event())
    async with toy_application(tmp_path, model, heartbeat_seconds=0.05) as application:
        run = await start_run(application, TOY_RUN)
        await model.came.wait()
        ended = asyncio.create_task(application.dispatcher.wait(run.run_id))
        await application.stores.runs.request_cancel(run.run_id)
        async with asyncio.timeout(60):
            assert isinstance(await ended, Cancelled)


async def test_closing_leaves_the_run_to_others(tmp_path: Path) -> None:
    """An application that closes loses nothing: another one takes the run over at once and finishes it."""
    model = LookingModel(looks=1, hold=asyncio.Event())
    async with toy_application(tmp_path, model) as application:
        run = await start_run(application, TOY_RUN)
        await model.came.wait()
    async with toy_application(tmp_path, LookingModel(looks=1)) as application:
        assert (await application.stores.runs.get(run.run_id)).status == "running"
        claim = await claim_for_resume(application, run.run_id, patience_seconds=0)
        assert isinstance(await application.dispatcher.drive(run.run_id, claim, "resumed"), Finished)
        events = await application.stores.journal.read(run.run_id)
        check_journal(events)
        assert [event.type for event in events].count("run_resumed") == 1


async def test_orphans_are_taken_over_and_living_runs_are_not(tmp_path: Path) -> None:
    """Recovery asks for what nobody owns; what lives here or elsewhere stays with its owner."""
    model = LookingModel(looks=1, hold=asyncio.Event())
    async with toy_application(tmp_path, model) as application:
        left = await start_run(application, TOY_RUN)
        await model.came.wait()
    model = LookingModel(looks=1, hold=asyncio.Event())
    async with toy_application(tmp_path, model, heartbeat_seconds=0.5) as application:
        alive = await start_run(application, TOY_RUN)
        elsewhere = await create_run(application, TOY_RUN)
        await application.stores.runs.claim(elsewhere.run_id, "another-host:1:1")
        assert await application.dispatcher.recover() == [left.run_id]
        with pytest.raises(Conflict):
            await application.stores.runs.claim(alive.run_id, "another-host:1:1")
        assert model.hold is not None
        model.hold.set()
        await until(lambda: completed(application, left.run_id, alive.run_id))
        assert (await application.stores.runs.get(elsewhere.run_id)).status == "queued"


async def completed(application: Loopwright, *run_ids: str) -> bool:
    return all([(await application.stores.runs.get(run_id)).status == "completed" for run_id in run_ids])


async def test_a_broken_program_fails_the_run_and_says_so(tmp_path: Path) -> None:
    """What no tool and no model can be blamed for is told with its kind; what was done before is kept."""

    class Broken(LookingModel):
        async def complete(self, request: Any, on_delta: Any = None) -> Any:
            if self.asked:
                raise ZeroDivisionError("by nothing")
            return await super().complete(request, on_delta)

    async with toy_application(tmp_path, Broken(looks=1)) as application:
        run = await start_run(application, TOY_RUN)
        await application.dispatcher.wait(run.run_id)
        events = await application.stores.journal.read(run.run_id)
        check_journal(events)
        assert (events[-1].type, events[-1].payload["code"]) == ("run_failed", "internal")
        assert "ZeroDivisionError: by nothing" in events[-1].payload["message"]
        assert any(event.type == "tool_result" for event in events)


async def test_owners_live_as_long_as_the_heartbeat_setting_says(tmp_path: Path) -> None:
    """A slow heartbeat must not make a living owner look dead: three beats may be lost, whatever their pace."""
    async with toy_application(tmp_path, LookingModel(), heartbeat_seconds=60) as slow:
        assert slow.stores.runs._expiry.total_seconds() == 240
    async with toy_application(tmp_path, LookingModel(), heartbeat_seconds=0.1) as quick:
        assert quick.stores.runs._expiry.total_seconds() == pytest.approx(0.4)
