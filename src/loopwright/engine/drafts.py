"""What models are writing inside tools right now, kept whole, so that whoever comes late sees it from the beginning."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from typing import Any

from loopwright.engine.spool import Spool, SpooledDraft

RESTARTED = ""
"""The piece that tells a reader: what was written is void, the answer begins anew."""

OPEN_AT_MOST = 200
"""Drafts that one process keeps; the oldest give way."""


class Draft:
    """One answer that is being written for a call. It is read from its beginning, at the reader's own pace."""

    def __init__(self) -> None:
        """Nothing is written yet."""
        self._pieces: list[str] = []
        self._attempt = 1
        self._ended = False
        self._changed = asyncio.Event()

    def add(self, piece: str) -> None:
        """Take a piece; an empty one begins anew."""
        if piece:
            self._pieces.append(piece)
        elif self._pieces:
            self._pieces = []
            self._attempt += 1
        self._tell()

    def end(self) -> None:
        """Nothing more comes."""
        self._ended = True
        self._tell()

    async def read(self) -> AsyncGenerator[str, None]:
        """The pieces so far and those to come, until the end; `RESTARTED` where what came before is void."""
        attempt, read = self._attempt, 0
        while True:
            changed = self._changed
            if attempt != self._attempt:
                attempt, read = self._attempt, 0
                yield RESTARTED
            elif read < len(self._pieces):
                pieces = self._pieces[read:]
                read += len(pieces)
                yield "".join(pieces)
            elif self._ended:
                return
            else:
                await changed.wait()

    def _tell(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()


class Drafts:
    """The drafts of this process, by run and call; those of other processes on this home are found in the spool."""

    def __init__(self, spool: Spool) -> None:
        """Nobody writes yet in this process."""
        self._spool = spool
        self._drafts: dict[tuple[str, str], Draft] = {}

    def take(self, run_id: str, kind: str, data: Mapping[str, Any]) -> None:
        """Take in a live piece of a run; only those of kind `writing` and `written` matter here."""
        if kind == "writing":
            call_id, text = str(data["call_id"]), str(data["text"])
            self._of(run_id, call_id).add(text)
            self._spool.add(run_id, call_id, text)
        elif kind == "written":
            self._end(run_id, str(data["call_id"]))

    def has_any(self, run_id: str) -> bool:
        """Whether anything of the run is being written."""
        return any(run == run_id for run, _ in self._drafts) or self._spool.has_any(run_id)

    def find(self, run_id: str, call_id: str) -> "Draft | SpooledDraft | None":
        """The draft of a call, while it is being written, here or by another process."""
        return self._drafts.get((run_id, call_id)) or self._spool.find(run_id, call_id)

    def _of(self, run_id: str, call_id: str) -> Draft:
        draft = self._drafts.get((run_id, call_id))
        if draft is None:
            if len(self._drafts) >= OPEN_AT_MOST:
                self._end(*next(iter(self._drafts)))
            draft = self._drafts[run_id, call_id] = Draft()
        return draft

    def _end(self, run_id: str, call_id: str) -> None:
        draft = self._drafts.pop((run_id, call_id), None)
        if draft is not None:
            draft.end()
            self._spool.end(run_id, call_id)
