"""A project on disk: one spec, every version of it, and what runs have made."""

import fcntl
import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

from loopwright.agents.designspec.document.checking import minimal_document
from loopwright.agents.designspec.patches import Operations, apply_patch, difference, invert_patch
from loopwright.agents.designspec.pipeline.reports import RunReport
from loopwright.agents.designspec.project import files as artifacts
from loopwright.agents.designspec.project import files as reports
from loopwright.agents.designspec.project.changing import (
    MAX_SPEC_BYTES,
    SPEC,
    ChangeChain,
    Changer,
    document_hash,
    read_spec,
    write_spec,
)
from loopwright.agents.designspec.project.files import (
    CREATED,
    HAND,
    REDO,
    UNDO,
    ChangeRecord,
    ProjectFiles,
    next_stamp,
    time_of,
)
from loopwright.agents.designspec.project.index import ArtifactIndexer
from loopwright.kernel.errors import Conflict, InvalidInput, NotFound
from loopwright.kernel.files import exclusive_lock
from loopwright.kits.history.timeline import Step, Timeline, timeline_of

# Which change comes next to be undone or redone, as in an editor.


def timeline(records: Sequence[ChangeRecord]) -> Timeline[ChangeRecord]:
    """What may be undone and redone; how the project began is not a change."""
    return timeline_of((_step(record), record) for record in records if record.author != CREATED)


def _step(record: ChangeRecord) -> Step:
    return "undo" if record.undoes is not None else "redo" if record.redoes is not None else "change"


# The project's spec with all its versions: read, changed, undone.


class StoredSpec:
    """`spec.json` below `path`, the chain of its changes, and every version that there was.

    Args:
        path: the project's folder, which exists.
        wait_s: how long a writer waits for another one.
        on_step: told what a change on disk has reached; tests end the process there.
    """

    def __init__(self, path: Path, *, wait_s: float = 10.0, on_step: Callable[[str], None] = lambda step: None) -> None:
        self.files = ProjectFiles(path)
        self.path = self.files.root
        self.wait_s = wait_s
        self._chain = ChangeChain(self.files)
        self._changer = Changer(self.files, on_step)

    def document(self) -> dict[str, Any]:
        """The spec as it is written now.

        Raises:
            InvalidInput: somebody has edited it into something that is not a spec.
        """
        try:
            return read_spec(self.files.read(SPEC, MAX_SPEC_BYTES), SPEC)
        except InvalidInput as error:
            hint = "Repair it by hand, or put the last version back (`restore`): it is in spec_history/."
            raise InvalidInput(error.message, hint=hint) from error

    @property
    def document_hash(self) -> str:
        """The hash of the spec as it is written now."""
        return document_hash(self.document())

    def refresh(self) -> ChangeRecord | None:
        """Notice an edit by hand: keep it as a version by the author `hand`, and answer its record."""
        with self._locked():
            self._changer.recover()
            return self._settle()

    def save(
        self,
        document: dict[str, Any],
        *,
        author: str,
        operations: Operations,
        proposal_id: str | None = None,
        expected_hash: str | None = None,
        note: str = "",
    ) -> ChangeRecord:
        """Make the document the project's, if the stored one is still the one that the operations were made for.

        A second save of the same proposal changes nothing and answers the first one's record.

        Args:
            document: what the operations make of the stored one.
            author: whose change it is.
            operations: the patch.
            proposal_id: what was approved, if it was a proposal.
            expected_hash: the hash of the document that was decided on; None takes the stored one as it is.
            note: what the change is about, for people.

        Raises:
            Conflict: the stored document is another one than `expected_hash` says.
            InvalidInput: the operations do not lead from the stored document to this one.
        """
        with self._locked():
            self._changer.recover()
            self._settle()
            earlier = self._chain.of_proposal(proposal_id) if proposal_id else None
            if earlier:
                return earlier
            stored = self.document()
            if expected_hash is not None and document_hash(stored) != expected_hash:
                raise Conflict(
                    f"The spec has changed since: it is {document_hash(stored)} now, and no longer {expected_hash}.",
                    hint="Look at what has changed, and decide again.",
                )
            if document_hash(apply_patch(stored, operations)) != document_hash(document):
                raise InvalidInput("The operations do not lead to the document that is to be saved.")
            read_spec(write_spec(document), f"The new {SPEC}")  # what could not be opened again is not written
            inverse = invert_patch(stored, operations)
            return self._change(document, author, operations, inverse, proposal_id=proposal_id, note=note)

    def undo(self) -> ChangeRecord:
        """Take back the newest change that stands; each further undo goes one change further back.

        Raises:
            Conflict: nothing is left to undo.
        """
        with self._locked():
            self._changer.recover()
            self._settle()
            last = timeline(self._chain.records()).current
            if last is None:
                raise Conflict("There is nothing to undo: the spec is as it was at first.")
            self._require(last.new_hash, last)
            note = f"undo of {last.stamp} by {last.author}"
            document = self._stored_or(last.old_hash, last.inverse)
            return self._change(document, UNDO, last.inverse, last.patches, undoes=last.stamp, note=note)

    def redo(self) -> ChangeRecord:
        """Make the change again that was undone last.

        Raises:
            Conflict: nothing was undone, or something else has been changed since.
        """
        with self._locked():
            self._changer.recover()
            self._settle()
            last = timeline(self._chain.records()).after
            if last is None:
                raise Conflict("There is nothing to redo.")
            self._require(last.old_hash, last)
            note = f"redo of {last.stamp} by {last.author}"
            document = self._stored_or(last.new_hash, last.patches)
            return self._change(document, REDO, last.patches, last.inverse, redoes=last.stamp, note=note)

    def restore(self) -> str:
        """Put the last version back where `spec.json` can no longer be read; answer where that file is kept now.

        Raises:
            Conflict: `spec.json` can be read, or there is no version to put back.
        """
        with self._locked():
            self._changer.recover()
            newest = self._chain.newest()
            if newest is None:
                raise Conflict("There is no version to put back.")
            try:
                self.document()
            except InvalidInput:
                aside = f"spec_history/{next_stamp(self._chain.last_stamp())}_unreadable.txt"
                self.files.move(SPEC, aside)
                self._changer.put_back(newest)
                return aside
            raise Conflict(f"{SPEC} can be read; undo takes changes back.")

    def history(self) -> list[ChangeRecord]:
        """Every change, newest first."""
        return self._chain.records()[::-1]

    def record_of(self, proposal_id: str) -> ChangeRecord | None:
        """The change that this proposal has made, if it was saved."""
        return self._chain.of_proposal(proposal_id)

    def damaged_records(self) -> dict[str, str]:
        """The files in `patches/` that cannot be read, with the reason; they take no part in undo."""
        self._chain.records()
        return dict(self._chain.damaged)

    def version(self, version_hash: str) -> dict[str, Any]:
        """The document that had this hash.

        Raises:
            NotFound: there was none.
        """
        try:
            return self._chain.version(version_hash)
        except NotFound:
            document = self.document()
            if document_hash(document) == version_hash:  # edited by hand a moment ago, and not yet noticed
                return document
            raise

    def _locked(self) -> AbstractContextManager[None]:
        return exclusive_lock(self.path / ".lock", wait_s=self.wait_s)

    def _settle(self) -> ChangeRecord | None:
        """Make the chain of records agree with `spec.json`, whose word counts. For who holds the lock."""
        newest = self._chain.newest()
        if newest is not None and not self.files.exists(SPEC):
            self._changer.put_back(newest)
        document = self.document()
        if newest is None:
            return self._change(document, CREATED, [], [], note=f"{SPEC} as it was found")
        if document_hash(document) == newest.new_hash:
            return None
        try:
            before = self._chain.version(newest.new_hash)
        except NotFound:
            before = {}  # the version's file was removed by hand: the edit is told as a whole
        operations = difference(before, document)
        return self._change(document, HAND, operations, invert_patch(before, operations), note="edited by hand")

    def _change(
        self, document: dict[str, Any], author: str, operations: Operations, inverse: Operations, **more: Any
    ) -> ChangeRecord:
        newest = self._chain.newest()
        stamp = next_stamp(self._chain.last_stamp())
        record = ChangeRecord(
            stamp=stamp,
            timestamp=time_of(stamp).isoformat(),
            author=author,
            patches=operations,
            inverse=inverse,
            old_hash=newest.new_hash if newest else "",
            new_hash=document_hash(document),
            **more,
        )
        self._changer.change(record, document)
        return record

    def _stored_or(self, version_hash: str, operations: Operations) -> dict[str, Any]:
        """The kept version, members in the order they had; made again where its file is gone."""
        try:
            return self._chain.version(version_hash)
        except NotFound:
            made: dict[str, Any] = apply_patch(self.document(), operations)
            return made

    def _require(self, wanted_hash: str, change: ChangeRecord) -> None:
        if document_hash(self.document()) != wanted_hash:
            raise Conflict(f"The change of {change.timestamp} by {change.author} does not lead to the spec as it is.")


# The log of the agent's turns, one JSON object on each line.

LOG = "logs/agent_turns.jsonl"
TORN = "logs/agent_turns.torn.jsonl"
KEY = "key"


class TurnLog:
    """Only ever appended to. What a crash has torn off at its end is kept apart, and never taken for a turn."""

    def __init__(self, files: ProjectFiles) -> None:
        self.files = files

    def append(self, turn: dict[str, Any], key: str) -> bool:
        """Write a turn down, unless one with this key is there already; answer whether it was written.

        Raises:
            ValueError: the turn holds a number that is not finite.
        """
        line = json.dumps({KEY: key, **turn}, ensure_ascii=True, allow_nan=False).encode() + b"\n"
        with self._opened() as log:
            self._repair(log)
            if any(each.get(KEY) == key for each in _turns(_content(log))):
                return False
            os.lseek(log, 0, os.SEEK_END)
            while line:
                line = line[os.write(log, line) :]
            os.fsync(log)
        return True

    def read(self, last: int | None = None) -> list[dict[str, Any]]:
        """The turns, oldest first; the last so many of them. Lines that are no turn are left out."""
        path = self.files.inside(LOG)
        turns = _turns(path.read_bytes()) if path.is_file() else []
        return turns if last is None else turns[max(0, len(turns) - last) :]

    @contextmanager
    def _opened(self) -> Iterator[int]:
        self.files.folder("logs")
        log = os.open(self.files.inside(LOG), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            fcntl.flock(log, fcntl.LOCK_EX)
            yield log
        finally:
            os.close(log)

    def _repair(self, log: int) -> None:
        """Complete or take away a last line without an end."""
        content = _content(log)
        tail = content[content.rfind(b"\n") + 1 :]
        if not tail:
            return
        if _turns(tail):  # only its end is missing
            os.pwrite(log, b"\n", len(content))
            return
        torn = os.open(self.files.inside(TORN), os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o666)
        try:
            os.write(torn, tail + b"\n")
            os.fsync(torn)
        finally:
            os.close(torn)
        os.ftruncate(log, len(content) - len(tail))


def _content(log: int) -> bytes:
    content = b""
    while piece := os.pread(log, 1 << 24, len(content)):
        content += piece
    return content


def _turns(content: bytes) -> list[dict[str, Any]]:
    found = []
    for line in content.split(b"\n"):
        try:
            turn = json.loads(line)
        except (ValueError, RecursionError):
            continue  # a line that was torn, or was empty
        if isinstance(turn, dict):
            found.append(turn)
    return found


FOLDERS = ("spec_history", "patches", "reports", "artifacts", "logs")


class ProjectFolder(StoredSpec):
    """The project in a folder. Its calls block on files: in an event loop, run them in a thread where that counts."""

    @classmethod
    def create_or_open(
        cls, path: Path, name: str = "", *, document: dict[str, Any] | None = None, **options: Any
    ) -> "ProjectFolder":
        """Open the project, or make one.

        Args:
            path: its folder.
            name: what a new project's minimal spec is called; the folder's name, when none is given.
            document: what a new project starts with in the place of a minimal spec.
            options: as for `StoredSpec`.

        Raises:
            InvalidInput: the path is not a folder, cannot be written, or its `spec.json` cannot be read.
        """
        try:
            path.mkdir(parents=True, exist_ok=True)
            project = cls(path, **options)
            for folder in FOLDERS:
                project.files.folder(folder)
        except OSError as error:
            raise InvalidInput(f"{path} cannot be a project folder: {error.strerror}.") from error
        with project._locked():
            project._changer.recover()
            if not project.files.exists(SPEC) and project._chain.newest() is None:
                first = document or minimal_document(name or project.path.name or "design")
                project._change(first, CREATED, [], [], note="a new project")
            project._settle()
        return project

    @classmethod
    def open(cls, path: Path, **options: Any) -> "ProjectFolder":
        """Open a project that is there.

        Raises:
            NotFound: there is no project at the path.
            InvalidInput: its `spec.json` cannot be read.
        """
        if not (path / SPEC).exists() and not (path / "patches").is_dir():
            raise NotFound(f"There is no project at {path}: it has no {SPEC}.")
        return cls.create_or_open(path, **options)

    def write_report(self, name: reports.ReportName, report: dict[str, Any]) -> None:
        """Keep a report in the place of the one before."""
        reports.write_report(self.files, name, report)

    def read_report(self, name: reports.ReportName) -> dict[str, Any] | None:
        """The report, or None when there is none yet."""
        return reports.read_report(self.files, name)

    def last_report(self) -> RunReport | None:
        """The report of the last run, or None before the first one."""
        return reports.last_run(self.files)

    def keep_run(self, report: RunReport) -> None:
        """Make a finished run the last one: its reports, and its place in the index of artifacts."""
        reports.keep_run(self.files, report)
        ArtifactIndexer(self).refresh()

    def new_run_folder(self) -> str:
        """A new folder for a run, relative to the project's: `artifacts/run_{stamp}`."""
        return artifacts.new_run_folder(self.files)

    def resolve_artifact(self, relative: str) -> Path:
        """Where a path relative to the project leads, whether there is a file or not.

        Raises:
            InvalidInput: it is absolute, climbs up, or leaves the project by a link.
        """
        return self.files.inside(relative)

    @property
    def turns(self) -> TurnLog:
        """The log of the agent's turns."""
        return TurnLog(self.files)
