"""Use case: client tools whose client does not answer."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime

from loopwright.app.answering import TIMEOUT, answer_and_go_on, open_gates
from loopwright.app.loopwright import Loopwright
from loopwright.kernel.client_tools import overdue
from loopwright.kernel.errors import Conflict, StoreUnavailable

LOOK_SECONDS = 5.0
"""How often a server looks for calls that nobody has answered in time."""

log = logging.getLogger(__name__)


async def end_overdue_calls(app: Loopwright, now: datetime | None = None) -> int:
    """Answer each call of a client tool whose time has run out with an error, and let its run go on.

    Returns:
        How many there were.

    Raises:
        StoreUnavailable: the store cannot be asked now.
    """
    ended = 0
    for waiting in await open_gates(app):
        gate = waiting.gate
        if not overdue(gate, waiting.opened_at, now or datetime.now(UTC)):
            continue
        late = {"error": f"the client did not answer within {gate.details['timeout_seconds']:g} seconds"}
        try:
            await answer_and_go_on(app, waiting.run.run_id, late, gate_id=gate.gate_id, by=TIMEOUT)
        except Conflict as conflict:
            log.info("the client was quicker after all: %s", conflict.message)
            continue
        ended += 1
    return ended


@asynccontextmanager
async def watching_client_calls(app: Loopwright) -> AsyncIterator[None]:
    """While the context is open, calls of client tools are ended when their time has run out."""

    async def watch() -> None:
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            try:
                await end_overdue_calls(app)
            except StoreUnavailable as error:
                log.warning("calls of client tools are looked at later: %s", error.message)

    task = asyncio.create_task(watch())
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
