"""A death is counted for what executed, and for nothing else; whoever comes later knows that there were deaths."""

import asyncio
from pathlib import Path

from loopwright.app.starting import NewRun, create_run
from loopwright.kernel.ports import RunClaim
from loopwright.stores.claims import owner_id
from tests.engine.toys import LookingModel, toy_application
from tests.support.application import until

TOY_RUN = NewRun("look around", agent="toy")
DEAD = f"{owner_id().split(':')[0]}:4194304:gone"
"""A process of this host that has ended."""


async def dead_once(application, number: int) -> str:
    """A run whose owner has died at work."""
    run = await create_run(application, TOY_RUN)
    await application.stores.runs.claim(run.run_id, f"{DEAD}-{number}")
    return run.run_id


async def test_a_run_that_waits_to_be_isolated_belongs_to_nobody(tmp_path: Path) -> None:
    """Its parent may die of another run meanwhile: that is no death of this one's making."""
    asked: list[str] = []

    async def isolate(run_id: str, reason: str) -> None:
        asked.append(run_id)
        await asyncio.Event().wait()

    async with toy_application(tmp_path, LookingModel()) as application:
        run_id = await dead_once(application, 1)
        application.dispatcher._suspects._isolate = isolate
        await application.dispatcher.recover()

        async def waits() -> bool:
            return bool(asked)

        await until(waits, seconds=20)
        record = await application.stores.runs.get(run_id)
        assert (record.owner, record.deaths) == (None, 1)
        assert (await application.stores.runs.claim(run_id, "another")).deaths == 1


async def test_whoever_starts_later_knows_of_deaths_that_others_deal_with(tmp_path: Path) -> None:
    """A living process has taken the suspect; what is left beside it runs apart all the same."""
    apart: list[str] = []

    async def isolate(run_id: str, reason: str) -> None:
        apart.append(run_id)

    async with toy_application(tmp_path, LookingModel(), heartbeat_seconds=0.2) as application:
        suspect = await dead_once(application, 1)
        assert (await application.stores.runs.claim(suspect, "elsewhere:1:1")).deaths == 1
        left = await create_run(application, TOY_RUN)
        application.stores.runs.heartbeat("elsewhere:1:1", [suspect])
        await asyncio.sleep(0.3)  # a run just created is left to its creator for one beat
        application.dispatcher._suspects._isolate = isolate
        await application.dispatcher.recover()

        async def seen() -> bool:
            return left.run_id in apart

        await until(seen, seconds=10)


async def test_an_answered_run_that_waits_for_a_place_belongs_to_nobody(tmp_path: Path) -> None:
    """It is claimed again when its turn has come."""
    model = LookingModel(looks=0, hold=asyncio.Event())
    async with toy_application(tmp_path, model, runs_at_once=1) as application:
        first, second = await create_run(application, TOY_RUN), await create_run(application, TOY_RUN)
        application.dispatcher.dispatch(first.run_id)
        await model.came.wait()
        claim: RunClaim = await application.stores.runs.claim(second.run_id, application.owner)
        application.dispatcher.dispatch(second.run_id, claim)

        async def free() -> bool:
            return (await application.stores.runs.get(second.run_id)).owner is None

        await until(free, seconds=10)
        assert model.hold is not None
        model.hold.set()
        for run in (first, second):
            await application.dispatcher.wait(run.run_id)
            assert (await application.stores.runs.get(run.run_id)).status == "completed"
