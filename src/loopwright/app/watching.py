"""Use case: follow a run, its journal and what is shown live, in one stream."""

import asyncio
from collections.abc import AsyncGenerator, Callable

from loopwright.app.loopwright import Loopwright
from loopwright.engine.drafts import Live
from loopwright.kernel.events import Event
from loopwright.kernel.state import TERMINAL


def is_terminal(event: Event) -> bool:
    """Whether nothing comes after this event."""
    return event.type.startswith("run_") and event.type.removeprefix("run_") in TERMINAL


def is_pause(event: Event) -> bool:
    """Whether the run rests after this event: for good, until a human answers, or until one lets it try again."""
    return is_terminal(event) or event.type in ("run_waiting_input", "run_parked")


async def watch_run(
    application: Loopwright,
    run_id: str,
    since_seq: int = 0,
    *,
    until_pause: bool = False,
    begin: Callable[[], None] | None = None,
    writing: bool = False,
) -> AsyncGenerator[Event | Live, None]:
    """The run's events after `since_seq` and its live pieces, as they come.

    Ends after the terminal event; with `until_pause` also when the run rests and no later event is known.
    `writing` adds the answers to tools and the calls that are being written, piece by piece. `begin` is called once the
    run is watched: who carries it on there misses nothing that is shown live.

    Raises:
        NotFound: there is no such run.
    """
    await application.stores.runs.get(run_id)
    with application.broadcast.listen(run_id, writing=writing) as live:
        if begin is not None:
            begin()
        events = application.stores.journal.watch(run_id, since_seq)
        next_event = asyncio.ensure_future(anext(events, None))
        next_live = asyncio.ensure_future(live.get())
        try:
            while True:
                await asyncio.wait({next_event, next_live}, return_when=asyncio.FIRST_COMPLETED)
                stored = next_event.done()
                while next_live.done() or (stored and not live.empty()):  # what was shown before an event comes first
                    if next_live.done():
                        yield next_live.result()
                        next_live = asyncio.ensure_future(live.get())
                    else:
                        await asyncio.sleep(0)  # the one getter takes every piece, so that none overtakes another
                if not stored:
                    continue
                event = next_event.result()
                if event is None:
                    return
                yield event
                if until_pause and is_pause(event) and not await _went_on(application, event):
                    return
                next_event = asyncio.ensure_future(anext(events, None))
        finally:
            for task in (next_event, next_live):
                task.cancel()
            await asyncio.gather(next_event, next_live, return_exceptions=True)
            await events.aclose()


async def _went_on(application: Loopwright, event: Event) -> bool:
    return bool(await application.stores.journal.read(event.run_id, event.seq, 1))
