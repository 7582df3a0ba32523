"""What is shown but not stored: text deltas and progress, to whoever watches right now."""

import asyncio
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

BACKLOG = 2_000
"""Pieces a slow watcher may lag behind before the oldest are dropped: they are not the truth, the journal is."""


@dataclass(frozen=True)
class Live:
    """A piece of a run's life that is not journalled; `kind` is `delta` or `progress`."""

    run_id: str
    kind: str
    data: Mapping[str, Any]


class Broadcast:
    """Hands live pieces to the watchers of a run; an `EventSink`."""

    def __init__(self) -> None:
        """Nobody watches yet."""
        self._watchers: dict[str, set[asyncio.Queue[Live]]] = defaultdict(set)

    def __call__(self, run_id: str, kind: str, data: Mapping[str, Any]) -> None:
        """Give the piece to all who watch this run."""
        for queue in self._watchers.get(run_id, ()):
            if queue.full():
                queue.get_nowait()
            queue.put_nowait(Live(run_id, kind, data))

    def watched(self, run_id: str) -> bool:
        """Whether anybody watches this run."""
        return bool(self._watchers.get(run_id))

    @contextmanager
    def listen(self, run_id: str) -> Iterator["asyncio.Queue[Live]"]:
        """A queue that gets the run's live pieces while the context is open."""
        queue: asyncio.Queue[Live] = asyncio.Queue(BACKLOG)
        self._watchers[run_id].add(queue)
        try:
            yield queue
        finally:
            self._watchers[run_id].discard(queue)
            if not self._watchers[run_id]:
                del self._watchers[run_id]
