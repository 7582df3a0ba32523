"""The project's spec with all its versions: read, changed, undone."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from loopwright.agents.designspec.patches.apply import Operations, apply_patch
from loopwright.agents.designspec.patches.difference import difference
from loopwright.agents.designspec.patches.inverse import invert_patch
from loopwright.agents.designspec.project.changing import SPEC, Changer
from loopwright.agents.designspec.project.files import ProjectFiles
from loopwright.agents.designspec.project.hashing import document_hash
from loopwright.agents.designspec.project.ledger import Ledger
from loopwright.agents.designspec.project.lock import folder_lock
from loopwright.agents.designspec.project.record import CREATED, HAND, REDO, UNDO, ChangeRecord
from loopwright.agents.designspec.project.spec_text import MAX_SPEC_BYTES, read_spec, write_spec
from loopwright.agents.designspec.project.stamps import next_stamp, time_of
from loopwright.agents.designspec.project.undoing import standing_changes
from loopwright.kernel.errors import Conflict, InvalidInput, NotFound


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
        self._ledger = Ledger(self.files)
        self._changer = Changer(self.files, on_step)

    def document(self) -> dict[str, Any]:
        """The spec as it is written now.

        Raises:
            InvalidInput: somebody has edited it into something that is no spec.
        """
        try:
            return read_spec(self.files.read(SPEC, MAX_SPEC_BYTES), SPEC)
        except InvalidInput as error:
            hint = "Mend it by hand, or put the last version back (`restore`): it is in spec_history/."
            raise InvalidInput(error.message, hint=hint) from error

    @property
    def document_hash(self) -> str:
        """The hash of the spec as it is written now."""
        return document_hash(self.document())

    def refresh(self) -> ChangeRecord | None:
        """Notice an edit by hand: keep it as a version by the author `hand`, and answer its record."""
        with folder_lock(self.path, self.wait_s):
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
        with folder_lock(self.path, self.wait_s):
            self._changer.recover()
            self._settle()
            earlier = self._ledger.of_proposal(proposal_id) if proposal_id else None
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
        with folder_lock(self.path, self.wait_s):
            self._changer.recover()
            self._settle()
            standing, _ = standing_changes(self._ledger.records())
            if not standing:
                raise Conflict("There is nothing to undo: the spec is as it was at first.")
            last = standing[-1]
            self._require(last.new_hash, last)
            note = f"undo of {last.stamp} by {last.author}"
            document = self._stored_or(last.old_hash, last.inverse)
            return self._change(document, UNDO, last.inverse, last.patches, undoes=last.stamp, note=note)

    def redo(self) -> ChangeRecord:
        """Make the change again that was undone last.

        Raises:
            Conflict: nothing was undone, or something else has been changed since.
        """
        with folder_lock(self.path, self.wait_s):
            self._changer.recover()
            self._settle()
            _, undone = standing_changes(self._ledger.records())
            if not undone:
                raise Conflict("There is nothing to redo.")
            last = undone[-1]
            self._require(last.old_hash, last)
            note = f"redo of {last.stamp} by {last.author}"
            document = self._stored_or(last.new_hash, last.patches)
            return self._change(document, REDO, last.patches, last.inverse, redoes=last.stamp, note=note)

    def restore(self) -> str:
        """Put the last version back where `spec.json` can no longer be read; answer where that file is kept now.

        Raises:
            Conflict: `spec.json` can be read, or there is no version to put back.
        """
        with folder_lock(self.path, self.wait_s):
            self._changer.recover()
            newest = self._ledger.newest()
            if newest is None:
                raise Conflict("There is no version to put back.")
            try:
                self.document()
            except InvalidInput:
                aside = f"spec_history/{next_stamp(self._ledger.last_stamp())}_unreadable.txt"
                self.files.move(SPEC, aside)
                self._changer.put_back(newest)
                return aside
            raise Conflict(f"{SPEC} can be read; undo takes changes back.")

    def history(self) -> list[ChangeRecord]:
        """Every change, newest first."""
        return self._ledger.records()[::-1]

    def record_of(self, proposal_id: str) -> ChangeRecord | None:
        """The change that this proposal has made, if it was saved."""
        return self._ledger.of_proposal(proposal_id)

    def damaged_records(self) -> dict[str, str]:
        """The files in `patches/` that cannot be read, with the reason; they take no part in undo."""
        self._ledger.records()
        return dict(self._ledger.damaged)

    def version(self, version_hash: str) -> dict[str, Any]:
        """The document that had this hash.

        Raises:
            NotFound: there was none.
        """
        try:
            return self._ledger.version(version_hash)
        except NotFound:
            document = self.document()
            if document_hash(document) == version_hash:  # edited by hand a moment ago, and not yet noticed
                return document
            raise

    def _settle(self) -> ChangeRecord | None:
        """Make the chain of records agree with `spec.json`, whose word counts. For who holds the lock."""
        newest = self._ledger.newest()
        if newest is not None and not self.files.exists(SPEC):
            self._changer.put_back(newest)
        document = self.document()
        if newest is None:
            return self._change(document, CREATED, [], [], note=f"{SPEC} as it was found")
        if document_hash(document) == newest.new_hash:
            return None
        try:
            before = self._ledger.version(newest.new_hash)
        except NotFound:
            before = {}  # the version's file was removed by hand: the edit is told as a whole
        operations = difference(before, document)
        return self._change(document, HAND, operations, invert_patch(before, operations), note="edited by hand")

    def _change(
        self, document: dict[str, Any], author: str, operations: Operations, inverse: Operations, **more: Any
    ) -> ChangeRecord:
        newest = self._ledger.newest()
        stamp = next_stamp(self._ledger.last_stamp())
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
            return self._ledger.version(version_hash)
        except NotFound:
            made: dict[str, Any] = apply_patch(self.document(), operations)
            return made

    def _require(self, wanted_hash: str, change: ChangeRecord) -> None:
        if document_hash(self.document()) != wanted_hash:
            raise Conflict(f"The change of {change.timestamp} by {change.author} does not lead to the spec as it is.")
