"""Who wants to know what happens in which run: told at once of this process's commits, by polling of others'."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field

from loopwright.kernel.errors import LoopwrightError
from loopwright.kernel.events import Event

POLL_SECONDS = 0.3
"""How often other processes' commits are looked for, in one query for all watched runs."""

MAX_PENDING = 256
"""Events kept for a slow watcher; beyond, it reads them from the database."""

ReadSeqs = Callable[[Sequence[str]], Awaitable[Mapping[str, int]]]
"""Run ids → the seq of each run's newest event."""


@dataclass(eq=False)
class Watcher:
    """One reader's place in one run."""

    run_id: str
    newest: int = 0
    pending: deque[Event] = field(default_factory=deque)
    failure: Exception | None = None
    _woken: asyncio.Event = field(default_factory=asyncio.Event)

    def take_after(self, position: int) -> list[Event]:
        """The events kept that follow this seq without a hole; what is older is dropped."""
        taken: list[Event] = []
        while self.pending and self.pending[0].seq <= position + len(taken) + 1:
            event = self.pending.popleft()
            if event.seq == position + len(taken) + 1:
                taken.append(event)
        return taken

    async def wait_beyond(self, position: int) -> None:
        """Return when the run is known to have events after this seq.

        Raises:
            LoopwrightError: the database was closed, or polling it failed.
        """
        while self.newest <= position:
            if self.failure is not None:
                raise LoopwrightError(f"Watching run {self.run_id} broke off: {self.failure}") from self.failure
            self._woken.clear()
            await self._woken.wait()

    def tell(self, newest: int, events: Sequence[Event] = ()) -> None:
        """There are events up to this seq; those given need not be read again."""
        self.newest = max(self.newest, newest)
        if len(self.pending) + len(events) > MAX_PENDING:
            self.pending.clear()
        else:
            self.pending.extend(events)
        self._woken.set()

    def break_off(self, failure: Exception) -> None:
        """Nothing more will come."""
        self.failure = failure
        self._woken.set()


class Changes:
    """The watchers of this process, and the one task that polls for them while there are any."""

    def __init__(self, read_seqs: ReadSeqs) -> None:
        """Keep the query; nothing runs before the first watcher."""
        self._read_seqs = read_seqs
        self._watchers: dict[str, set[Watcher]] = {}
        self._poller: asyncio.Task[None] | None = None

    def add(self, run_id: str) -> Watcher:
        """Start watching; whoever adds must remove."""
        watcher = Watcher(run_id)
        self._watchers.setdefault(run_id, set()).add(watcher)
        if self._poller is None or self._poller.done():
            self._poller = asyncio.create_task(self._poll(), name="loopwright-poll")
        return watcher

    def remove(self, watcher: Watcher) -> None:
        """Stop watching."""
        watchers = self._watchers.get(watcher.run_id, set())
        watchers.discard(watcher)
        if not watchers:
            self._watchers.pop(watcher.run_id, None)

    def publish(self, run_id: str, events: Sequence[Event]) -> None:
        """These events of the run have been committed here."""
        if events:
            for watcher in self._watchers.get(run_id, ()):
                watcher.tell(events[-1].seq, events)

    async def close(self) -> None:
        """Stop polling, and tell every watcher that nothing more will come."""
        if self._poller is not None:
            self._poller.cancel()
            await asyncio.gather(self._poller, return_exceptions=True)
        self._break_off(LoopwrightError("the database was closed"))

    async def _poll(self) -> None:
        while self._watchers:
            try:
                newest = await self._read_seqs(list(self._watchers))
            except Exception as error:
                self._break_off(error)
                return
            for run_id, seq in newest.items():
                for watcher in self._watchers.get(run_id, ()):
                    if seq > watcher.newest:
                        watcher.tell(seq)
            await asyncio.sleep(POLL_SECONDS)

    def _break_off(self, failure: Exception) -> None:
        for watchers in self._watchers.values():
            for watcher in watchers:
                watcher.break_off(failure)
