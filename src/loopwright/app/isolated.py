"""A run in a process of its own, for runs whose owner has died: see `engine/ownership.py`."""

import asyncio
import logging
import multiprocessing
import signal

from loopwright.app.loopwright import Loopwright
from loopwright.app.settings import Settings
from loopwright.engine.ownership import Isolation
from loopwright.kernel.errors import Conflict


def isolation(settings: Settings) -> Isolation:
    """What a server carries suspicious runs on with."""
    return Isolation(carry_on, settings)


def carry_on(settings: Settings, run_id: str, reason: str) -> None:
    """Carry the run on to its end or to a gate; the entry of the child process."""
    logging.basicConfig(level=settings.log_level.upper(), format="%(levelname)s %(name)s: %(message)s")

    async def work() -> None:
        async with Loopwright.open(settings) as application:
            await take_and_drive(application, run_id, reason)

    asyncio.run(work())


async def take_and_drive(application: Loopwright, run_id: str, reason: str) -> None:
    """Take the run and carry it on; stop in order when the parent process dies or says so."""
    loop, driving = asyncio.get_running_loop(), asyncio.current_task()
    parent = multiprocessing.parent_process()
    assert driving is not None, "this is a task"  # noqa: S101
    assert parent is not None, "this is a child process"  # noqa: S101
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, driving.cancel)
    loop.add_reader(parent.sentinel, driving.cancel)
    try:
        claim = await application.stores.runs.claim(run_id, application.owner)
        await application.dispatcher.drive(run_id, claim, reason)
    except Conflict as conflict:
        logging.getLogger(__name__).info("another process was quicker: %s", conflict.message)
    except asyncio.CancelledError:
        logging.getLogger(__name__).info("run %s is left to others", run_id)
    finally:
        loop.remove_reader(parent.sentinel)
