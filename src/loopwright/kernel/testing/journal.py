"""The journal in memory."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from datetime import UTC, datetime

from pydantic_core import from_json

from loopwright.kernel.errors import NotFound, StaleOwner
from loopwright.kernel.events import Event, Payload
from loopwright.kernel.ports import Appended, Claim, RunUpdate
from loopwright.kernel.run_states import TERMINAL


class MemoryJournal:
    """A `Journal` in memory, with the fence of the real one."""

    def __init__(self) -> None:
        """Start empty."""
        self.events: dict[str, list[Event]] = {}
        self.epochs: dict[str, int] = {}
        self.cancel_requested: set[str] = set()
        self.appends = 0

    def create(self, run_id: str, payloads: Sequence[Payload]) -> Claim:
        """A new run with its first events, claimed."""
        self.events[run_id] = [event_of(run_id, seq, payload) for seq, payload in enumerate(payloads, 1)]
        self.epochs[run_id] = 1
        return Claim(run_id, 1, "memory")

    def claim(self, run_id: str) -> Claim:
        """Take a run over: the former owner's appends are refused from now on."""
        self.epochs[run_id] += 1
        return Claim(run_id, self.epochs[run_id], f"memory-{self.epochs[run_id]}")

    async def append(
        self, claim: Claim, after_seq: int, payloads: Sequence[Payload], update: RunUpdate | None = None
    ) -> Appended:
        """Append behind the fence.

        Raises:
            StaleOwner: the epoch or the seq is not the stored one.
        """
        stored = self.events[claim.run_id]
        if self.epochs[claim.run_id] != claim.epoch or len(stored) != after_seq:
            raise StaleOwner(f"run {claim.run_id} is at seq {len(stored)}, epoch {self.epochs[claim.run_id]}")
        new = [event_of(claim.run_id, seq, payload) for seq, payload in enumerate(payloads, after_seq + 1)]
        stored.extend(new)
        self.appends += 1
        return Appended(new, claim.run_id in self.cancel_requested)

    async def read(self, run_id: str, since_seq: int = 0, limit: int | None = None) -> list[Event]:
        """Events with a greater seq."""
        if run_id not in self.events:
            raise NotFound(f"There is no run {run_id!r}.")
        return self.events[run_id][since_seq:][:limit]

    async def watch(self, run_id: str, since_seq: int = 0) -> AsyncGenerator[Event, None]:
        """Events as they come, until the terminal one."""
        while True:
            for event in self.events[run_id][since_seq:]:
                since_seq = event.seq
                yield event
                if event.type.removeprefix("run_") in TERMINAL:
                    return
            await asyncio.sleep(0.005)


def event_of(run_id: str, seq: int, payload: Payload) -> Event:
    """The payload as a store would give it back: through JSON."""
    return Event(
        run_id=run_id, seq=seq, type=payload.type, at=datetime.now(UTC), payload=from_json(payload.model_dump_json())
    )
