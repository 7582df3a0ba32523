"""Places for runs: so many at once in a process, given to the sessions in turn."""

import asyncio
from collections import OrderedDict, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class FairSlots:
    """A place that becomes free goes to the session that has waited longest since it got one: none starves another."""

    def __init__(self, places: int) -> None:
        """`places` is how many may be taken at once."""
        self._free = places
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()

    @property
    def full(self) -> bool:
        """Whether the next one has to wait."""
        return self._free <= 0

    @asynccontextmanager
    async def place(self, session_id: str) -> AsyncIterator[None]:
        """A place of this session, for as long as the context is open."""
        await self._take(session_id)
        try:
            yield
        finally:
            self._give_back()

    async def _take(self, session_id: str) -> None:
        if self._free > 0:  # nobody waits while a place is free
            self._free -= 1
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(session_id, deque()).append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # the place was given at the moment of the cancellation
                self._give_back()
            raise

    def _give_back(self) -> None:
        while self._waiting:
            session_id, turns = self._waiting.popitem(last=False)
            turn = turns.popleft()
            if turns:
                self._waiting[session_id] = turns  # at the end: every other session comes first
            if not turn.done():
                turn.set_result(None)
                return
        self._free += 1
