"""What is shown but not stored: text deltas and progress, to whoever watches right now."""

import asyncio
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from loopwright.engine.drafts import Drafts
from loopwright.engine.spool import Spool

BACKLOG = 2_000
"""Pieces a slow watcher may lag behind before the oldest are dropped: they are not the truth, the journal is."""


WRITING = frozenset({"writing", "written", "arguments"})
"""The kinds of pieces that come in thousands while a model writes inside a tool, or writes a call."""


@dataclass(frozen=True)
class Live:
    """A piece of a run's life that is not journalled.

    `kind` is `delta` (the model's words), `progress` (a tool's), `arguments` (of a call being written), `writing`
    (the model's answer to a tool), `written` (its end) or `warning`.
    """

    run_id: str
    kind: str
    data: Mapping[str, Any]


class Broadcast:
    """Hands live pieces to the watchers of a run; an `EventSink`."""

    def __init__(self, spool: Spool) -> None:
        """Nobody watches yet; what is written for calls is spooled for other processes too."""
        self.drafts = Drafts(spool)
        self._watchers: dict[str, dict[asyncio.Queue[Live], bool]] = defaultdict(dict)

    def __call__(self, run_id: str, kind: str, data: Mapping[str, Any]) -> None:
        """Give the piece to all who watch this run, and to the draft that it belongs to."""
        self.drafts.take(run_id, kind, data)
        for queue, writing in self._watchers.get(run_id, {}).items():
            if kind in WRITING and not writing:
                continue
            if queue.full():
                queue.get_nowait()
            queue.put_nowait(Live(run_id, kind, data))

    def watched(self, run_id: str) -> bool:
        """Whether anybody watches this run."""
        return bool(self._watchers.get(run_id))

    @contextmanager
    def listen(self, run_id: str, *, writing: bool = False) -> Iterator["asyncio.Queue[Live]"]:
        """A queue that gets the run's live pieces while the context is open; those of `WRITING` only when asked for."""
        queue: asyncio.Queue[Live] = asyncio.Queue(BACKLOG)
        self._watchers[run_id][queue] = writing
        try:
            yield queue
        finally:
            self._watchers[run_id].pop(queue, None)
            if not self._watchers[run_id]:
                del self._watchers[run_id]
