"""Runs in a process of their own: what kills it takes no other run along."""

import asyncio
import logging
import multiprocessing
from collections.abc import Callable
from multiprocessing.context import ForkServerProcess
from typing import Any

log = logging.getLogger(__name__)

AT_ONCE = 4
"""Processes at once: each holds a database connection and the memory of a whole program."""

STOP_SECONDS = 5.0
"""How long a process may take to end in order when it is asked to."""


class Isolation:
    """Carries runs on in children of a fork server: a fresh interpreter would cost a second of work each."""

    def __init__(self, entry: Callable[..., None], *arguments: Any) -> None:
        """Nothing is started yet.

        Args:
            entry: a function of a module; called in the child with the arguments, a run's id and the reason. It
                becomes the run's owner, and returns when the run rests.
            arguments: must be picklable.
        """
        self._entry = entry
        self._arguments = arguments
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload([entry.__module__])
        self._places = asyncio.Semaphore(AT_ONCE)

    async def __call__(self, run_id: str, reason: str) -> None:
        """Carry the run on in a process of its own until that ends; when cancelled, stop it in order."""
        async with self._places:
            child = self._context.Process(
                target=self._entry, args=(*self._arguments, run_id, reason), name=f"loopwright-run-{run_id}"
            )
            await asyncio.to_thread(child.start)  # the first start brings the fork server up
            try:
                await _ended(child)
            except asyncio.CancelledError:
                await asyncio.to_thread(_stop, child)
                raise
            if child.exitcode:
                log.warning("the process of run %s has died (exit code %s)", run_id, child.exitcode)
            child.close()


async def _ended(child: ForkServerProcess) -> None:
    over = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_reader(child.sentinel, over.set)
    try:
        await over.wait()
    finally:
        loop.remove_reader(child.sentinel)
    child.join()


def _stop(child: ForkServerProcess) -> None:
    child.terminate()
    child.join(STOP_SECONDS)
    if child.exitcode is None:
        child.kill()
        child.join()
