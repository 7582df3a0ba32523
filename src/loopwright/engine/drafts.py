"""What models are writing inside tools right now, kept whole, so that whoever comes late sees it from the beginning."""

import asyncio
import codecs
import hashlib
import logging
import os
import time
from collections import defaultdict
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

# Drafts as files of the home, so that another process on this machine can show what this one's models are writing.

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


# What is shown but not stored: text deltas and progress, to whoever watches right now.

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
