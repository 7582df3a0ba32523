"""What models are writing inside tools right now, kept whole, so that whoever comes late sees it from the beginning."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from typing import Any

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
    """The drafts of this process, by run and call."""

    def __init__(self) -> None:
        """Nobody writes yet."""
        self._drafts: dict[tuple[str, str], Draft] = {}

    def take(self, run_id: str, kind: str, data: Mapping[str, Any]) -> None:
        """Take in a live piece of a run; only those of kind `writing` and `written` matter here."""
        if kind == "writing":
            self._of(run_id, str(data["call_id"])).add(str(data["text"]))
        elif kind == "written" and (draft := self._drafts.pop((run_id, str(data["call_id"])), None)) is not None:
            draft.end()

    def find(self, run_id: str, call_id: str) -> Draft | None:
        """The draft of a call, while it is being written."""
        return self._drafts.get((run_id, call_id))

    def _of(self, run_id: str, call_id: str) -> Draft:
        draft = self._drafts.get((run_id, call_id))
        if draft is None:
            if len(self._drafts) >= OPEN_AT_MOST:
                self._drafts.pop(next(iter(self._drafts))).end()
            draft = self._drafts[run_id, call_id] = Draft()
        return draft
