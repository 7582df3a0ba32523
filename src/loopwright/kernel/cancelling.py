"""The user's cancellation, and the work under way that it reaches."""

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any, TypeVar

from loopwright.kernel.errors import Abandoned, Interrupted

log = logging.getLogger(__name__)

T = TypeVar("T")

GRACE_SECONDS = 2.0
"""How long cancelled work may take to clear up before it is abandoned."""

STORING_SECONDS = 5.0
"""How long a cancelled caller waits for its append."""


class Cancellation:
    """Asked for once, at any moment; work that runs through `reaching` is cancelled with it."""

    def __init__(self) -> None:
        """Nothing is asked for yet."""
        self.asked = False
        self._under_way: dict[asyncio.Task[Any], asyncio.Future[None]] = {}

    def ask(self) -> None:
        """Cancel the work under way. Asking again changes nothing: it would break off the work's own clearing up."""
        if self.asked:
            return
        self.asked = True
        for task, told in tuple(self._under_way.items()):
            task.cancel()
            if not told.done():
                told.set_result(None)

    async def reaching(self, work: Coroutine[Any, Any, T]) -> T:
        """The work's result. Cancelled work may still give one, within `GRACE_SECONDS`.

        When the waiting task itself is cancelled (the process ends), the work is cancelled with the same grace.

        Raises:
            Interrupted: the user has cancelled, and the work has ended without a result.
            Abandoned: the user has cancelled, and the work did not end in time; it may still do something.
        """
        if self.asked:
            work.close()
            raise Interrupted("The run was cancelled before this began.")
        task = asyncio.ensure_future(work)
        told = self._under_way[task] = asyncio.get_running_loop().create_future()
        try:
            await asyncio.wait({task, told}, return_when=asyncio.FIRST_COMPLETED)
            if not task.done():
                await asyncio.wait({task}, timeout=GRACE_SECONDS)
        except asyncio.CancelledError:
            task.cancel()
            await asyncio.wait({task}, timeout=GRACE_SECONDS)
            task.add_done_callback(_log_end)
            raise
        finally:
            del self._under_way[task]
        if not task.done():
            task.add_done_callback(_log_end)
            raise Abandoned(f"What was under way did not stop within {GRACE_SECONDS:g} s of the cancellation.")
        if task.cancelled() and self.asked:
            raise Interrupted("The run was cancelled while this was under way.")
        return task.result()


async def whole(work: Coroutine[Any, Any, T]) -> T:
    """Carry a short piece of work, such as an append, to its end even when the caller is cancelled.

    Broken off, nobody would know whether it was done; so the caller waits, though not through a long outage.
    """
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        task.add_done_callback(_log_end)
        await asyncio.wait({task}, timeout=STORING_SECONDS)  # what it raised, if anything, meets the next append too
        raise


def _log_end(task: asyncio.Task[Any]) -> None:
    """Nobody waits for this work any more: how it ends is told in the log."""
    if task.cancelled() or task.exception() is None:
        log.info("work that nobody waited for has ended")
    else:
        log.warning("work that nobody waited for has failed", exc_info=task.exception())
