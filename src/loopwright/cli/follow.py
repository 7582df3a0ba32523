"""Follows a run in the foreground: shows it, answers its gates, and prints the last line."""

import asyncio
import logging
import signal
from collections.abc import Callable, Iterator
from contextlib import aclosing, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from loopwright.app.answering import CLI, answer_run, cancel_run, load_state
from loopwright.app.ending import EXIT_CODES, last_line
from loopwright.app.loopwright import Loopwright
from loopwright.app.watching import is_terminal, watch_run
from loopwright.cli.answers import AnswerSource
from loopwright.cli.views import View
from loopwright.kernel.events import Event
from loopwright.kernel.ports import RunClaim

log = logging.getLogger(__name__)


async def follow(
    application: Loopwright,
    run_id: str,
    view: View,
    answers: AnswerSource,
    *,
    claim: RunClaim | None = None,
    reason: str = "started",
    since: int = 0,
) -> int:
    """Carry a run on in this process until it ends, or waits for somebody who is not here.

    The first Ctrl-C cancels the run; what it has changed is not taken back. The second one kills the program.

    Returns:
        The exit code.
    """
    following = _Following(application, run_id, view, since)
    with _cancelled_by_ctrl_c(application, run_id, answers):
        begin: Callable[[], None] | None = partial(application.dispatcher.dispatch, run_id, claim, reason)
        while True:
            await following.until_rest(begin)
            begin = None
            state = await load_state(application, run_id)
            gate, answers.agent = state.open_gate, state.agent
            if gate is None:
                break
            payload = await asyncio.to_thread(view.paused_for, answers, gate)
            if answers.stopped.is_set():
                continue  # cancelled while the question stood there: the terminal event is on its way
            if payload is None:
                break
            claim = await answer_run(application, run_id, payload, gate_id=gate.gate_id, by=CLI)
            begin = partial(application.dispatcher.dispatch, run_id, claim, "answered")
        await application.dispatcher.wait(run_id)
    line = last_line(await application.stores.runs.get(run_id), state, following.final)
    view.finish(line, answers.unused)
    return EXIT_CODES[line["type"]]


@dataclass
class _Following:
    """Where we are in the run's journal; `final` is the payload of its terminal event."""

    application: Loopwright
    run_id: str
    view: View
    since: int
    final: dict[str, Any] | None = None

    async def until_rest(self, begin: Callable[[], None] | None) -> None:
        """Show the run until it ends or waits; or until nobody carries it on any more. `begin` lets it go on."""
        watched = asyncio.Event()

        def start() -> None:
            if begin is not None:
                begin()
            watched.set()

        showing = asyncio.ensure_future(self._show(start))
        driving = asyncio.ensure_future(self._driven(watched))
        try:
            await asyncio.wait({showing, driving}, return_when=asyncio.FIRST_COMPLETED)
            if showing.done() or not await self._abandoned():
                await showing
        finally:
            for task in (showing, driving):
                task.cancel()
            await asyncio.gather(showing, driving, return_exceptions=True)

    async def _abandoned(self) -> bool:
        """Whether the run stopped here without coming to rest, and nobody else has taken it."""
        record = await self.application.stores.runs.get(self.run_id)
        return record.status in ("queued", "running") and (
            record.owner == self.application.owner or not record.owner_alive
        )

    async def _driven(self, watched: asyncio.Event) -> None:
        await watched.wait()
        await self.application.dispatcher.wait(self.run_id)

    async def _show(self, begin: Callable[[], None]) -> None:
        watching = watch_run(self.application, self.run_id, self.since, until_pause=True, begin=begin)
        async with aclosing(watching) as pieces:
            async for piece in pieces:
                self.view.show(piece)
                if isinstance(piece, Event):
                    self.since = piece.seq
                    self.final = piece.payload if is_terminal(piece) else None


@contextmanager
def _cancelled_by_ctrl_c(application: Loopwright, run_id: str, answers: AnswerSource) -> Iterator[None]:
    """Turn the first Ctrl-C into a cancellation of the run; the next one kills the program."""
    loop = asyncio.get_running_loop()
    cancelling: list[asyncio.Task[Any]] = []

    def interrupted() -> None:
        loop.remove_signal_handler(signal.SIGINT)
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        answers.stopped.set()
        task = loop.create_task(cancel_run(application, run_id))
        task.add_done_callback(_tell_of_failure)
        cancelling.append(task)

    loop.add_signal_handler(signal.SIGINT, interrupted)
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGINT)
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _tell_of_failure(cancelling: asyncio.Task[Any]) -> None:
    if not cancelling.cancelled() and cancelling.exception() is not None:
        log.error("the run cannot be cancelled; press Ctrl-C again to kill it", exc_info=cancelling.exception())
