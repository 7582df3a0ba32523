"""Drafts as files of the home, so that another process on this machine can show what this one's models are writing.

The writer appends now and then, begins a new file when the answer begins anew, and deletes it at the end. What a killed
process has left lies there until the same call is written again, or until it is swept away.
"""

import asyncio
import codecs
import hashlib
import logging
import os
import time
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

log = logging.getLogger(__name__)

WRITE_EVERY = 0.25
"""Seconds between two writes; an answer that is over sooner never becomes a file."""

LOOK_EVERY = 0.2
"""Seconds between two looks of a reader."""

PATIENCE = 15.0
"""Seconds without a piece after which a reader takes the writer for dead."""

STALE_AFTER = 3_600.0
"""Seconds after which a file that nobody writes any more is swept away."""


@dataclass
class _Writing:
    """A draft of this process: what is not on disk yet, and since when."""

    since: float
    pieces: list[str] = field(default_factory=list)
    begun: bool = False
    broken: bool = False


class Spool:
    """The folder of drafts."""

    def __init__(self, folder: Path, clock: Callable[[], float] = time.monotonic) -> None:
        """Keep the folder; it is made when something is written."""
        self._folder = folder
        self._clock = clock
        self._writing: dict[Path, _Writing] = {}

    def add(self, run_id: str, call_id: str, piece: str) -> None:
        """Take a piece of the answer to a call; an empty one begins anew."""
        path = self._path(run_id, call_id)
        draft = self._writing.setdefault(path, _Writing(self._clock()))
        if not piece:
            self._writing[path] = _Writing(self._clock(), broken=draft.broken)
            _remove(path)
            return
        draft.pieces.append(piece)
        if self._clock() - draft.since >= WRITE_EVERY:
            self._write(path, draft)

    def end(self, run_id: str, call_id: str) -> None:
        """Nothing more comes; what an earlier process has left of the call goes too."""
        path = self._path(run_id, call_id)
        draft = self._writing.pop(path, None)
        if draft is not None and draft.begun:
            self._write(path, draft)  # for those who read it right now
        _remove(path)

    def has_any(self, run_id: str) -> bool:
        """Whether any draft of the run lies there."""
        return next(self._folder.glob(f"{_digest(run_id)}.*"), None) is not None

    def find(self, run_id: str, call_id: str) -> "SpooledDraft | None":
        """The draft of a call, while its file lies there."""
        path = self._path(run_id, call_id)
        return SpooledDraft(path) if path.exists() else None

    def sweep(self) -> None:
        """Delete what dead processes have left."""
        for path in self._folder.glob("*.draft"):
            try:
                if time.time() - path.stat().st_mtime > STALE_AFTER:
                    path.unlink()
            except FileNotFoundError:
                continue  # its writer was faster

    def _write(self, path: Path, draft: _Writing) -> None:
        text, draft.pieces, draft.since = "".join(draft.pieces), [], self._clock()
        if draft.broken or not text:
            return
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not draft.begun:
                path.unlink(missing_ok=True)
            with path.open("ab") as file:
                file.write(text.encode("utf-8", errors="replace"))
        except OSError as error:
            draft.broken = True  # the run goes on: a draft is only shown
            log.warning("a draft cannot be shown to other processes: %s", error)
        draft.begun = True

    def _path(self, run_id: str, call_id: str) -> Path:
        """Ids may come from a model, so that their digests make the name."""
        return self._folder / f"{_digest(run_id)}.{_digest(call_id)}.draft"


class SpooledDraft:
    """One answer that another process is writing."""

    def __init__(self, path: Path) -> None:
        """Keep the path; nothing is opened yet."""
        self._path = path

    async def read(self) -> AsyncGenerator[str, None]:
        """The text so far and what comes, until the file is gone, begins anew, or grows no more."""
        try:
            file = self._path.open("rb")
        except FileNotFoundError:
            return
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        idle = 0.0
        with file:
            while idle < PATIENCE:
                goes_on = _is_at(self._path, file)  # asked first: what was written before it went is read below
                text = decoder.decode(file.read())
                if text:
                    idle = 0.0
                    yield text
                elif not goes_on:
                    return
                else:
                    idle += LOOK_EVERY
                    await asyncio.sleep(LOOK_EVERY)


def _remove(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        log.warning("a draft cannot be deleted: %s", error)  # it is swept away later


def _is_at(path: Path, file: BinaryIO) -> bool:
    """Whether the opened file is still the one at the path."""
    try:
        return os.path.samestat(path.stat(), os.fstat(file.fileno()))
    except FileNotFoundError:
        return False


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:24]
